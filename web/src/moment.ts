// The moment that the page shows: now, or as of an entry that the address names.

import { computed } from "@preact/signals";

import type { Arguments } from "./api";
import { head } from "./head";
import { route } from "./route";

/** In the place of a point in time: as of what is shown, which is the newest entry unless one looks back. */
export const NOW = "now";
/** In the place of a point in time: as things are, also while one looks back. */
export const PRESENT = "present";

/** The point that is looked at, as operations take it; empty is now. */
export const moment = computed(() => route.value.query.as_of ?? "");

/** What can be asked of the past. */
const TIMED = new Set([
  "activate",
  "entity_get",
  "get_decision",
  "get_evolution",
  "get_project_overview",
  "get_recent_activity",
  "get_record_body",
  "get_record_ref",
  "get_timeline",
  "list_records",
]);

/** Ask of the moment that is looked at, unless the question names another. */
export function inTime(operation: string, args: Arguments): Arguments {
  const { as_of: asked, ...rest } = args;
  if (asked === PRESENT) return rest;
  if (asked === NOW) return { ...rest, as_of: moment.peek() || `s:${head.peek()}` };
  return asked === undefined && moment.peek() && TIMED.has(operation)
    ? { ...rest, as_of: moment.peek() }
    : args;
}
