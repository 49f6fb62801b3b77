// How a file gets from one revision to the next, as frames of lines. A line keeps its number while it
// lives, so that what draws the frames can let it move to its new place.

import { diffArrays } from "diff";

export type Mark = "same" | "added" | "removed" | "moved";

export interface Line {
  id: number;
  text: string;
  mark: Mark;
  /** Its place in the revision it is of: the new one, or for what is removed the old one. */
  place: number;
}

let numbers = 0;

export function split(content: string): string[] {
  const lines = content.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The first frame: everything is just there. */
export function still(content: string): Line[] {
  return split(content).map((text, place) => ({ id: numbers++, text, mark: "same", place }));
}

/** Drop what was removed and forget what was new. */
export function settle(frame: readonly Line[]): Line[] {
  return frame.filter((line) => line.mark !== "removed").map((line) => ({ ...line, mark: "same" }));
}

/** Show a settled frame becoming new content: removed lines are still there, marked. */
export function change(before: readonly Line[], content: string): Line[] {
  const frame: Line[] = [];
  let old = 0;
  let place = 0;
  for (const part of diffArrays(
    before.map((line) => line.text),
    split(content),
  )) {
    for (const text of part.value) {
      if (part.added) {
        frame.push({ id: numbers++, text, mark: "added", place: place++ });
      } else {
        const line = before[old] as Line;
        frame.push(
          part.removed ? { ...line, mark: "removed", place: old } : { ...line, mark: "same", place: place++ },
        );
        old += 1;
      }
    }
  }
  return follow(frame);
}

/** Know a line again that went elsewhere: it moves instead of vanishing here and appearing there. */
function follow(frame: readonly Line[]): Line[] {
  const gone = new Map<string, Line[]>();
  for (const line of frame) {
    if (line.mark === "removed" && isTelling(line.text))
      gone.set(line.text, [...(gone.get(line.text) ?? []), line]);
  }
  const moved = new Set<number>();
  const followed = frame.map((line): Line => {
    const from = line.mark === "added" ? gone.get(line.text)?.shift() : undefined;
    if (!from) return line;
    moved.add(from.id);
    return { ...line, id: from.id, mark: "moved" };
  });
  return followed.filter((line) => line.mark !== "removed" || !moved.has(line.id));
}

/** Whether a line says enough to be known again: a lone bracket could be any. */
function isTelling(text: string): boolean {
  return /\w{2,}/.test(text);
}
