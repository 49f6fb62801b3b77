// How far a session is in its plan, and what it did last, from what its timeline tells.

import type { TimelineItem } from "./shapes";

export interface PlanStep {
  title: string;
  status: "planned" | "begun" | "over";
}

/** The steps of the newest plan. The timeline is newest first. */
export function planOf(timeline: readonly TimelineItem[]): PlanStep[] {
  const revision = Math.max(0, ...timeline.map((item) => item.plan_revision ?? 0));
  const told = timeline.filter((item) => item.plan_revision === revision);
  const moves = told.filter((item) => item.kind !== "plan_step");
  return told
    .filter((item) => item.kind === "plan_step")
    .sort((one, other) => (one.index ?? 0) - (other.index ?? 0))
    .map((item) => ({ title: item.step ?? "", status: statusOf(item.index ?? 0, moves) }));
}

/** A step is over once it was ended, or another was begun after it. */
function statusOf(index: number, moves: readonly TimelineItem[]): PlanStep["status"] {
  const begun = moves.find((item) => item.kind === "step_begun" && item.index === index);
  const ended = moves.find((item) => item.kind === "step_ended" && item.index === index);
  if (!begun) return ended ? "over" : "planned";
  const isLeft = moves.some((item) => item.kind === "step_begun" && item.seq > begun.seq);
  return isLeft || (ended && ended.seq > begun.seq) ? "over" : "begun";
}

/** The change that is in the picture: the newest that was made. */
export function changeOf(timeline: readonly TimelineItem[]): TimelineItem | undefined {
  return timeline.find((item) => item.path && item.revision);
}

/** A question that nobody has been told the answer of: the last word that was said. */
export function questionOf(timeline: readonly TimelineItem[]): TimelineItem | undefined {
  const said = timeline.find((item) => item.kind === "audit_event");
  return said?.title === "question" ? said : undefined;
}
