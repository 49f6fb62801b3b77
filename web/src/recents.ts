// What was looked at last in a project, so that one can go back to it by a few keys.

import { effect } from "@preact/signals";

import { placeOfRef } from "./parts/found";
import { type Route, route } from "./route";
import { keep, kept, project } from "./state";

const RECENTS_MAX = 6;

/** What an address shows, as references are written; `null` if it is none that has one. */
export function refOfRoute({ view, id, query }: Pick<Route, "view" | "id" | "query">): string | null {
  const ref = view === "evolution" && query.path ? `path:${query.path}` : id;
  const place = ref ? placeOfRef(ref) : null;
  return place && (place.view === view || view === "review") ? ref : null;
}

/** The references that were looked at last in this project, the latest first. */
export function recents(): string[] {
  try {
    const found: unknown = JSON.parse(kept(place()) ?? "[]");
    return Array.isArray(found) ? found.filter((one): one is string => typeof one === "string") : [];
  } catch {
    return [];
  }
}

function place(): string {
  return `hansard.recents.${project.peek()}`;
}

/** Remember from now on what is looked at. */
export function remember(): void {
  effect(() => {
    const ref = project.value ? refOfRoute(route.value) : null;
    if (!ref) return;
    const others = recents().filter((one) => one !== ref);
    keep(place(), JSON.stringify([ref, ...others].slice(0, RECENTS_MAX)));
  });
}
