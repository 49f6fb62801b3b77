// What a person begins to write: said from anywhere, asked for by a dialog of the frame.

import { signal } from "@preact/signals";

export type Writing =
  | { what: "record"; parent?: string }
  | { what: "decision"; replaces?: string[] }
  | { what: "note"; about?: string };

export const writing = signal<Writing | null>(null);
