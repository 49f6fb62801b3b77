// Which records are selected to do one thing to all of them, and which one is being dragged.

import { signal } from "@preact/signals";

import { moveUnder } from "./onrecord";
import type { RecordRef } from "./shapes";

/** The ids that are ticked; `null` while nothing is being selected. */
export const selected = signal<ReadonlySet<string> | null>(null);
/** The record that is being dragged. */
export const dragged = signal<RecordRef | null>(null);
/** What was moved last, to be put back. */
export const moved = signal<{ record: RecordRef; to: RecordRef | null } | null>(null);

export function tick(id: string): void {
  const next = new Set(selected.value ?? []);
  if (!next.delete(id)) next.add(id);
  selected.value = next;
}

/** Let go of what is dragged over a record, or over no record. */
export async function drop(to: RecordRef | null): Promise<void> {
  const record = dragged.value;
  dragged.value = null;
  if (!record || record.id === to?.id || record.parent_id === (to?.id ?? null)) return;
  await moveUnder(record.id, to?.id ?? null);
  moved.value = { record, to };
}

/** Put what was moved last back where it was. */
export async function putBack(): Promise<void> {
  const last = moved.value;
  if (!last) return;
  await moveUnder(last.record.id, last.record.parent_id);
  moved.value = null;
}
