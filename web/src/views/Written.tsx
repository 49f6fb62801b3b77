// What saving came to where somebody else had written too: said, to be looked at, and to be taken back.

import { useState } from "preact/hooks";

import { Problem } from "../api";
import { useDoing } from "../asking";
import { type Field, named, textsOf, touched, updateOf } from "../fields";
import { keepDraft } from "../keeping";
import { otherOf } from "../others";
import { Wrong } from "../parts/Notice";
import { attempt, laidAside, layAside, make } from "../saving";
import type { Activation, RecordUpdated, VersionWritten } from "../shapes";
import { act, ask } from "../state";
import type { Outcome } from "./Editor";
import { Ago, Since } from "./Meanwhile";

export function Written({ outcome, onEnd }: { outcome: Outcome; onEnd: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const doing = useDoing();
  const { written, draft } = outcome;
  const others = written?.merged?.versions ?? written?.replaced ?? [];
  const newest = others[0];
  if (!written || !newest) return null;
  const { id, version } = written.record;
  const undo = () =>
    doing.run(async () => {
      await putBack(written, newest.version);
      if (draft) keepDraft({ ...draft, at: Date.now() });
      onEnd();
    });
  return (
    <div class="written" role="status">
      <p class="well">
        <strong>{said(written, others)}</strong> <Ago at={newest.at} />{" "}
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide" : "See what it was"}
        </button>
        <button type="button" class="quiet" disabled={doing.busy} onClick={undo}>
          Undo
        </button>
        <button type="button" class="quiet" onClick={onEnd}>
          Close
        </button>
      </p>
      {doing.problem && <Wrong problem={doing.problem} />}
      {isOpen && (
        <>
          <p class="soft">What saving changed in what was there:</p>
          <Since id={id} from={newest.version} to={version} />
        </>
      )}
    </div>
  );
}

/** Say whose change it was merged with, or written over. */
function said(written: RecordUpdated, others: VersionWritten[]): string {
  const names = [...new Set(others.map((one) => otherOf(one.author).whose))].join(" and ");
  const fields = [...new Set(others.flatMap((one) => one.changed_fields))];
  return written.merged
    ? `Merged with ${names} change of ${named(fields)}.`
    : `Saved as chosen, over ${names} change of ${named(fields)}.`;
}

/** Write again what was there before mine; what came after mine is not touched by it. */
async function putBack(written: RecordUpdated, before: number): Promise<void> {
  const { id, version } = written.record;
  await laidAside(id);
  await act("activate", { id, override: true });
  const at = async (tick: number) =>
    textsOf((await ask<Activation>("activate", { id, as_of: `t:${tick}` })).context.target);
  const [was, now] = [await at(before), await at(version)];
  const fields = Object.fromEntries(
    Object.keys(touched(was, now)).map((field) => [field, was[field as Field]]),
  );
  const answer = await make(attempt(id, version, updateOf(now, fields), { accept: "merge" }));
  if (answer.conflict)
    throw new Problem("CONFLICT", "It was changed again in the same places", "Edit it instead", 409);
  await layAside(id);
}
