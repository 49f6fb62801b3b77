// A difference, line by line: what is gone has its old number, all else its new one.

import assert from "node:assert/strict";
import { test } from "node:test";

import { numbered } from "../src/parts/Diff";

const told = (text: string) => numbered(text).map(({ line, number }) => `${number ?? ""}|${line}`);

test("lines are numbered from their place on", () => {
  assert.deepEqual(told("@@ -11,3 +21,3 @@ def f\n one\n-two\n+three\n four\n"), [
    "|@@ -11,3 +21,3 @@ def f",
    "21| one",
    "12|-two",
    "22|+three",
    "23| four",
  ]);
});

test("before the first place there is no number, and a line of dashes is no heading after it", () => {
  const found = numbered("--- a\n+++ b\n@@ -1 +1 @@\n--- gone\n+++ there\n\\ No newline at end of file\n");
  assert.deepEqual(
    found.map((one) => one.look),
    ["is-head", "is-head", "is-place", "is-removed", "is-added", ""],
  );
  assert.deepEqual(
    found.map((one) => one.number),
    [undefined, undefined, undefined, 1, 1, undefined],
  );
});
