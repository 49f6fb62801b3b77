// Proving to be a person: asked for when something needs it, and then done again.

import { effect, signal } from "@preact/signals";

import { post, Problem } from "./api";
import type { Index } from "./shapes";
import { index } from "./state";

/** Whether the page asks for the secret. */
export const isProving = signal(false);

/** Send the secret once; the server remembers this browser, and the page keeps nothing. */
export async function prove(secret: string): Promise<void> {
  const who = await post<Pick<Index, "actor" | "proof">>("prove", {}, { secret });
  if (index.value) index.value = { ...index.value, ...who };
  isProving.value = false;
}

/** Do something; if only the secret is lacking, ask for it and do it again. */
export async function asPerson<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.details.needs !== "secret") throw error;
    isProving.value = true;
    await closed();
    if (index.value?.proof === "missing") throw error;
    return work();
  }
}

function closed(): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!isProving.value) queueMicrotask(() => (stop(), resolve()));
    });
  });
}
