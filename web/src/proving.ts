// Proving to be a person: asked for when something needs it, and then done again.

import { signal } from "@preact/signals";

import { type Asking, post, Problem } from "./api";
import type { Index } from "./shapes";
import { index } from "./state";

/** Whether the page asks for the secret. */
export const isProving = signal(false);
/** What waits for it, if something does: told the right secret, or that none was given. */
let waiting: ((secret: string | null) => void) | null = null;

/** Send the secret; a server whose store knows it remembers this browser, and the page keeps nothing. */
export async function prove(secret: string): Promise<void> {
  const who = await post<Pick<Index, "actor" | "proof">>("prove", {}, { secret });
  if (index.value) index.value = { ...index.value, ...who };
  stopProving(secret);
}

/** Close what asks, and have go on what waits for it. */
export function stopProving(secret: string | null = null): void {
  isProving.value = false;
  waiting?.(secret);
  waiting = null;
}

/** Do something; if only the secret is lacking, ask for it and do it again with it. */
export async function asPerson<T>(work: (asking: Asking) => Promise<T>): Promise<T> {
  try {
    return await work({});
  } catch (error) {
    if (!(error instanceof Problem) || error.details.needs !== "secret") throw error;
    const secret = await askForSecret();
    if (secret === null) throw error;
    return work({ secret });
  }
}

/** Ask for the secret before something that needs it is begun; refuse to go on without it. */
export async function askToProve(): Promise<void> {
  if ((await askForSecret()) !== null) return;
  throw new Problem("NOT_PROVED", "That is for people", "Enter the secret, which proves that you are one", 0);
}

function askForSecret(): Promise<string | null> {
  stopProving();
  isProving.value = true;
  return new Promise((resolve) => (waiting = resolve));
}
