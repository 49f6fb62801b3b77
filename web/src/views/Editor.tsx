// Editing a record in place. What is typed is a draft from the first letter on; what others do meanwhile
// is told, and merged when it is saved.

import { useRef, useState } from "preact/hooks";

import type { Draft } from "../drafts";
import { isEmpty, type Texts, textsOf, touched, type Typed, updateOf } from "../fields";
import { throwDraft } from "../keeping";
import { type Choices, merging, resolved } from "../merging";
import { attempt, type Decision } from "../saving";
import type { Conflict, FullRecord, RecordUpdated } from "../shapes";
import { blank, type Start, useKeeping } from "./draft";
import { Fields } from "./Fields";
import { Merge } from "./Merge";
import { Meanwhile, Unkept } from "./Meanwhile";
import { Unsaved, useSaving } from "./Saving";

/** How an editor ended: with an answer of the server, or without one. */
export interface Outcome {
  written: RecordUpdated | null;
  draft: Draft | null;
}

interface Shown {
  start: Start;
  /** The record as it stands now. */
  latest: FullRecord;
  onEnd: (outcome: Outcome) => void;
}

/** Somebody else's version, which is in the way. */
interface Met {
  conflict: Conflict;
  stored: FullRecord;
}

export function Editor({ start, latest, onEnd }: Shown) {
  const [base, setBase] = useState(start.base);
  const [texts, setTexts] = useState<Texts>(() => ({ ...textsOf(start.base), ...start.draft?.typed }));
  const [choices, setChoices] = useState<Choices>(start.draft?.choices ?? {});
  const [met, setMet] = useState<Met | null>(null);
  const was = textsOf(base);
  const typed = touched(was, texts);

  const form = useRef<HTMLFormElement>(null);
  const draft = (): Draft => ({
    ...blank(start),
    title: base.title,
    base: base.version,
    typed,
    ...(Object.keys(choices).length && { choices }),
    at: Date.now(),
  });
  const keeping = useKeeping(start, isEmpty(typed) ? null : draft, [texts, choices, base]);

  const end = (written: RecordUpdated) => {
    keeping.drop();
    onEnd({ written, draft: draft() });
  };
  const saving = useSaving((answer, sent) => {
    if (answer.conflict) {
      // One that was decided was decided against an older version: ask again from what I typed.
      if (sent) setMet({ conflict: answer.conflict, stored: whole(answer, base, sent) });
      else write({});
      return;
    }
    if (!sent || sameTyped(sent, typed)) {
      end(answer);
      return;
    }
    // More was typed until the answer came: onto what has now been written, if that was not merged.
    const next = answer.merged ? base : whole(answer, base, sent);
    setBase(next);
    const more = touched(textsOf(next), texts);
    if (isEmpty(more)) end(answer);
    else
      saving.send(attempt(base.id, next.version, updateOf(textsOf(next), more), { accept: "merge" }), more);
  });
  const write = (decision: Decision, update = updateOf(was, typed)) =>
    saving.send(attempt(base.id, base.version, update, decision), "force" in decision ? null : typed);

  const save = () => {
    if (isEmpty(typed)) cancel();
    else if (!saving.isWaiting) write({ accept: "merge" });
  };
  const cancel = () => {
    keeping.drop();
    if (!isEmpty(typed)) throwDraft(draft());
    onEnd({ written: null, draft: null });
  };
  /** Take their version for what I began with, and what I changed for a change of that. */
  const mergeNow = () => {
    if (!form.current?.reportValidity()) return;
    if (isEmpty(typed)) {
      setBase(latest);
      setTexts(textsOf(latest));
    } else {
      saving.ask(attempt(base.id, base.version, updateOf(was, typed), {}), ({ conflict, ...answer }) => {
        if (!conflict) return;
        const stored = whole(answer, base, typed);
        const theirs = textsOf(stored);
        if (!conflict.mergeable) {
          setMet({ conflict, stored });
          return;
        }
        const merged = resolved(merging(conflict, was, typed, theirs), {}, was, typed, theirs);
        setBase(stored);
        setTexts(textsOf({ ...stored, ...merged, metadata: without(stored.metadata, merged.metadata) }));
      });
    }
  };

  if (met) {
    return (
      <Merge
        met={met}
        base={was}
        typed={typed}
        latest={latest}
        choices={choices}
        saving={saving}
        onChoose={setChoices}
        onWrite={(update, version) => write({ force: true, force_version: version }, update)}
        onLook={() => write({})}
        onBack={() => setMet(null)}
        onTheirs={cancel}
      />
    );
  }
  return (
    <form
      ref={form}
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Meanwhile base={base} latest={latest} busy={saving.busy} onMerge={mergeNow} />
      <Fields texts={texts} onChange={setTexts} />
      {!keeping.isKept && <Unkept own={start.id} />}
      <Unsaved saving={saving} />
      <p class="tools">
        <button type="submit" class="main" disabled={saving.busy}>
          Save
        </button>
        <button type="button" class="quiet" onClick={cancel}>
          {isEmpty(typed) ? "Cancel" : "Discard changes"}
        </button>
        {!isEmpty(typed) && keeping.isKept && <span class="soft">Kept as a draft in this browser.</span>}
      </p>
    </form>
  );
}

/** The record as an answer gives it, which leaves out a body that was sent. */
function whole(answer: Pick<RecordUpdated, "record">, base: FullRecord, sent: Typed): FullRecord {
  return { ...answer.record, body: answer.record.body ?? sent.body ?? base.body };
}

function sameTyped(one: Typed, other: Typed): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Set keys of metadata, and take away those that are null. */
function without(
  stored: Record<string, unknown> = {},
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...stored, ...changes }).filter(([, value]) => value !== null));
}
