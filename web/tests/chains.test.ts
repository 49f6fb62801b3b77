// Chains of decisions: each begins at the left, nothing lies upon another.

import assert from "node:assert/strict";
import { test } from "node:test";

import { layChains } from "../src/parts/chains";

const box = (id: string, width = 100) => ({ id, width, height: 50 });
const arrow = (from: string, to: string) => ({ from, to });

test("each chain is a row that begins at the left, and columns are in line", () => {
  const { places } = layChains(
    [box("a", 80), box("b", 120), box("c"), box("d")],
    [arrow("a", "b"), arrow("c", "d")],
    false,
  );
  assert.deepEqual([places.get("a")?.x, places.get("c")?.x], [0, 0]);
  assert.equal(places.get("a")?.y, places.get("b")?.y);
  assert.equal(places.get("b")?.x, places.get("d")?.x);
  assert.ok((places.get("c")?.y ?? 0) > (places.get("a")?.y ?? 0));
});

test("where it is narrow, each is below the one before it, and further in", () => {
  const { places, width } = layChains([box("a"), box("b"), box("c")], [arrow("a", "b")], true);
  const [a, b, c] = ["a", "b", "c"].map((id) => places.get(id) as { x: number; y: number });
  assert.ok(a && b && c && a.y < b.y && b.y < c.y && a.x < b.x && c.x === 0);
  assert.ok(width < 200);
});

test("two that replace one, and one that replaces two, lie apart; a circle ends", () => {
  const boxes = ["a", "b", "c", "d"].map((id) => box(id));
  const { places } = layChains(
    boxes,
    [arrow("a", "b"), arrow("a", "c"), arrow("b", "d"), arrow("c", "d")],
    false,
  );
  assert.equal(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size, 4);
  assert.equal(layChains(boxes, [arrow("a", "b"), arrow("b", "a")], false).places.size, 4);
});
