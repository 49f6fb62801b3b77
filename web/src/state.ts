// What the whole page shares: where we are, how fresh it is, and how it looks.

import { computed, effect, signal } from "@preact/signals";

import { type Arguments, type Asking, Problem, post } from "./api";
import { wrote } from "./head";
import { inTime, moment } from "./moment";
import { route } from "./route";
import type { Index } from "./shapes";

export type Connection = "connecting" | "live" | "lost";
export type Theme = "auto" | "light" | "dark";

export const index = signal<Index | null>(null);
/** Why the page cannot begin, if it cannot. */
export const shut = signal<Problem | null>(null);
export const connection = signal<Connection>("connecting");
export { head, settledHead } from "./head";

/** Which store this is; `null` while that is not known. */
export const store = signal<string | null>(null);
/** How often the server was lost and found again: what could not be asked is asked then. */
export const returned = signal(0);

export const project = computed(() => route.value.project || index.value?.project || "");

export function knows(operation: string): boolean {
  return index.value?.operations.includes(operation) ?? false;
}

/** Ask about the project we look at. */
export function ask<T>(operation: string, args: Arguments, asking?: Asking): Promise<T> {
  return post<T>(operation, { project_id: project.value, ...inTime(operation, args) }, asking);
}

const GONE = new Set(["SESSION_CLOSED", "SESSION_NOT_FOUND"]);

/** Do something under the person's own session, which begins with the first thing they do. */
export async function act<T>(operation: string, args: Arguments, asking?: Asking): Promise<T> {
  const here = project.value;
  if (moment.value)
    throw new Problem(
      "IN_THE_PAST",
      "You look at the past, where nothing can be changed",
      "Go back to now first",
      0,
    );
  const once = async () => {
    const answer = await post<T>(operation, { session_id: await ownSession(here), ...args }, asking);
    if (project.value === here) wrote(answer);
    return answer;
  };
  try {
    return await once();
  } catch (error) {
    if (!(error instanceof Problem) || !GONE.has(error.code)) throw error;
    keep(sessionKey(here), "");
    return once();
  }
}

/** Give the session of this browser in a project: the same for as long as it stays open. */
async function ownSession(here: string): Promise<string> {
  const known = kept(sessionKey(here));
  if (known) return known;
  const id = await beginSession(here);
  keep(sessionKey(here), id);
  return id;
}

/** A chosen id is looked for in the server's own project; one that the server makes says of which it is. */
async function beginSession(here: string): Promise<string> {
  const title = "On the page";
  if (here !== index.value?.project) {
    const begun = await post<{ session_id?: string }>("record_session_start", { project_id: here, title });
    if (begun.session_id) return begun.session_id;
  }
  const id = `page.${noise()}`;
  await post("record_session_start", { project_id: here, session_id: id, title });
  return id;
}

/** The session of this browser in a project, if it has begun one. */
export function ownSessionId(here: string): string | null {
  return kept(sessionKey(here));
}

function sessionKey(here: string): string {
  return `hansard.session.${here}`;
}

export function noise(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

const THEME_KEY = "hansard.theme";
export const theme = signal<Theme>((kept(THEME_KEY) as Theme) ?? "auto");
effect(() => {
  document.documentElement.dataset.theme = theme.value;
  keep(THEME_KEY, theme.value);
});

/** Remember something on this machine; a browser that forbids it only forgets. */
export function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Private windows may refuse.
  }
}

export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
