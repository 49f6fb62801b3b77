// Editing a record in place; and when somebody else changed it meanwhile, both versions and the merge.

import { useState } from "preact/hooks";

import { useDoing } from "../asking";
import { Wrong } from "../parts/Notice";
import type { Conflict, FullRecord, RecordUpdated } from "../shapes";
import { act } from "../state";
import { who } from "../words";

/** The marks that a merge leaves where both changed the same lines. */
const CLASH = /^(<{7}|={7}|>{7})/m;

interface Draft {
  title: string;
  summary: string;
  body: string;
}

export function Editor({ record, onEnd }: { record: FullRecord; onEnd: () => void }) {
  const [draft, setDraft] = useState<Draft>({
    title: record.title,
    summary: record.summary,
    body: record.body,
  });
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const doing = useDoing();
  const save = (changed: Partial<Draft>, force: boolean) =>
    doing.run(async () => {
      const saved = await act<RecordUpdated>("update_record", {
        id: record.id,
        ...changed,
        ...(force && { force }),
      });
      if (saved.conflict) setConflict(saved.conflict);
      else onEnd();
    });
  const changes = () => {
    const changed: Partial<Draft> = {};
    for (const field of ["title", "summary", "body"] as const) {
      if (draft[field] !== record[field]) changed[field] = draft[field];
    }
    return changed;
  };
  if (conflict)
    return (
      <Decide
        conflict={conflict}
        busy={doing.busy}
        problem={doing.problem}
        onDecide={(decided) => save(decided, true)}
        onEnd={onEnd}
      />
    );
  const onSubmit = (event: Event) => {
    event.preventDefault();
    const changed = changes();
    if (Object.keys(changed).length) save(changed, false);
    else onEnd();
  };
  return (
    <form class="editor" onSubmit={onSubmit}>
      <label class="field">
        <span>Title</span>
        <input
          value={draft.title}
          required
          onInput={(event) => setDraft({ ...draft, title: event.currentTarget.value })}
        />
      </label>
      <label class="field">
        <span>Summary</span>
        <input
          value={draft.summary}
          required
          onInput={(event) => setDraft({ ...draft, summary: event.currentTarget.value })}
        />
      </label>
      <label class="field">
        <span>Body</span>
        <textarea
          rows={14}
          value={draft.body}
          onInput={(event) => setDraft({ ...draft, body: event.currentTarget.value })}
        />
      </label>
      {doing.problem && <Wrong problem={doing.problem} />}
      <p class="tools">
        <button type="submit" class="main" disabled={doing.busy}>
          Save
        </button>
        <button type="button" class="quiet" onClick={onEnd}>
          Cancel
        </button>
      </p>
    </form>
  );
}

interface Deciding {
  conflict: Conflict;
  busy: boolean;
  problem: ReturnType<typeof useDoing>["problem"];
  onDecide: (decided: Partial<Draft>) => void;
  onEnd: () => void;
}

function Decide({ conflict, busy, problem, onDecide, onEnd }: Deciding) {
  const { other_version: theirs, your_version: yours, merge } = conflict;
  const [merged, setMerged] = useState(merge.text);
  const isClashing = CLASH.test(merged);
  const fields = new Set(["body", ...conflict.overlapping_fields]);
  const mine = (body: string): Partial<Draft> => ({
    body,
    ...(yours.title !== conflict.base_version.title && { title: yours.title }),
    ...(yours.summary !== conflict.base_version.summary && { summary: yours.summary }),
  });
  return (
    <section class="conflict" aria-label="Conflict">
      <p class="warned" role="alert">
        <strong>Not saved yet.</strong> {conflict.message}
      </p>
      <p class="soft">
        {who(theirs.author)} changed {conflict.changed_fields.join(", ")}.{" "}
        {merge.clean
          ? "The bodies merge without a clash."
          : "The bodies clash: mend the marked places in the middle."}
      </p>
      <div class="three">
        <Side name="Yours" record={yours} fields={fields} />
        <label class="field">
          <span>Merged</span>
          <textarea rows={16} value={merged} onInput={(event) => setMerged(event.currentTarget.value)} />
        </label>
        <Side name="Theirs" record={theirs} fields={fields} />
      </div>
      {problem && <Wrong problem={problem} />}
      <p class="tools">
        <button
          type="button"
          class="main"
          disabled={busy || isClashing}
          onClick={() => onDecide(mine(merged))}
        >
          Save the merge
        </button>
        <button type="button" disabled={busy} onClick={() => onDecide(mine(yours.body))}>
          Save mine
        </button>
        <button type="button" class="quiet" onClick={onEnd}>
          Keep theirs
        </button>
        {isClashing && <span class="soft">A marked place is left in the merge.</span>}
      </p>
    </section>
  );
}

function Side({ name, record, fields }: { name: string; record: FullRecord; fields: Set<string> }) {
  return (
    <div class="side-by-side">
      <h3>{name}</h3>
      {fields.has("title") && (
        <p>
          <b>{record.title}</b>
        </p>
      )}
      {fields.has("summary") && <p>{record.summary}</p>}
      <pre tabIndex={0} aria-label={`${name}: body`}>
        {record.body}
      </pre>
    </div>
  );
}
