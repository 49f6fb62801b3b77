// Two changes of one record: what goes together goes, the rest is asked, and only what was chosen is sent.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Texts, Typed } from "../src/fields";
import { bodyOf, carried, type Choices, isAnswered, isDecided, merging, resolved } from "../src/merging";
import type { Conflict, Hunk } from "../src/shapes";

const BASE: Texts = {
  title: "t",
  summary: "s",
  body: "one\ntwo\nthree\n",
  related: "R001, R002",
  cites: "",
  metadata: '{"a": 1, "b": 2}',
};

const conflict = (hunks?: Hunk[]) => ({ merge: { clean: false, ...(hunks && { hunks }) } }) as Conflict;

function decide(typed: Typed, stored: Partial<Texts>, hunks?: Hunk[]) {
  const theirs = { ...BASE, ...stored };
  const merged = merging(conflict(hunks), BASE, typed, theirs);
  return { merged, write: (choices: Choices) => resolved(merged, choices, BASE, typed, theirs) };
}

const all = (merged: ReturnType<typeof merging>, take: "mine" | "theirs" | "both"): Choices =>
  Object.fromEntries(merged.questions.map((one) => [one.key, { take }]));

test("fields that only one side changed are no question, and theirs are not sent", () => {
  const { merged, write } = decide({ title: "T" }, { body: "theirs", summary: "S" });
  assert.deepEqual(merged.questions, []);
  assert.ok(isDecided(merged, {}));
  assert.deepEqual(write({}), { title: "T" });
});

test("a field that both changed is asked, and nothing is chosen by itself", () => {
  const { merged, write } = decide({ summary: "mine" }, { summary: "theirs" });
  assert.equal(isDecided(merged, {}), false);
  assert.deepEqual(write(all(merged, "mine")), { summary: "mine" });
  assert.deepEqual(write(all(merged, "theirs")), {});
  assert.deepEqual(write(all(merged, "both")), { summary: "mine / theirs" });
  const [question] = merged.questions;
  assert.deepEqual(write({ [question!.key]: { take: "hand", text: "new" } }), { summary: "new" });
});

test("what both changed alike is no question", () => {
  const { merged, write } = decide({ title: "T", body: "same" }, { title: "T", body: "same" });
  assert.deepEqual([merged.questions, write({})], [[], {}]);
});

const HUNKS: Hunk[] = [
  { kind: "mine", base: [1, 1], mine: [1, 1], theirs: [1, 1] },
  { kind: "clash", base: [2, 1], mine: [2, 1], theirs: [2, 2] },
  { kind: "theirs", base: [3, 1], mine: [3, 1], theirs: [4, 1] },
];
const MINE = "ONE\nmine\nthree\n";
const THEIRS = "one\ntheirs\nmore\nTHREE\n";

test("of a body only the lines that clash are asked", () => {
  const { merged, write } = decide({ body: MINE }, { body: THEIRS }, HUNKS);
  assert.equal(merged.questions.length, 1);
  assert.deepEqual(merged.questions[0]!.lines, [2, 1]);
  assert.deepEqual(write(all(merged, "mine")), { body: "ONE\nmine\nTHREE\n" });
  assert.deepEqual(write(all(merged, "theirs")), { body: "ONE\ntheirs\nmore\nTHREE\n" });
  assert.deepEqual(write(all(merged, "both")), { body: "ONE\nmine\ntheirs\nmore\nTHREE\n" });
});

test("lines without an end are put under each other all the same", () => {
  const whole: Hunk[] = [{ kind: "clash", base: [1, 1], mine: [1, 1], theirs: [1, 1] }];
  const { merged } = decide({ body: "mine" }, { body: "theirs" }, whole);
  assert.equal(bodyOf(merged, all(merged, "both")), "mine\ntheirs");
});

test("a body in too many pieces is asked as one", () => {
  const { merged, write } = decide({ body: MINE }, { body: THEIRS });
  assert.equal(merged.questions.length, 1);
  assert.deepEqual(write(all(merged, "mine")), { body: MINE });
  assert.deepEqual(write(all(merged, "theirs")), {});
});

test("lists take what either added and leave what either took away", () => {
  const { merged, write } = decide({ related: "R001, R003" }, { related: "R002, R004, R001" });
  assert.deepEqual(merged.questions, []);
  assert.deepEqual(write({}), { related: ["R004", "R001", "R003"] });
});

test("metadata is asked key by key", () => {
  const { merged, write } = decide(
    { metadata: '{"a": "mine", "c": 3}' },
    { metadata: '{"a": "theirs", "b": 2, "d": 4}' },
  );
  assert.deepEqual(
    merged.questions.map((one) => one.part),
    ["a"],
  );
  assert.deepEqual(write(all(merged, "mine")), { metadata: { a: "mine", b: null, c: 3 } });
  assert.deepEqual(write(all(merged, "theirs")), { metadata: { b: null, c: 3 } });
  assert.equal(isAnswered(merged.questions[0]!, all(merged, "both")), false);
});

test("a third change keeps the answers to questions that are still the same", () => {
  const typed = { summary: "mine", body: MINE };
  const first = decide(typed, { summary: "theirs", body: THEIRS }, HUNKS).merged;
  const choices = all(first, "both");
  const again = decide(typed, { summary: "theirs again", body: THEIRS }, HUNKS).merged;

  const left = carried(again, choices);

  assert.deepEqual(Object.keys(left), [again.questions.find((one) => one.field === "body")!.key]);
  assert.equal(isDecided(again, left), false);
});

test("two questions that look the same are answered each for itself", () => {
  const twice: Hunk[] = [
    { kind: "clash", base: [1, 1], mine: [1, 1], theirs: [1, 1] },
    { kind: "same", base: [2, 1], mine: [2, 1], theirs: [2, 1] },
    { kind: "clash", base: [3, 1], mine: [3, 1], theirs: [3, 1] },
  ];
  const [base, mine, theirs] = ["x\n-\nx\n", "m\n-\nm\n", "t\n-\nt\n"] as const;
  const merged = merging(conflict(twice), { ...BASE, body: base }, { body: mine }, { ...BASE, body: theirs });
  const [one, other] = merged.questions;
  assert.notEqual(one!.key, other!.key);
  assert.equal(
    bodyOf(merged, { [one!.key]: { take: "mine" }, [other!.key]: { take: "theirs" } }),
    "m\n-\nt\n",
  );
});

test("a title by hand is not empty, and metadata by hand is JSON", () => {
  const { merged } = decide({ title: "mine" }, { title: "theirs" });
  const [question] = merged.questions;
  assert.equal(isAnswered(question!, { [question!.key]: { take: "hand", text: "" } }), false);
  const keys = decide({ metadata: '{"a": 5}' }, { metadata: '{"a": 6, "b": 2}' }).merged;
  assert.equal(
    isAnswered(keys.questions[0]!, { [keys.questions[0]!.key]: { take: "hand", text: "{" } }),
    false,
  );
});
