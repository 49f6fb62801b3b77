// Sending what was typed until the server answers, and saying why it is not saved yet.

import { useEffect, useRef, useState } from "preact/hooks";

import type { Problem } from "../api";
import { asProblem } from "../asking";
import type { Typed } from "../fields";
import { Wrong } from "../parts/Notice";
import { type Attempt, make } from "../saving";
import type { RecordUpdated } from "../shapes";

const AGAIN_MS = 2_000;

export interface Saving {
  busy: boolean;
  /** Whether what was sent waits for a server that is away. */
  isWaiting: boolean;
  problem: Problem | null;
  send: (attempted: Attempt, typed: Typed | null) => void;
  /** Send something else than what one types, and take the answer oneself. */
  ask: (attempted: Attempt, done: (answer: RecordUpdated) => void) => void;
}

/** Send one thing at a time, again until the server answers. */
export function useSaving(done: (answer: RecordUpdated, typed: Typed | null) => void): Saving {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [waiting, setWaiting] = useState<{ attempted: Attempt; typed: Typed | null } | null>(null);
  const latest = useRef(done);
  latest.current = done;

  const ask = (
    attempted: Attempt,
    answered: (answer: RecordUpdated) => void,
    passing = (_: Problem) => false,
  ) => {
    setBusy(true);
    make(attempted)
      .then((answer) => {
        setWaiting(null);
        setProblem(null);
        answered(answer);
      })
      .catch((error: unknown) => {
        const met = asProblem(error);
        if (met.passes && passing(met)) return;
        setWaiting(null);
        setProblem(met);
      })
      .finally(() => setBusy(false));
  };
  const send = (attempted: Attempt, typed: Typed | null) =>
    ask(
      attempted,
      (answer) => latest.current(answer, typed),
      () => {
        setWaiting({ attempted, typed });
        return true;
      },
    );
  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => send(waiting.attempted, waiting.typed), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  return { busy, isWaiting: waiting !== null, problem, send, ask };
}

/** Why something is not saved yet. */
export function Unsaved({ saving }: { saving: Saving }) {
  if (saving.isWaiting) {
    return (
      <p class="warned" role="status">
        Not saved yet: the server does not answer. It is saved as soon as it does.
      </p>
    );
  }
  return saving.problem && <Wrong problem={saving.problem} />;
}
