// Asking from a component: the answer, or the problem, and asking again when the journal moves on.

import { useEffect, useRef, useState } from "preact/hooks";

import { type Arguments, Problem } from "./api";
import { ask, project, settledHead, shut } from "./state";

export interface Asked<T> {
  value: T | null;
  problem: Problem | null;
  loading: boolean;
  again: () => void;
}

/** Ask when the arguments change; with `null` do not ask. A live answer follows the journal. */
export function useAsk<T>(operation: string, args: Arguments | null, live = true): Asked<T> {
  const [turn, setTurn] = useState(0);
  const [answer, setAnswer] = useState<{ key: string; value: T | null; problem: Problem | null } | null>(
    null,
  );
  const key = args === null ? "" : JSON.stringify([operation, project.value, args]);
  const latest = useRef(key);
  latest.current = key;
  const moved = live ? settledHead.value : 0;

  useEffect(() => {
    if (args === null || !project.value) return;
    const control = new AbortController();
    ask<T>(operation, args, { signal: control.signal })
      .then((value) => latest.current === key && setAnswer({ key, value, problem: null }))
      .catch((error: unknown) => {
        if (control.signal.aborted || latest.current !== key) return;
        setAnswer({ key, value: null, problem: asProblem(error) });
      });
    return () => control.abort();
  }, [key, turn, moved]);

  const current = answer?.key === key ? answer : null;
  return {
    value: current?.value ?? null,
    problem: current?.problem ?? null,
    loading: args !== null && current === null,
    again: () => setTurn((was) => was + 1),
  };
}

export interface Doing {
  busy: boolean;
  problem: Problem | null;
  run: (work: () => Promise<void>) => void;
  clear: () => void;
}

/** Do something once at a time, and keep what went wrong. */
export function useDoing(): Doing {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const run = (work: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    work()
      .catch((error: unknown) => setProblem(asProblem(error)))
      .finally(() => setBusy(false));
  };
  return { busy, problem, run, clear: () => setProblem(null) };
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) {
    // The server was started anew, or a week has passed.
    if (error.status === 401) shut.value = error;
    return error;
  }
  console.error(error);
  return new Problem("PAGE", "The page itself made a mistake", "Reload it; the console says more", 0);
}
