// Keys that work everywhere: `g` and a letter, `/`, `?` and the palette's.

import { signal } from "@preact/signals";

import { go } from "../route";
import { knows } from "../state";
import { PLACES } from "./places";

export const paletteOpen = signal(false);
export const helpOpen = signal(false);

const PREFIX_MS = 1_200;
/** When `g` was pressed last. Times begin with the page, so none is not nought. */
let prefixed = Number.NEGATIVE_INFINITY;

export function listen(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      paletteOpen.value = !paletteOpen.value;
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    if (event.key === "/") {
      event.preventDefault();
      paletteOpen.value = true;
    } else if (event.key === "?") {
      helpOpen.value = true;
    } else if (event.key === "g") {
      prefixed = event.timeStamp;
    } else if (event.timeStamp - prefixed < PREFIX_MS) {
      prefixed = Number.NEGATIVE_INFINITY;
      const place = PLACES.find((one) => one.key === event.key && (!one.needs || knows(one.needs)));
      if (place) go({ view: place.view });
    }
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

export function isTyping(event: Event): boolean {
  const target = event.target;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
