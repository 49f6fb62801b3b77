// One thing done to all records that are selected; what could not be done is said of each.

import { useState } from "preact/hooks";

import { asProblem, useDoing } from "../asking";
import { changeState, moveUnder } from "../onrecord";
import { Dialog } from "../parts/Dialog";
import { Wrong } from "../parts/Notice";
import { Pick } from "../parts/Pick";
import { selected } from "../selecting";
import type { RecordRef, State } from "../shapes";
import { counted } from "../words";

type What = "LATER" | "DISCARDED" | "OPEN" | "move";
const VERBS: Record<What, string> = { LATER: "Put off", DISCARDED: "Discard", OPEN: "Reopen", move: "Move" };
const DONE: Record<What, string> = {
  LATER: "put off",
  DISCARDED: "discarded",
  OPEN: "reopened",
  move: "moved",
};

interface Outcome {
  done: number;
  what: What;
  left: { id: string; why: string }[];
}

export function Bulk() {
  const [what, setWhat] = useState<What | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const ids = selected.value;
  return (
    <div class="bulk">
      <div role="status">{outcome && <Said outcome={outcome} />}</div>
      {ids && (
        <p class="tools" role="group" aria-label="With all that are selected">
          <strong>{counted(ids.size, "record")}</strong>
          {(Object.keys(VERBS) as What[]).map((one) => (
            <button key={one} type="button" disabled={ids.size === 0} onClick={() => setWhat(one)}>
              {VERBS[one]}
            </button>
          ))}
          <button type="button" class="quiet" onClick={() => (selected.value = null)}>
            Done
          </button>
        </p>
      )}
      {what && ids && (
        <Doing
          what={what}
          ids={[...ids]}
          onEnd={(made) => {
            setWhat(null);
            if (made) {
              setOutcome(made);
              selected.value = new Set(made.left.map((one) => one.id));
            }
          }}
        />
      )}
    </div>
  );
}

function Said({ outcome }: { outcome: Outcome }) {
  return (
    <div class={outcome.left.length ? "warned" : "well"}>
      {counted(outcome.done, "record")} {DONE[outcome.what]}.
      {outcome.left.length > 0 && (
        <ul>
          {outcome.left.map((one) => (
            <li key={one.id}>
              {one.id} was not: {one.why}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface Asked {
  what: What;
  ids: string[];
  onEnd: (outcome: Outcome | null) => void;
}

function Doing({ what, ids, onEnd }: Asked) {
  const [reason, setReason] = useState("");
  const [under, setUnder] = useState<RecordRef | null>(null);
  const doing = useDoing();
  const needsReason = what === "LATER" || what === "DISCARDED";
  const all = (event: Event) => {
    event.preventDefault();
    doing.run(async () => {
      const outcome: Outcome = { done: 0, what, left: [] };
      for (const id of ids) {
        try {
          if (what === "move") await moveUnder(id, under?.id ?? null);
          else await changeState(id, what as State, needsReason ? { reason: reason.trim() } : {});
          outcome.done += 1;
        } catch (error) {
          const problem = asProblem(error);
          if (problem.passes) throw problem;
          outcome.left.push({ id, why: problem.message });
        }
      }
      onEnd(outcome);
    });
  };
  return (
    <Dialog title={`${VERBS[what]} ${counted(ids.length, "record")}`} open onClose={() => onEnd(null)}>
      <form onSubmit={all}>
        {needsReason && (
          <label class="field">
            <span>Why? (the same for all)</span>
            <input required value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
          </label>
        )}
        {what === "move" && (
          <Pick
            label="Under which record? (nothing: to the top)"
            chosen={under}
            onChoose={setUnder}
            except={ids}
          />
        )}
        {doing.problem && <Wrong problem={doing.problem} />}
        <p class="tools">
          <button type="submit" class="main" disabled={doing.busy}>
            {VERBS[what]}
          </button>
          <button type="button" class="quiet" onClick={() => onEnd(null)}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
