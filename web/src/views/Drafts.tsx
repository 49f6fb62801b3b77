// Offers what was typed before and not saved: to go on with it, or to throw it away.

import { useEffect, useState } from "preact/hooks";

import type { Draft } from "../drafts";
import { type Field, named, textsOf } from "../fields";
import { bringBack, claimed, drafts, dropDraft, throwDraft, thrown } from "../keeping";
import type { FullRecord } from "../shapes";
import { project } from "../state";
import { clock, day } from "../words";

interface Shown {
  record: FullRecord;
  onGoOn: (draft: Draft) => void;
}

export function Offers({ record, onGoOn }: Shown) {
  const taken = useClaimed();
  const own = drafts.value.filter((one) => one.project === project.value && one.record === record.id);
  const isSaved = (draft: Draft) => {
    const texts = textsOf(record);
    if (new Date(record.modified).getTime() < draft.at) return false;
    return Object.entries(draft.typed).every(([field, text]) => texts[field as Field] === text);
  };
  useEffect(() => {
    // An answer that got lost leaves the draft of what was saved.
    for (const draft of own) if (isSaved(draft) && taken && !taken.has(draft.id)) dropDraft(draft);
  }, [record.version, drafts.value, taken]);
  const last =
    thrown.value?.record === record.id && thrown.value.project === project.value ? thrown.value : null;
  return (
    <div class="offers" role="status">
      {own
        .filter((draft) => taken && !isSaved(draft))
        .map((draft) =>
          taken?.has(draft.id) ? (
            <p key={draft.id} class="warned">
              You are editing {named(Object.keys(draft.typed))} in another tab, since {at(draft)}.
            </p>
          ) : (
            <p key={draft.id} class="warned">
              <strong>
                You were editing {record.id} at {at(draft)}
              </strong>{" "}
              and did not save {named(Object.keys(draft.typed))}.{" "}
              <button type="button" onClick={() => onGoOn(draft)}>
                Go on
              </button>{" "}
              <button type="button" class="quiet" onClick={() => throwDraft(draft)}>
                Discard draft
              </button>
            </p>
          ),
        )}
      {last && (
        <p class="soft">
          What you typed was discarded.{" "}
          <button type="button" class="quiet" onClick={() => bringBack(last)}>
            Bring it back
          </button>
        </p>
      )}
    </div>
  );
}

const TODAY = () => new Date().toDateString();

/** When a draft was last typed in, with the day unless it is today. */
export function at(draft: Draft): string {
  const moment = new Date(draft.at);
  const text = moment.toISOString();
  return moment.toDateString() === TODAY() ? clock(text) : `${clock(text)} on ${day(text)}`;
}

/** The drafts that are open in some tab. A tab that closes says nothing, so it is asked when one comes back. */
function useClaimed(): Set<string> | null {
  const [taken, setTaken] = useState<Set<string> | null>(null);
  useEffect(() => {
    const look = () => void claimed().then(setTaken);
    look();
    addEventListener("focus", look);
    addEventListener("visibilitychange", look);
    return () => {
      removeEventListener("focus", look);
      removeEventListener("visibilitychange", look);
    };
  }, [drafts.value]);
  return taken;
}
