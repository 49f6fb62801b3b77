// Where the timeline's entries come from, and which plan step each belongs to.

import { type Fetch, Pages } from "../parts/pages";
import type { Timeline, TimelineItem } from "../shapes";
import { ask } from "../state";
import { plain } from "../words";

const FIRST_PAGE = 100;
const PAGE = 1_000;
export const BUDGET_TOKENS = 1_000_000;
/** How many entries back the step of one without is looked for. */
const LOOKED_MAX = 40;

/** A row of either list. */
export interface Row extends TimelineItem {
  /** The title of its session, where entries of many are listed. */
  about?: string | undefined;
}

export interface Filtered {
  session: string;
  /** Which end the list begins at. */
  order: Order;
  kind: string;
  actor: string;
  path: string;
}

export type Order = "oldest" | "newest";

/** Read a session's timeline, or without one that of the whole project, page by page. */
export function entriesOf({ session, order, kind, actor, path }: Filtered): Fetch<Row> {
  return async (cursor, signal) => {
    const found = await ask<Timeline>(
      "get_timeline",
      {
        ...(session ? { session_id: session } : { all_sessions: true }),
        oldest_first: order === "oldest" || undefined,
        limit: cursor ? PAGE : FIRST_PAGE,
        cursor,
        budget_tokens: BUDGET_TOKENS,
        kinds: kind ? [kind] : undefined,
        actor: actor || undefined,
        path: path || undefined,
      },
      { signal },
    );
    const titles = found.sessions ?? {};
    const rows = found.timeline.map((one) => ({ ...one, about: titles[one.session_id ?? ""] }));
    return {
      rows,
      next: found.nextCursor,
      left: session || order === "oldest" ? undefined : leftAfter(rows),
    };
  };
}

/** Guess how many rows there are before the oldest of some, if they lie as close as these do. */
function leftAfter(rows: readonly Row[]): number | undefined {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return undefined;
  const oldest = last.first_seq ?? last.seq;
  return Math.round((rows.length * oldest) / (first.seq - oldest + 1));
}

export function stepKey(row: Row): string {
  return row.index === undefined ? "" : `${row.plan_revision ?? 1}.${row.index}`;
}

export interface StepOf {
  key: string;
  index: number;
}

/** Whether an entry is the first in sight of its plan step: what is under the step follows. */
export function beginsStep(pages: Pages<Row>, place: number, order: Order): boolean {
  const step = stepAt(pages, place, order);
  return step !== null && (place === 0 || stepAt(pages, place - 1, order)?.key !== step.key);
}

/** The plan step during which an entry happened: its own, or that of the entry before it in time. */
export function stepAt(pages: Pages<Row>, place: number, order: Order): StepOf | null {
  const older = order === "oldest" ? -1 : 1;
  for (let looked = 0; looked < LOOKED_MAX; looked += 1) {
    const row = pages.row(place + older * looked);
    if (!row || row.kind === "plan_step") return null;
    if (row.index !== undefined) return { key: stepKey(row), index: row.index };
  }
  return null;
}

/** An entry in words, without what its columns say already. */
export function said(row: Row): string {
  if (row.kind === "plan_step" && row.step) return `Step ${(row.index ?? 0) + 1}: ${row.step}`;
  const text = row.content ?? row.summary;
  return row.path ? text.replace(/ \(\+\d+ -\d+\)$/, "") : plain(text);
}
