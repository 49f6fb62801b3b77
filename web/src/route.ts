// Addresses: `#/PROJECT/VIEW/ID?filter=…`. Whatever can be seen can be sent to somebody.

import { signal } from "@preact/signals";

export interface Route {
  project: string;
  view: string;
  id: string;
  query: Readonly<Record<string, string>>;
}

export interface Place {
  project?: string;
  view: string;
  id?: string;
  query?: Record<string, string | number | undefined>;
}

export function read(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [project = "", view = "", ...rest] = path.split("/").map(decoded);
  return {
    project,
    view: view || "overview",
    id: rest.join("/"),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

export function href(place: Place): string {
  const parts = [place.project ?? route.value.project, place.view, ...(place.id ? [place.id] : [])];
  const given = Object.entries({ ...kept(place), ...place.query }).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
}

/** Who looks at the past stays in it from view to view, until they go back or to another project. */
function kept(place: Place): Record<string, string | undefined> {
  const { project, query } = route.value;
  return (place.project ?? project) === project ? { as_of: query.as_of } : {};
}

export const route = signal<Route>(read(location.hash));

export function go(place: Place): void {
  location.hash = href(place);
}

/** Put a project into an address that names none, without a step in the browser's history. */
export function settle(project: string): void {
  const { view, id, query } = route.value;
  history.replaceState(null, "", href({ project, view, id, query }));
  route.value = read(location.hash);
}

/** Change the filters of the address without a step in the browser's history. */
export function refine(changes: Record<string, string | number | undefined>): void {
  const { project, view, id, query } = route.value;
  history.replaceState(null, "", href({ project, view, id, query: { ...query, ...changes } }));
  route.value = read(location.hash);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

addEventListener("hashchange", () => {
  route.value = read(location.hash);
});
