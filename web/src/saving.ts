// Writing what was typed: over an answer that got lost, a session that ended, and what others wrote.

import { type Arguments, Problem } from "./api";
import type { Update } from "./fields";
import type { RecordUpdated } from "./shapes";
import { act, noise } from "./state";

/** One attempt to write, which is done once however often it is made. */
export interface Attempt {
  args: Arguments;
  key: string;
}

/** Merge with what others wrote where that goes; write over the version that was shown; or only ask. */
export type Decision = { accept: "merge" } | { force: true; force_version: number } | Record<string, never>;

export function attempt(id: string, base: number, update: Update, decision: Decision): Attempt {
  return { args: { id, ...update, base_version: base, ...decision }, key: `page.${noise()}` };
}

export async function make(attempted: Attempt): Promise<RecordUpdated> {
  try {
    return await act<RecordUpdated>("update_record", attempted.args, { key: attempted.key });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "NOT_ACTIVATED") throw error;
    // The session that had it active has ended. What one began with is said by the version.
    await act("activate", { id: attempted.args.id, override: true });
    return act<RecordUpdated>("update_record", attempted.args, { key: attempted.key });
  }
}

const aside = new Map<string, Promise<unknown>>();

/** Let others see that one is no longer at it. If that fails, they see it once the page is closed. */
export function layAside(id: string): Promise<unknown> {
  const laid = act("deactivate", { id }).catch(() => undefined);
  aside.set(id, laid);
  return laid;
}

/** Wait until a record is laid aside, if it is being: whoever takes it up again would lose it otherwise. */
export async function laidAside(id: string): Promise<void> {
  await aside.get(id);
  aside.delete(id);
}
