// A rejection that can be taken back: it is held here for ten seconds, then sent. A page that goes away
// sends it at once, since whoever closes it has not taken it back.

import { signal } from "@preact/signals";

import { Problem, post } from "./api";
import { asProblem } from "./asking";
import { asPerson, askToProve } from "./proving";
import { act, index, ownSessionId, project } from "./state";

export const HOLD_MS = 10_000;

export interface Held {
  project: string;
  id: string;
  title: string;
  reason: string;
  /** When it is sent, in milliseconds. */
  until: number;
}

export const held = signal<Held | null>(null);
/** What became of the last one that was sent, if it was refused. */
export const failed = signal<Problem | null>(null);
let timer = 0;

/** Reject a proposal in ten seconds, unless it is taken back. Whoever must prove to be a person does so first. */
export async function hold(id: string, title: string, reason: string): Promise<void> {
  if (index.value?.proof === "missing") await askToProve();
  await sendHeld();
  failed.value = null;
  held.value = { project: project.value, id, title, reason, until: Date.now() + HOLD_MS };
  timer = setTimeout(() => void sendHeld(), HOLD_MS);
}

export function takeBack(): void {
  clearTimeout(timer);
  held.value = null;
}

/** Send what is held, if something is. */
export async function sendHeld(): Promise<void> {
  const one = held.value;
  takeBack();
  if (!one) return;
  const args = { proposal_id: one.id, reason: one.reason };
  try {
    await asPerson((asking) =>
      one.project === project.value
        ? act("reject_proposal", args, asking)
        : post("reject_proposal", { project_id: one.project, ...args }, asking),
    );
  } catch (error) {
    failed.value = asProblem(error);
  }
}

addEventListener("pagehide", () => {
  const one = held.value;
  takeBack();
  if (!one) return;
  const session = ownSessionId(one.project);
  const where = session ? { session_id: session } : { project_id: one.project };
  void post(
    "reject_proposal",
    { ...where, proposal_id: one.id, reason: one.reason },
    { outlives: true },
  ).catch(() => undefined);
});
