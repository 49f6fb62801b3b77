import assert from "node:assert/strict";
import test from "node:test";

import { clashing, changing, decide, forget, nameOf, overtaken, placesOf, UNDECIDED } from "../src/deciding";
import type { BackStep, WentBack } from "../src/shapes";

const HUNK = { line: 3, base: "b\n", mine: "m\n", theirs: "t\n" };
const CLASH: BackStep = {
  path: "a.py",
  action: "clash",
  now: "1",
  sides: ["mine", "theirs", "both"],
  hunks: [HUNK, { ...HUNK, line: 9 }],
};

function plan(...files: BackStep[]): WentBack {
  return { preview: true, counts: {}, files };
}

test("each hunk is a place to decide, with the sides that can be had", () => {
  const places = placesOf(CLASH);

  assert.deepEqual(
    places.map((one) => one.title),
    ["a.py, line 3", "a.py, line 9"],
  );
  assert.deepEqual(places[0]?.sides, ["mine", "theirs", "both"]);
});

test("a file that clashes as a whole is one place", () => {
  const [place] = placesOf({ path: "a.py", action: "clash", sides: ["mine"] });

  assert.deepEqual([place?.title, place?.sides, place?.mine], ["a.py", ["mine"], null]);
});

test("what is decided later goes on from what was decided before", () => {
  const first = decide(UNDECIDED, CLASH, ["mine", "both"]);
  const second = decide(first, CLASH, ["theirs"]);

  assert.deepEqual(second, { take: { "a.py": ["mine", "both", "theirs"] }, expected: { "a.py": "1" } });
  assert.deepEqual(forget(second, ["a.py"]), UNDECIDED);
});

test("a file that was changed since it was decided is found", () => {
  const decided = decide(UNDECIDED, CLASH, ["mine", "mine"]);

  assert.deepEqual(overtaken(plan({ ...CLASH, now: "2" }), decided), ["a.py"]);
  assert.deepEqual(overtaken(plan(CLASH), decided), []);
});

test("files that change are told from those that are left", () => {
  const files = plan(CLASH, { path: "b", action: "edit" }, { path: "c", action: "none" });

  assert.deepEqual(
    [changing(files), clashing(files)].map((some) => some.map((one) => one.path)),
    [["b"], ["a.py"]],
  );
});

test("whoever is nobody Hansard knows is called so", () => {
  assert.equal(nameOf("agent:builder"), "builder");
  assert.equal(nameOf("outside"), "somebody outside Hansard");
});
