// What has to be decided before files go back, and what was.

import type { BackStep, Side, WentBack } from "./shapes";

/** What was decided of files that clash, hunk by hunk, and what each held as that was decided. */
export interface Decided {
  take: Record<string, Side[]>;
  expected: Record<string, string>;
}

export const UNDECIDED: Decided = { take: {}, expected: {} };

/** Add what was decided of a file to what was decided of it before. */
export function decide(decided: Decided, step: BackStep, sides: Side[]): Decided {
  const before = decided.take[step.path] ?? [];
  return {
    take: { ...decided.take, [step.path]: [...before, ...sides] },
    expected: step.now ? { ...decided.expected, [step.path]: step.now } : decided.expected,
  };
}

/** Forget what was decided of some files. */
export function forget(decided: Decided, paths: readonly string[]): Decided {
  const left = <T>(all: Record<string, T>) =>
    Object.fromEntries(Object.entries(all).filter(([path]) => !paths.includes(path)));
  return { take: left(decided.take), expected: left(decided.expected) };
}

/** Name the files that somebody changed after it was decided what becomes of them. */
export function overtaken(plan: WentBack, decided: Decided): string[] {
  return plan.files
    .filter(({ action, path, now }) => action === "clash" && path in decided.take && now !== undefined)
    .filter(({ path, now }) => decided.expected[path] !== now)
    .map(({ path }) => path);
}

/** What files held as it was shown what would become of them. */
export function seenIn(plan: WentBack): Record<string, string> {
  return Object.fromEntries(changing(plan).flatMap(({ path, now }) => (now ? [[path, now]] : [])));
}

export function changing(plan: WentBack): BackStep[] {
  return plan.files.filter(({ action }) => !["none", "skip", "clash"].includes(action));
}

export function clashing(plan: WentBack): BackStep[] {
  return plan.files.filter(({ action }) => action === "clash");
}

/** A place of a file that has to be decided. */
export interface Place {
  id: string;
  title: string;
  sides: Side[];
  /** As it is now, as it was before, and as what is undone had left it. */
  mine: string | null;
  theirs: string | null;
  base: string | null;
}

/** Lay out what has to be decided of a file: its hunks, or the file as a whole. */
export function placesOf(step: BackStep): Place[] {
  const sides = step.sides ?? ["mine", "theirs"];
  const whole = { id: `${step.path}@`, title: step.path, sides, mine: null, theirs: null, base: null };
  return (
    step.hunks?.map((hunk, number) => ({
      id: `${step.path}@${number}`,
      title: `${step.path}, line ${hunk.line}`,
      sides,
      mine: hunk.mine,
      theirs: hunk.theirs,
      base: hunk.base,
    })) ?? [whole]
  );
}

/** Name an author within a sentence. */
export function nameOf(by: string): string {
  return by === "outside" ? "somebody outside Hansard" : by.replace(/^\w+:/, "");
}
