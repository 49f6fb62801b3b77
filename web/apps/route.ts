// Addresses inside a host. A view there has no address of its own, so where one is is only remembered.

import { href, type Place, read, type Route, route } from "../src/route";

export { href, type Place, read, type Route, route };

const past: Route[] = [];

export function go(place: Place): void {
  follow(href(place));
}

/** Go where a link leads. */
export function follow(address: string): void {
  past.push(route.value);
  route.value = read(address);
}

/** Go back to where one was; `false` if one is at the beginning. */
export function back(): boolean {
  const before = past.pop();
  if (before) route.value = before;
  return before !== undefined;
}

export function hasPast(): boolean {
  return past.length > 0;
}

export function refine(changes: Record<string, string | number | undefined>): void {
  const { project, view, id, query } = route.value;
  route.value = read(href({ project, view, id, query: { ...query, ...changes } }));
}
