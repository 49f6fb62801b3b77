// The drafts of this browser as the page shows them, and the ends of a page at which none is lost.

import { effect, signal } from "@preact/signals";

import { type Draft, Drafts, type Shelf } from "./drafts";
import { store } from "./state";

/** Drafts of the store we look at, the latest first. */
export const drafts = signal<readonly Draft[]>([]);
/** The draft of an editor that was just left. */
export const left = signal<Draft | null>(null);
/** A draft that was just thrown away, and can be brought back. */
export const thrown = signal<Draft | null>(null);
/** The draft that is being typed in right now, on this page. */
export const editing = signal<string | null>(null);

const NOWHERE: Shelf = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem: () => {
    throw new Error("this browser keeps nothing");
  },
  removeItem: () => undefined,
};

let box: Drafts | null = null;
const unwritten = new Set<() => void>();

/** Keep a draft; `false` if it would be gone with this page. */
export function keepDraft(draft: Draft): boolean {
  const isKept = box?.put(draft) ?? false;
  refresh();
  return isKept;
}

export function dropDraft(draft: Draft): void {
  box?.drop(draft);
  if (left.value?.id === draft.id) left.value = null;
  refresh();
}

/** Throw a draft away, so that it can still be brought back for a while. */
export function throwDraft(draft: Draft): void {
  dropDraft(draft);
  thrown.value = draft;
}

export function bringBack(draft: Draft): void {
  thrown.value = null;
  keepDraft(draft);
}

/** Do this before the page goes, or is put out of sight. Gives what takes it back. */
export function beforeEnd(write: () => void): () => void {
  unwritten.add(write);
  return () => unwritten.delete(write);
}

function refresh(): void {
  drafts.value = box?.all() ?? [];
}

function writeAll(): void {
  for (const write of unwritten) write();
}

function shelf(): Shelf {
  try {
    return localStorage;
  } catch {
    return NOWHERE;
  }
}

const LOCK = "hansard.draft.";

/** Have a draft to oneself until released; `null` if another tab has it. */
export async function claim(id: string): Promise<(() => void) | null> {
  const locks = navigator.locks as LockManager | undefined;
  // Without locks, tabs cannot be told apart; two that go on with one draft then share it.
  if (!locks) return () => undefined;
  return new Promise((settle) => {
    void locks.request(LOCK + id, { ifAvailable: true }, (lock) => {
      if (!lock) {
        settle(null);
        return undefined;
      }
      return new Promise<void>((release) => settle(release));
    });
  });
}

/** The drafts that some tab has open, this one among them. */
export async function claimed(): Promise<Set<string>> {
  const locks = navigator.locks as LockManager | undefined;
  const held = (await locks?.query())?.held ?? [];
  return new Set(held.map((lock) => (lock.name ?? "").slice(LOCK.length)));
}

effect(() => {
  if (box?.store === store.value) return;
  box = store.value ? new Drafts(shelf(), store.value) : null;
  refresh();
});
addEventListener("storage", (event) => {
  if (box?.isOf(event.key)) refresh();
});
addEventListener("pagehide", writeAll);
addEventListener("visibilitychange", () => document.hidden && writeAll());
addEventListener("beforeunload", (event) => {
  writeAll();
  // Only what this browser has no room for would be lost.
  if (box?.unkept().length) event.preventDefault();
});
