import assert from "node:assert/strict";
import { test } from "node:test";

import type { Activity } from "../src/shapes";
import { stillWaiting } from "../src/waiting";

const told = (...entries: [type: string, id: string, summary: string][]) => ({
  activity: entries.map(([type, record_id, summary], place): Activity => ({
    seq: 100 - place,
    timestamp: "",
    type,
    record_id,
    summary,
  })),
});

test("what was made and neither accepted nor rejected waits, the oldest first", () => {
  const activity = told(
    ["proposal_made", "P003", "P003 proposed on a: b"],
    ["proposal_rejected", "P002", "P002 rejected"],
    ["proposal_made", "P002", "P002 proposed on a: b"],
    ["proposal_made", "P001", "P001 proposed on a: b"],
  );

  assert.deepEqual(stillWaiting(activity), ["P001", "P003"]);
});

test("an accepted one is known by its summary, since the entry is about the decision it became", () => {
  const activity = told(
    ["proposal_accepted", "D007", "P001 accepted as D007: P002 is over"],
    ["proposal_made", "P002", "P002 proposed on a: b"],
    ["proposal_made", "P001", "P001 proposed on a: b"],
  );

  assert.deepEqual(stillWaiting(activity), ["P002"]);
});
