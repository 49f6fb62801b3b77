// Proving to be a person: asked for when something needs it, and then done again.

import { effect, signal } from "@preact/signals";

import { type Asking, post, Problem } from "./api";
import type { Index } from "./shapes";
import { index } from "./state";

/** Whether the page asks for the secret. */
export const isProving = signal(false);

/** Send the secret; a server whose store knows it remembers this browser, and the page keeps nothing. */
export async function prove(secret: string): Promise<void> {
  const who = await post<Pick<Index, "actor" | "proof">>("prove", {}, { secret });
  if (index.value) index.value = { ...index.value, ...who };
  given = secret;
  isProving.value = false;
}

/** Do something; if only the secret is lacking, ask for it and do it again with it. */
export async function asPerson<T>(work: (asking: Asking) => Promise<T>): Promise<T> {
  try {
    return await work({});
  } catch (error) {
    if (!(error instanceof Problem) || error.details.needs !== "secret") throw error;
    given = null;
    isProving.value = true;
    await closed();
    if (given === null) throw error;
    const secret: string = given;
    given = null;
    return work({ secret });
  }
}

/** The secret that was right, until what asked for it has it. */
let given: string | null = null;

function closed(): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!isProving.value) queueMicrotask(() => (stop(), resolve()));
    });
  });
}
