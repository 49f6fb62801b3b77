// From revision to revision: every line is there once, and keeps its number while it lives.

import assert from "node:assert/strict";
import { test } from "node:test";

import { change, type Line, settle, still } from "../src/film";

const marks = (frame: Line[]) => frame.map((line) => `${line.mark} ${line.text}`);
const numbers = (frame: Line[]) => new Map(frame.map((line) => [line.text, line.id]));

test("what stays keeps its number", () => {
  const before = still("one\ntwo\nthree\n");
  const after = change(before, "one\nthree\nfour\n");
  assert.deepEqual(marks(after), ["same one", "removed two", "same three", "added four"]);
  assert.equal(numbers(after).get("three"), numbers(before).get("three"));
});

test("a line that went elsewhere is known again", () => {
  const before = still("first line\nsecond line\nthird line\n");
  const after = change(before, "second line\nthird line\nfirst line\n");
  assert.deepEqual(marks(after), ["same second line", "same third line", "moved first line"]);
  assert.equal(numbers(after).get("first line"), numbers(before).get("first line"));
});

test("a lone bracket is not taken for another one", () => {
  const after = change(still("{\nalpha\n"), "alpha\n{\n");
  assert.deepEqual(marks(after), ["removed {", "same alpha", "added {"]);
});

test("no number occurs twice, however often a line repeats", () => {
  let frame = still("same\nsame\nsame\n");
  for (const content of ["same\n", "same\nsame\nother\nsame\n", "", "same\nsame\n"]) {
    frame = change(settle(frame), content);
    assert.equal(new Set(frame.map((line) => line.id)).size, frame.length);
    assert.equal(
      settle(frame)
        .map((line) => `${line.text}\n`)
        .join(""),
      content,
    );
  }
});

test("settling forgets the marks and drops what was removed", () => {
  const settled = settle(change(still("old\n"), "new\n"));
  assert.deepEqual(marks(settled), ["same new"]);
});
