// Scenes of a session: what is told, in which step, and how a long one is cut.

import assert from "node:assert/strict";
import { test } from "node:test";

import { lastsMs, SCENES_MAX, scenesOf } from "../src/movie";
import type { TimelineItem } from "../src/shapes";

let seqs = 0;

function item(kind: string, more: Partial<TimelineItem> = {}): TimelineItem {
  seqs += 1;
  return { seq: seqs, at: "2026-01-01T00:00:00Z", actor: "agent:a", kind, summary: kind, ...more };
}

function edit(path: string, revision: number, index = 0): TimelineItem {
  return item("file_edit", { path, revision, index, status: "done", added: 2, removed: 1 });
}

test("captions come between pictures and keep the last one in sight", () => {
  const scenes = scenesOf([
    item("plan_step", { index: 0, step: "Measure" }),
    item("step_begun", { index: 0 }),
    edit("a.py", 1),
    item("audit_event", { index: 0, content: "It is the lexer" }),
    item("activation"),
    edit("b.py", 4),
  ]);

  assert.deepEqual(
    scenes.map((one) => [one.caption, one.picture?.path, one.picture?.revision, one.isChange]),
    [
      ["Measure", undefined, undefined, false],
      ["Edits a.py", "a.py", 1, true],
      ["It is the lexer", "a.py", 1, false],
      ["Edits b.py", "b.py", 4, true],
    ],
  );
  assert.ok(scenes.every((one) => one.step === "Measure" && one.number === 1));
});

test("what was not done to a file is no picture", () => {
  const scenes = scenesOf([
    edit("a.py", 1),
    item("file_edit", { path: "a.py", status: "failed" }),
    item("file_refused", { path: "b.py" }),
  ]);

  assert.deepEqual(
    scenes.map((one) => one.isChange),
    [true, false, false],
  );
  assert.equal(scenes.at(-1)?.picture?.path, "a.py");
});

test("in a long session changes of a file in a row are one scene, and none of their lines is lost", () => {
  const long = [
    ...Array.from({ length: SCENES_MAX }, (_, place) => edit("a.py", place + 1)),
    item("audit_event", { index: 0, content: "Done" }),
    edit("a.py", SCENES_MAX + 1),
  ];

  const scenes = scenesOf(long);

  assert.deepEqual(
    scenes.map((one) => [one.picture?.revision, one.added]),
    [
      [SCENES_MAX, 2 * SCENES_MAX],
      [SCENES_MAX, 0],
      [SCENES_MAX + 1, 2],
    ],
  );
});

test("a session of any length has no more scenes than one sits through, and ends as it ended", () => {
  const long = Array.from({ length: 3_000 }, (_, place) => edit(`${place % 700}.py`, place + 1));

  const scenes = scenesOf(long);

  assert.equal(scenes.length, SCENES_MAX);
  assert.equal(scenes.at(-1)?.seq, long.at(-1)?.seq);
});

test("a long note stays longer than a change", () => {
  const [change, note] = scenesOf([edit("a.py", 1), item("audit_event", { content: "word ".repeat(15) })]);

  assert.ok(change && note && lastsMs(note, 100) > lastsMs(change, 100));
});
