// The fields of a record that a person can change: as text to type, and as update_record takes them.

import type { FullRecord } from "./shapes";

export const FIELDS = ["title", "summary", "body", "related", "cites", "metadata"] as const;
export type Field = (typeof FIELDS)[number];
export type Texts = Record<Field, string>;
export type Typed = Partial<Texts>;
export type Json = Record<string, unknown>;

/** What update_record is given: fields that are not there are left as they are. */
export type Update = Partial<{
  title: string;
  summary: string;
  body: string;
  related: string[];
  cites: string[];
  metadata: Json;
}>;

export const NAMES: Record<string, string> = {
  title: "title",
  summary: "summary",
  body: "body",
  related: "related records",
  cites: "citations",
  metadata: "metadata",
  state: "state",
  parent_id: "place in the tree",
  reason: "reason",
  resolved_by: "what resolves it",
};

export function textsOf(record: FullRecord): Texts {
  return {
    title: record.title,
    summary: record.summary,
    body: record.body,
    related: (record.related ?? []).join(", "),
    cites: (record.cites ?? []).join(", "),
    metadata: pretty(record.metadata ?? {}),
  };
}

/** What was typed that differs from what one began with. */
export function touched(base: Texts, texts: Texts): Typed {
  const typed: Typed = {};
  for (const field of FIELDS) if (texts[field] !== base[field]) typed[field] = texts[field];
  return typed;
}

export function isEmpty(typed: Typed): boolean {
  return Object.keys(typed).length === 0;
}

/** Say what to send for what was typed; nothing that was not typed. */
export function updateOf(base: Texts, typed: Typed): Update {
  const update: Update = {};
  for (const field of ["title", "summary", "body"] as const) {
    const text = typed[field];
    if (text !== undefined) update[field] = text;
  }
  for (const field of ["related", "cites"] as const) {
    const text = typed[field];
    if (text !== undefined) update[field] = listed(text);
  }
  if (typed.metadata !== undefined) update.metadata = patch(parsed(base.metadata), parsed(typed.metadata));
  return update;
}

/** The keys to set and, as null, those to take away: update_record merges metadata by key. */
function patch(was: Json, now: Json): Json {
  const changed: Json = {};
  for (const key of Object.keys(was)) if (!(key in now)) changed[key] = null;
  for (const [key, value] of Object.entries(now)) if (!isSame(was[key], value)) changed[key] = value;
  return changed;
}

export function listed(text: string): string[] {
  return text.split(/[\s,]+/).filter((one) => one);
}

/** Read metadata as typed; throws a sentence for the person who typed it. */
export function parsed(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() || "{}");
  } catch {
    throw new Error("This is not JSON yet: keys and texts stand in double quotes");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("Metadata is an object: it begins with { and ends with }");
  return value as Json;
}

export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** Name fields as people do: `the title`, `the title and the body`. */
export function named(fields: readonly string[]): string {
  const names = fields.map((field) => `the ${NAMES[field] ?? field}`);
  const last = names.pop();
  return names.length ? `${names.join(", ")} and ${last}` : (last ?? "nothing");
}

/** A text as a text box holds it, which knows one kind of line end. */
export function boxed(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Take what a text box holds for a change of the text it was given, and leave the line ends of all
    that was not changed as they were. One change at a time: between its first and its last character. */
export function unboxed(was: string, box: string): string {
  if (!was.includes("\r")) return box;
  const shown = boxed(was);
  const shorter = Math.min(shown.length, box.length);
  let start = 0;
  while (start < shorter && shown[start] === box[start]) start += 1;
  let end = 0;
  while (end < shorter - start && shown[shown.length - 1 - end] === box[box.length - 1 - end]) end += 1;
  const added = box.slice(start, box.length - end);
  const places = placesIn(was, start, shown.length - end);
  const lineEnd = was.includes("\r\n") ? "\r\n" : "\r";
  return [was.slice(0, places[0]), added.replaceAll("\n", lineEnd), was.slice(places[1])].reduce(joined, "");
}

/** Put two texts together; two line ends that meet stay two. */
function joined(first: string, second: string): string {
  return first.endsWith("\r") && second.startsWith("\n") ? `${first}\n${second}` : first + second;
}

/** Find where two places of a boxed text are in the text itself. */
function placesIn(text: string, first: number, second: number): [number, number] {
  let shown = 0;
  let place = 0;
  let found = first === 0 ? 0 : -1;
  while (shown < second) {
    place += text.startsWith("\r\n", place) ? 2 : 1;
    shown += 1;
    if (shown === first) found = place;
  }
  return [found, place];
}
