// What a person makes of a proposal: accept it, or reject it for a reason.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { useDoing } from "../asking";
import { Wrong } from "../parts/Notice";
import { asPerson } from "../proving";
import { held, hold } from "../rejecting";
import type { DecisionShown } from "../shapes";
import { isTyping } from "../shell/keys";
import { act } from "../state";
import "../styles/review.css";

const REASONS = [
  "What holds is better",
  "Not enough to go on",
  "Too broad",
  "Too narrow",
  "Not now",
  "Already done another way",
];

interface Shown {
  proposal: Pick<DecisionShown, "id" | "title" | "supersedes">;
  onAccepted: (decision: string) => void;
  onRejected?: () => void;
}

export function Verdict({ proposal, onAccepted, onRejected }: Shown) {
  const [reason, setReason] = useState("");
  const doing = useDoing();
  const input = useRef<HTMLInputElement>(null);
  const accept = () =>
    doing.run(async () => {
      const made = await asPerson((asking) =>
        act<{ decision_id: string }>("accept_proposal", { proposal_id: proposal.id }, asking),
      );
      onAccepted(made.decision_id);
    });
  const reject = () => {
    if (!reason.trim()) {
      input.current?.focus();
      return;
    }
    doing.run(async () => {
      await hold(proposal.id, proposal.title, reason.trim());
      onRejected?.();
    });
  };
  useKeys({ a: accept, r: () => input.current?.focus() });
  if (held.value?.id === proposal.id) return <p class="warned">It is about to be rejected.</p>;
  return (
    <section class="review" aria-label="Review">
      <h3>Your decision</h3>
      {doing.problem && <Wrong problem={doing.problem} />}
      <div class="chips" role="group" aria-label="Reasons to reject it">
        {REASONS.map((one) => (
          <button
            key={one}
            type="button"
            class="chip"
            aria-pressed={reason === one}
            onClick={() => setReason(one)}
          >
            {one}
          </button>
        ))}
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          reject();
        }}
      >
        <label class="field">
          <span>Why, if you reject it</span>
          <input ref={input} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
        <p class="tools">
          <button type="button" class="main" disabled={doing.busy} onClick={accept}>
            Accept <kbd>a</kbd>
          </button>
          <button type="submit" disabled={doing.busy || !reason.trim()}>
            Reject <kbd>r</kbd>
          </button>
        </p>
      </form>
    </section>
  );
}

/** Keys of a view, while nothing is being typed. */
export function useKeys(keys: Record<string, () => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  // At once with what is shown: a key pressed as soon as it is seen must not be lost.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return;
      if (document.querySelector("dialog[open]")) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
