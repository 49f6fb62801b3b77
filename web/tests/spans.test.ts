// A run's events as spans, and what was recorded of tokens and money.

import assert from "node:assert/strict";
import { test } from "node:test";

import { type Happening, lasting, spansOf, spentInAll, spentOf } from "../src/spans";

function told(...events: Partial<Happening>[]): Happening[] {
  return events.map((one, index) => ({
    index,
    type: "",
    at: new Date(1_000 * index).toISOString(),
    ...one,
  }));
}

test("a node works from its beginning to its end, each time anew", () => {
  const spans = spansOf(
    told(
      { type: "nodeStarted", nodeId: "a", input: 1 },
      { type: "nodeFailed", nodeId: "a", error: "no" },
      { type: "nodeStarted", nodeId: "a", input: 2 },
      { type: "edgeTaken", edgeId: "e" },
      { type: "nodeCompleted", nodeId: "a", output: 3 },
    ),
    9_000,
  );

  assert.deepEqual(
    spans.map((one) => [one.startMs, one.endMs, one.status, one.input, one.output ?? one.error]),
    [
      [0, 1_000, "failed", 1, "no"],
      [2_000, 4_000, "done", 2, 3],
    ],
  );
});

test("what has not ended lasts until now, what was never begun is an instant", () => {
  const spans = spansOf(
    told({ type: "nodeStarted", nodeId: "a" }, { type: "nodeCompleted", nodeId: "b" }),
    9_000,
  );

  assert.deepEqual(
    spans.map((one) => [one.node, one.startMs, one.endMs, one.status]),
    [
      ["a", 0, 9_000, "running"],
      ["b", 1_000, 1_000, "done"],
    ],
  );
});

test("tokens and cost are found by the names that providers use, and not made up", () => {
  assert.deepEqual(spentOf({ usage: { input_tokens: 3, output_tokens: 4 }, cost: 0.5 }), {
    tokens: 7,
    cost: 0.5,
  });
  assert.deepEqual(spentOf({ usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }), {
    tokens: 3,
  });
  assert.deepEqual(spentOf({ tokens: "many" }), {});
  assert.deepEqual(spentOf([1]), {});
  assert.deepEqual(spentInAll(spansOf(told({ type: "nodeCompleted", nodeId: "a", output: {} }), 0)), {});
});

test("a span of time is said as people say it", () => {
  assert.deepEqual([40, 1_500, 42_000, 190_000, 3_780_000].map(lasting), [
    "40 ms",
    "1.5 s",
    "42 s",
    "3 min 10 s",
    "1 h 3 min",
  ]);
});
