// Doing something to a record: it is taken up first, as whoever writes does, and laid aside after.

import type { Arguments } from "./api";
import { laidAside, layAside } from "./saving";
import type { State } from "./shapes";
import { act } from "./state";

/** Do something that needs records to be active, those that are named. */
export async function holding<T>(ids: (string | null | undefined)[], work: () => Promise<T>): Promise<T> {
  const needed = new Set(ids.filter((id): id is string => !!id));
  const held: string[] = [];
  try {
    for (const id of needed) {
      await laidAside(id);
      await act("activate", { id, override: true });
      held.push(id);
    }
    return await work();
  } finally {
    await Promise.all(held.map(layAside));
  }
}

/** Put a record under another one, or at the top. */
export async function moveUnder(id: string, parent: string | null): Promise<void> {
  await holding([id, parent], () => act("move_record", { id, parent_id: parent }));
}

export async function changeState(id: string, state: State, with_: Arguments): Promise<void> {
  await holding([id], () => act("transition", { id, to_state: state, ...with_ }));
}

export interface NewRecord {
  type: string;
  title: string;
  summary: string;
  body: string;
  parent_id: string | null;
  related?: string[];
}

/** Write a record; the same key writes it once, however often it is sent. Gives its id. */
export async function createRecord(made: NewRecord, key: string): Promise<string> {
  const { record } = await holding([made.parent_id], () =>
    act<{ record: { id: string } }>("create_record", { ...made }, { key }),
  );
  await layAside(record.id);
  return record.id;
}
