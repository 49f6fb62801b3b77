// What was typed and is not saved yet. It is kept in this browser until it is saved or thrown away:
// over another click, a closed tab, a restart. Each editor has its own draft, so tabs do not meet.

import type { Typed } from "./fields";
import type { Choices } from "./merging";

export interface Draft {
  /** Of the editor it was typed in. */
  id: string;
  store: string;
  project: string;
  record: string;
  /** What the record was called, to name it by. */
  title: string;
  /** The version that the editor began with. */
  base: number;
  /** The fields that were changed, as typed. */
  typed: Typed;
  /** What was chosen in a merge, so far. */
  choices?: Choices;
  /** When it was last typed in, in milliseconds. */
  at: number;
}

export const DRAFTS_MAX = 100;
/** Browsers keep about five million characters for a site. */
export const CHARS_MAX = 4_500_000;

const PREFIX = "hansard.draft.";

/** The part of a browser's storage that drafts need. */
export type Shelf = Pick<Storage, "length" | "key" | "getItem" | "setItem" | "removeItem">;

/** Drafts of one store. What the shelf does not take is held until the page goes. */
export class Drafts {
  private readonly held = new Map<string, Draft>();
  private readonly prefix: string;

  constructor(
    private readonly shelf: Shelf,
    readonly store: string,
  ) {
    this.prefix = `${PREFIX}${store}.`;
  }

  /** All there are, the latest first. */
  all(): Draft[] {
    const found = new Map<string, Draft>();
    for (const key of this.keys(this.prefix)) {
      const draft = read(this.shelf.getItem(key));
      if (draft && this.keyOf(draft) === key) found.set(draft.id, draft);
    }
    for (const draft of this.held.values()) found.set(draft.id, draft);
    return [...found.values()].sort((one, other) => other.at - one.at);
  }

  /** Keep a draft in the place of its earlier form; `false` if it is held in this page only. */
  put(draft: Draft): boolean {
    const isKept = this.shelve(draft);
    if (isKept) this.held.delete(draft.id);
    else this.held.set(draft.id, draft);
    return isKept;
  }

  drop(draft: Draft): void {
    this.held.delete(draft.id);
    this.shelf.removeItem(this.keyOf(draft));
    // What had no room may have some now.
    for (const other of [...this.held.values()]) this.put(other);
  }

  /** Those that would be gone with the page. */
  unkept(): Draft[] {
    return [...this.held.values()];
  }

  isOf(key: string | null): boolean {
    return key === null || key.startsWith(this.prefix);
  }

  private shelve(draft: Draft): boolean {
    const key = this.keyOf(draft);
    const text = JSON.stringify(draft);
    const others = this.keys(PREFIX).filter((one) => one !== key);
    const used = others.reduce((sum, one) => sum + (this.shelf.getItem(one)?.length ?? 0), 0);
    if (others.length >= DRAFTS_MAX || used + text.length > CHARS_MAX) return false;
    try {
      this.shelf.setItem(key, text);
      return true;
    } catch {
      // The browser has no room, or forbids it.
      return false;
    }
  }

  private keyOf(draft: Draft): string {
    return `${this.prefix}${draft.project}.${draft.record}.${draft.id}`;
  }

  private keys(prefix: string): string[] {
    const found: string[] = [];
    for (let place = 0; place < this.shelf.length; place += 1) {
      const key = this.shelf.key(place);
      if (key?.startsWith(prefix)) found.push(key);
    }
    return found;
  }
}

function read(text: string | null): Draft | null {
  try {
    const draft = JSON.parse(text ?? "") as Draft;
    return typeof draft.id === "string" && typeof draft.typed === "object" && draft.typed ? draft : null;
  } catch {
    return null;
  }
}
