// What a tool was asked and what it answered, as the place a view opens at and as an answer that is
// there already.

import type { Arguments } from "../src/api";
import type { Place } from "../src/route";

export interface Given {
  tool: string;
  input: Arguments;
  answer: Record<string, unknown>;
}

/** What makes two questions the same; how much of an answer is wanted does not. */
const ASKED: Record<string, string[]> = {
  get_timeline: ["session_id", "oldest_first", "kinds", "actor", "path", "cursor"],
  get_evolution: ["path", "revision", "from", "to", "cursor"],
  search_decisions: ["query", "mode"],
};

const DEFAULTS: Arguments = { mode: "balanced" };

export function isSame(given: Given, operation: string, args: Arguments): boolean {
  return operation === given.tool && key(operation, args) === key(operation, firstPage(given));
}

function key(operation: string, args: Arguments): string {
  const asked = { ...(operation === "search_decisions" ? DEFAULTS : {}), ...args };
  return JSON.stringify((ASKED[operation] ?? []).map((name) => asked[name] ?? null));
}

/** Whether it asks for some kinds of the entries that came: as many of them as there are is better than none. */
export function isWithin(given: Given, operation: string, args: Arguments): boolean {
  const { kinds, ...rest } = args;
  return (
    operation === "get_timeline" &&
    Array.isArray(kinds) &&
    isSame(given, operation, { ...rest, ...asIn(given) })
  );
}

/** The same end of the same list: where entries are sought by kind, their order does not matter. */
function asIn({ input }: Given): Arguments {
  return { kinds: input.kinds, oldest_first: input.oldest_first, actor: input.actor, path: input.path };
}

export function part({ answer }: Given, args: Arguments): Record<string, unknown> {
  const kinds = args.kinds as string[];
  const entries = (answer.timeline ?? []) as { kind: string }[];
  return { ...answer, timeline: entries.filter((one) => kinds.includes(one.kind)), nextCursor: undefined };
}

/** What was asked, as if what came were the first page: a view goes on from there. */
function firstPage({ tool, input, answer }: Given): Arguments {
  const { cursor: _, ...rest } = input;
  return tool === "get_timeline" ? { ...rest, session_id: answer.session_id } : rest;
}

/** Find where to open. */
export function placeOf({ tool, input, answer }: Given): Place {
  if (tool === "search_decisions")
    return { view: "decisions", query: texts({ q: input.query, mode: input.mode }) };
  if (tool === "get_evolution")
    return { view: "evolution", query: texts({ path: answer.path, revision: input.revision ?? input.to }) };
  const kinds =
    Array.isArray(input.kinds) && input.kinds.length === 1 ? (input.kinds[0] as unknown) : undefined;
  return {
    view: "timeline",
    query: texts({
      session: answer.session_id,
      order: input.oldest_first ? "oldest" : "newest",
      kind: kinds,
      actor: input.actor,
      path: input.path,
    }),
  };
}

function texts(query: Record<string, unknown>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  );
}
