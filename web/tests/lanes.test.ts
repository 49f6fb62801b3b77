// How far a plan is, from a timeline that is told newest first.

import assert from "node:assert/strict";
import { test } from "node:test";

import { changeOf, planOf, questionOf } from "../src/lanes";
import type { TimelineItem } from "../src/shapes";

/** Tell items newest first, as the timeline does. */
function told(...items: Partial<TimelineItem>[]): TimelineItem[] {
  return items
    .map((one, place) => ({ seq: place + 1, at: "", actor: "", kind: "", summary: "", ...one }))
    .reverse();
}

const plan = (revision: number, ...steps: string[]) =>
  steps.map((step, index) => ({ kind: "plan_step", plan_revision: revision, index, step }));
const begun = (index: number, revision = 1) => ({ kind: "step_begun", plan_revision: revision, index });
const ended = (index: number) => ({ kind: "step_ended", plan_revision: 1, index });

test("a step that another followed is over, whether or not it was ended", () => {
  const steps = planOf(told(...plan(1, "a", "b", "c"), begun(0), begun(1)));

  assert.deepEqual(
    steps.map((one) => [one.title, one.status]),
    [
      ["a", "over"],
      ["b", "begun"],
      ["c", "planned"],
    ],
  );
});

test("a step that was ended is over, until it is begun again", () => {
  assert.equal(planOf(told(...plan(1, "a"), begun(0), ended(0)))[0]?.status, "over");
  assert.equal(planOf(told(...plan(1, "a"), begun(0), ended(0), begun(0)))[0]?.status, "begun");
});

test("only the newest plan counts", () => {
  const steps = planOf(told(...plan(1, "old"), begun(0), ...plan(2, "new", "newer"), begun(1, 2)));

  assert.deepEqual(
    steps.map((one) => [one.title, one.status]),
    [
      ["new", "planned"],
      ["newer", "begun"],
    ],
  );
});

test("a question waits only while it is the last word", () => {
  const question = { kind: "audit_event", title: "question", content: "May I?" };

  assert.equal(questionOf(told({ kind: "file_edit" }, question))?.content, "May I?");
  assert.equal(questionOf(told(question, { kind: "audit_event", title: "note" })), undefined);
});

test("what was refused is not in the picture", () => {
  const made = { kind: "file_edit", path: "a", revision: 2 };

  assert.equal(changeOf(told(made, { kind: "file_refused", path: "b" }))?.path, "a");
});
