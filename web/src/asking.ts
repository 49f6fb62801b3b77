// Asking from a component: the answer, or the problem, and asking again when the journal moves on.

import { useEffect, useRef, useState } from "preact/hooks";

import { type Arguments, Problem } from "./api";
import { moment } from "./moment";
import { ask, project, returned, settledHead, shut } from "./state";

export interface Asked<T> {
  value: T | null;
  problem: Problem | null;
  loading: boolean;
  again: () => void;
}

export { NOW } from "./moment";

interface Running {
  key: string;
  control: AbortController;
  /** Whether the journal has moved on since it was asked. */
  isStale: boolean;
}

/** Ask when the arguments change; with `null` do not ask. A live answer follows the journal.

    One question is under way at a time, and is let come to its end: under steady writes an answer
    would never be shown if each new entry took it back. */
export function useAsk<T>(operation: string, args: Arguments | null, live = true): Asked<T> {
  const [turn, setTurn] = useState(0);
  const [answer, setAnswer] = useState<{ key: string; value: T | null; problem: Problem | null } | null>(
    null,
  );
  const key = args === null ? "" : JSON.stringify([operation, project.value, args]);
  const running = useRef<Running | null>(null);
  const moved = live ? settledHead.value : 0;

  const begin = () => {
    const mine: Running = { key, control: new AbortController(), isStale: false };
    running.current = mine;
    ask<T>(operation, args ?? {}, { signal: mine.control.signal })
      .then((value) => running.current === mine && setAnswer({ key, value, problem: null }))
      .catch((error: unknown) => {
        if (running.current !== mine) return;
        const problem = asProblem(error);
        // What was shown stays while the server is away.
        setAnswer((was) =>
          problem.passes && was?.key === key && was.value ? was : { key, value: null, problem },
        );
      })
      .finally(() => {
        if (running.current !== mine) return;
        running.current = null;
        if (mine.isStale) begin();
      });
  };
  const end = () => {
    const was = running.current;
    running.current = null;
    was?.control.abort();
  };
  useEffect(() => {
    if (running.current?.key === key) {
      running.current.isStale = true;
      return;
    }
    end();
    if (args !== null && project.value) begin();
  }, [key, turn, moved, returned.value, moment.value]);
  useEffect(() => end, []);

  const current = answer?.key === key ? answer : null;
  return {
    value: current?.value ?? null,
    problem: current?.problem ?? null,
    loading: args !== null && current === null,
    again: () => setTurn((was) => was + 1),
  };
}

const QUIET_MS = 200;

/** Words once nobody types any more: each letter would be a search of its own. */
export function useSettled(words: string): string {
  const [settled, setSettled] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(words), settled && words ? QUIET_MS : 0);
    return () => clearTimeout(timer);
  }, [words]);
  return settled;
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
    // A week has passed, or somebody logged this browser out; or it is another server now.
    if (error.status === 401 || error.code === "STORE_CHANGED") shut.value = error;
    return error;
  }
  console.error(error);
  return new Problem("PAGE", "The page itself made a mistake", "Reload it; the console says more", 0);
}
