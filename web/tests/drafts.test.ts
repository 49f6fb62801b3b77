// What was typed is kept until it is dropped, each editor's for itself, and never silently let go.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CHARS_MAX, type Draft, Drafts, DRAFTS_MAX, type Shelf } from "../src/drafts";

function shelf(room = Infinity): Shelf & { kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get length() {
      return kept.size;
    },
    key: (place) => [...kept.keys()][place] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => {
      if (value.length > room) throw new Error("QuotaExceededError");
      kept.set(key, value);
    },
    removeItem: (key) => void kept.delete(key),
  };
}

function draft(changes: Partial<Draft> = {}): Draft {
  return {
    id: "a",
    store: "s1",
    project: "p",
    record: "R001",
    title: "t",
    base: 5,
    typed: { body: "typed" },
    at: 1,
    ...changes,
  };
}

const ids = (drafts: Draft[]) => drafts.map((one) => one.id);

test("a draft outlives the page it was typed in", () => {
  const place = shelf();
  assert.ok(new Drafts(place, "s1").put(draft()));
  assert.deepEqual(new Drafts(place, "s1").all(), [draft()]);
});

test("another store is not offered it", () => {
  const place = shelf();
  new Drafts(place, "s1").put(draft());
  assert.deepEqual(new Drafts(place, "s2").all(), []);
});

test("two editors of one record keep their drafts side by side, the latest first", () => {
  const place = shelf();
  new Drafts(place, "s1").put(draft({ id: "a", at: 1 }));
  new Drafts(place, "s1").put(draft({ id: "b", at: 2, typed: { title: "other" } }));
  new Drafts(place, "s1").put(draft({ id: "a", at: 3, typed: { body: "more" } }));
  const all = new Drafts(place, "s1").all();
  assert.deepEqual(ids(all), ["a", "b"]);
  assert.deepEqual(all[0]?.typed, { body: "more" });
});

test("one that there is no room for is held, told, and kept as soon as there is room", () => {
  const place = shelf();
  const drafts = new Drafts(place, "s1");
  for (let number = 0; number < DRAFTS_MAX; number += 1) drafts.put(draft({ id: `${number}`, at: number }));
  assert.equal(drafts.put(draft({ id: "last", at: 1_000 })), false);
  assert.deepEqual(ids(drafts.unkept()), ["last"]);
  assert.equal(drafts.all().length, DRAFTS_MAX + 1);

  drafts.drop(draft({ id: "0" }));

  assert.deepEqual(drafts.unkept(), []);
  assert.equal(new Drafts(place, "s1").all()[0]?.id, "last");
});

test("all drafts together have a size", () => {
  const drafts = new Drafts(shelf(), "s1");
  const long = "x".repeat(CHARS_MAX / 2);
  assert.ok(drafts.put(draft({ id: "a", typed: { body: long } })));
  assert.equal(drafts.put(draft({ id: "b", typed: { body: long } })), false);
  assert.ok(drafts.put(draft({ id: "a", typed: { body: `${long}.` } })));
});

test("a browser without room loses nothing while the page is open", () => {
  const drafts = new Drafts(shelf(10), "s1");
  assert.equal(drafts.put(draft()), false);
  assert.deepEqual(drafts.all(), [draft()]);
});

test("what is no draft is passed over and left alone", () => {
  const place = shelf();
  place.kept.set("hansard.draft.s1.p.R001.x", "{");
  place.kept.set("hansard.draft.s1.p.R001.y", '{"id": 1}');
  place.kept.set("hansard.theme", "dark");
  assert.deepEqual(new Drafts(place, "s1").all(), []);
  assert.equal(place.kept.size, 3);
});
