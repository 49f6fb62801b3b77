// The draft of an editor, from the first letter to the end of the editor.

import { useEffect, useRef, useState } from "preact/hooks";

import type { Draft } from "../drafts";
import { beforeEnd, dropDraft, editing, keepDraft, left } from "../keeping";
import type { FullRecord } from "../shapes";
import { store } from "../state";

const WRITE_MS = 300;

/** What an editor begins with. */
export interface Start {
  /** The version that changes are made to. */
  base: FullRecord;
  /** What was typed before, if one goes on with it. */
  draft: Draft | null;
  /** The draft's own, or what it is going to be. */
  id: string;
  project: string;
  /** Lets go of the draft, so that another tab can have it. */
  release: () => void;
}

interface Keeping {
  isKept: boolean;
  /** Keep it no longer: it was saved, or thrown away. */
  drop: () => void;
}

/** Keep what is typed: soon after each change, at the latest when the editor or the page ends. */
export function useKeeping(start: Start, make: (() => Draft) | null, changes: unknown[]): Keeping {
  const [isKept, setKept] = useState(true);
  const latest = useRef(make);
  latest.current = make;
  const state = useRef({ isWritten: true, isOver: false, timer: 0 }).current;

  const write = () => {
    clearTimeout(state.timer);
    state.timer = 0;
    if (state.isWritten || state.isOver) return;
    state.isWritten = true;
    const draft = latest.current?.();
    if (draft) setKept(keepDraft(draft));
    else dropDraft(blank(start));
  };
  useEffect(() => {
    if (!state.timer) state.timer = setTimeout(write, WRITE_MS);
    state.isWritten = false;
  }, changes);
  useEffect(() => {
    editing.value = start.id;
    left.value = null;
    const stop = beforeEnd(write);
    return () => {
      write();
      stop();
      editing.value = null;
      if (!state.isOver) left.value = latest.current?.() ?? null;
      start.release();
    };
  }, []);
  const drop = () => {
    state.isOver = true;
    clearTimeout(state.timer);
    dropDraft(blank(start));
  };
  return { isKept, drop };
}

/** A draft in which nothing was typed yet. */
export function blank(start: Start): Draft {
  const { id, version, title } = start.base;
  const known = { id: start.id, store: store.peek() ?? "", project: start.project, record: id };
  return { ...known, title, base: version, typed: {}, at: 0 };
}
