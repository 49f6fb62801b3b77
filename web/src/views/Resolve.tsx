// Resolving a record: by one that is there, or by an answer that is written here.

import { useState } from "preact/hooks";

import { useDoing } from "../asking";
import { changeState, createRecord } from "../onrecord";
import { Closing, Dialog } from "../parts/Dialog";
import { Wrong } from "../parts/Notice";
import { Pick } from "../parts/Pick";
import type { FullRecord, RecordRef } from "../shapes";
import { noise } from "../state";

type Way = "answer" | "record";
const SUMMARY_MAX = 200;

export function Resolve({ record, onEnd }: { record: FullRecord; onEnd: () => void }) {
  const [way, setWay] = useState<Way>("answer");
  const [chosen, setChosen] = useState<RecordRef | null>(null);
  const [title, setTitle] = useState("");
  const [answer, setAnswer] = useState("");
  const [key] = useState(() => `page.${noise()}`);
  const doing = useDoing();
  const resolve = (event: Event) => {
    event.preventDefault();
    doing.run(async () => {
      const by = way === "record" ? chosen?.id : await write(record, title.trim(), answer.trim(), key);
      await changeState(record.id, "RESOLVED", { resolved_by: by });
      onEnd();
    });
  };
  return (
    <Dialog title={`Resolve ${record.id}`} open onClose={onEnd}>
      <form onSubmit={resolve}>
        <fieldset class="ways">
          <legend class="for-ears">What resolves it?</legend>
          <Choice way="answer" now={way} onChoose={setWay} text="Write the answer here" />
          <Choice way="record" now={way} onChoose={setWay} text="A record says it already" />
        </fieldset>
        {way === "record" ? (
          <Pick
            label="The record that resolves it"
            chosen={chosen}
            onChoose={setChosen}
            except={[record.id]}
            required
          />
        ) : (
          <>
            <label class="field">
              <span>The answer, in a few words</span>
              <input value={title} required onInput={(event) => setTitle(event.currentTarget.value)} />
            </label>
            <label class="field">
              <span>More about it (Markdown)</span>
              <textarea rows={5} value={answer} onInput={(event) => setAnswer(event.currentTarget.value)} />
            </label>
            <p class="soft">
              It becomes a finding beside {record.id}, which says that it was resolved by it.
            </p>
          </>
        )}
        {doing.problem && <Wrong problem={doing.problem} />}
        <Closing verb="Resolve" busy={doing.busy || (way === "record" && !chosen)} onEnd={onEnd} />
      </form>
    </Dialog>
  );
}

interface Offered {
  way: Way;
  now: Way;
  text: string;
  onChoose: (way: Way) => void;
}

function Choice({ way, now, text, onChoose }: Offered) {
  return (
    <label>
      <input type="radio" name="way" checked={way === now} onChange={() => onChoose(way)} /> {text}
    </label>
  );
}

async function write(record: FullRecord, title: string, body: string, key: string): Promise<string> {
  const summary = body.split("\n", 1)[0]?.slice(0, SUMMARY_MAX) || title;
  const made = { type: "finding", title, summary, body: body || title };
  return createRecord({ ...made, parent_id: record.parent_id, related: [record.id] }, key);
}
