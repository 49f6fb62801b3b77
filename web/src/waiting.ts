// What waits for a person: proposals that nobody has accepted or rejected. Newest last.

import { signal } from "@preact/signals";

import type { ActivityList } from "./shapes";

/** The ids of the proposals that wait; `null` while that is not known. */
export const waiting = signal<readonly string[] | null>(null);

export const WAITING_KINDS = ["proposal_made", "proposal_accepted", "proposal_rejected"];
export const WAITING_LIMIT = 500;

/** Which proposals are left of all that was said about them. Pure. */
export function stillWaiting({ activity }: Pick<ActivityList, "activity">): string[] {
  const settled = new Set<string>();
  const open: string[] = [];
  // Newest first: whatever was settled is met before it was made.
  for (const { type, record_id: id, summary } of activity) {
    const proposal = id?.startsWith("P") ? id : /\bP\d+\b/.exec(summary)?.[0];
    if (!proposal) continue;
    if (type !== "proposal_made") settled.add(proposal);
    else if (!settled.has(proposal) && !open.includes(proposal)) open.unshift(proposal);
  }
  return open;
}
