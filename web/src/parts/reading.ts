// The contents of revisions, read when they are wanted, for films and movies.

import { useRef, useState } from "preact/hooks";

import type { Problem } from "../api";
import { asProblem } from "../asking";
import type { Evolution, Revision } from "../shapes";
import { ask } from "../state";

const AGAIN_MS = 2_000;

export interface Read {
  /** Its text; `null` where there is none to show. */
  content: string | null;
  revision?: Revision | undefined;
  /** Why it could not be read. */
  problem?: Problem | undefined;
}

export interface Reading {
  /** Grows when what could not be reached may be wanted again. */
  turn: number;
  want: (path: string, revision: number) => void;
  /** What was read; nothing while it is on its way. */
  of: (path: string, revision: number) => Read | undefined;
}

/** Read each revision once. A server that is away is asked again: nothing is taken for a file without text. */
export function useReading(): Reading {
  const [read, setRead] = useState<ReadonlyMap<string, Read>>(new Map());
  const [turn, setTurn] = useState(0);
  const asked = useRef(new Set<string>());
  const want = (path: string, revision: number) => {
    const key = keyOf(path, revision);
    if (asked.current.has(key)) return;
    asked.current.add(key);
    const keep = (one: Read) => setRead((was) => new Map(was).set(key, one));
    ask<Evolution>("get_evolution", { path, revision }).then(
      (found) => keep({ content: textOf(found), revision: found.revisions?.[0] }),
      (error: unknown) => {
        const problem = asProblem(error);
        if (!problem.passes) return keep({ content: null, problem });
        asked.current.delete(key);
        setTimeout(() => setTurn((was) => was + 1), AGAIN_MS);
      },
    );
  };
  return { turn, want, of: (path, revision) => read.get(keyOf(path, revision)) };
}

/** The text of a revision; `null` if it has none. */
export function textOf(found: Evolution): string | null {
  return found.encoding === "utf-8" ? (found.content ?? "") : null;
}

function keyOf(path: string, revision: number): string {
  return `${revision} ${path}`;
}
