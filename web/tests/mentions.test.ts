import assert from "node:assert/strict";
import { test } from "node:test";

import { maySayPath, mentions } from "../src/parts/mentions";

const FILES = new Set(["src/a.py", "README.md"]);
const refs = (text: string) =>
  mentions(text, (path) => FILES.has(path))
    .filter((one) => one.ref)
    .map((one) => one.ref);

test("records, decisions, proposals and entries are found by how they are written", () => {
  assert.deepEqual(refs("See R007, D003 and P001; it was s:52."), ["R007", "D003", "P001", "s:52"]);
});

test("a path is a mention only where such a file is recorded", () => {
  assert.deepEqual(refs("in src/a.py and src/b.py, path:docs/x.md"), ["path:src/a.py", "path:docs/x.md"]);
});

test("what only looks like an id inside a longer word or address is left alone", () => {
  assert.deepEqual(refs("XR007 R007x https://a.b/R007 R00 class:52 -R007 R007/x"), []);
});

test("the pieces are the whole text again", () => {
  for (const text of ["", "R007", "a R007", "R007 b", "s:1s:2", "é R007\n\nD001."]) {
    const pieces = mentions(text, () => false);
    assert.equal(pieces.map((one) => one.text).join(""), text);
  }
});

test("only what may say a path has the files asked for", () => {
  assert.equal(maySayPath("no path here"), false);
  assert.equal(maySayPath("see src/a.py"), true);
});
