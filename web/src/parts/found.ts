// Where a thing that was found, or cited, is shown.

import type { Place } from "../route";
import type { Thing } from "../shapes";

export function placeOf(thing: Pick<Thing, "kind" | "id" | "session" | "line">): Place {
  switch (thing.kind) {
    case "record":
      return { view: "records", id: thing.id };
    case "decision":
      return { view: "decisions", id: thing.id };
    case "file":
      return { view: "evolution", query: { path: thing.id.replace(/^path:/, ""), line: thing.line } };
    case "checkpoint":
      return { view: "checkpoints", id: thing.session, query: { checkpoint: thing.id } };
    case "entity":
      return { view: "entities", query: { id: thing.id } };
    default:
      return { view: "timeline", query: { session: thing.session, seq: thing.id.replace(/^s:/, "") } };
  }
}

/** Find out what a reference such as `R001`, `path:src/a.py` or `s:12` names; `null` if we cannot show it. */
export function placeOfRef(ref: string): Place | null {
  if (/^R\d+$/.test(ref)) return placeOf({ kind: "record", id: ref });
  if (/^[DP]\d+$/.test(ref)) return placeOf({ kind: "decision", id: ref });
  if (ref.startsWith("path:")) return placeOf({ kind: "file", id: ref });
  if (/^s:\d+$/.test(ref)) return placeOf({ kind: "timeline", id: ref });
  if (/^\w+::\w+$/.test(ref)) return placeOf({ kind: "entity", id: ref });
  return null;
}
