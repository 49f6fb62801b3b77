// What was typed becomes what is sent: only that, and with every line end as it was.

import assert from "node:assert/strict";
import { test } from "node:test";

import { boxed, isSame, named, parsed, type Texts, touched, unboxed, updateOf } from "../src/fields";

const BASE: Texts = {
  title: "t",
  summary: "s",
  body: "b",
  related: "R001, R002",
  cites: "",
  metadata: '{"a": 1, "b": 2}',
};

test("what was not typed is not sent", () => {
  assert.deepEqual(updateOf(BASE, touched(BASE, { ...BASE })), {});
  assert.deepEqual(updateOf(BASE, touched(BASE, { ...BASE, title: "T" })), { title: "T" });
});

test("lists are sent whole, metadata by key, a key that is gone as null", () => {
  const texts = { ...BASE, related: "R001 R003", metadata: '{"b": 3, "c": {"d": []}}' };
  assert.deepEqual(updateOf(BASE, touched(BASE, texts)), {
    related: ["R001", "R003"],
    metadata: { a: null, b: 3, c: { d: [] } },
  });
});

test("metadata that is no object of JSON is refused with a sentence", () => {
  for (const text of ["{", "[]", "1", "null", "{'a': 1}"]) assert.throws(() => parsed(text), /\w+ \w+/);
});

test("the order of keys does not matter, the kind of a value does", () => {
  assert.ok(isSame({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }));
  assert.ok(!isSame([1, 2], [2, 1]));
  assert.ok(!isSame("1", 1));
});

test("fields are named as people do", () => {
  assert.equal(named(["body"]), "the body");
  assert.equal(named(["title", "summary", "related"]), "the title, the summary and the related records");
});

test("a text box changes no line end that one did not touch", () => {
  const was = "one\r\ntwo\nthree\rfour\r\n";
  assert.equal(unboxed(was, boxed(was)), was);
  assert.equal(unboxed(was, "one\ntwo!\nthree\nfour\n"), "one\r\ntwo!\nthree\rfour\r\n");
  assert.equal(unboxed(was, "one\ntwo\nthree\nfour\nfive\n"), "one\r\ntwo\nthree\rfour\r\nfive\r\n");
  assert.equal(unboxed(was, ""), "");
  assert.equal(unboxed("plain\n", "plain\nmore\n"), "plain\nmore\n");
});

test("any one change of any text leaves the rest alone", () => {
  const ends = ["\n", "\r\n", "\r", "x", "é", "😀"];
  const number = (() => {
    let seed = 7;
    return (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
  })();
  for (let turn = 0; turn < 5_000; turn += 1) {
    const was = Array.from({ length: number(12) }, () => ends[number(ends.length)]).join("");
    const box = boxed(was);
    const [first, second] = [number(box.length + 1), number(box.length + 1)].sort((a, b) => a - b) as [
      number,
      number,
    ];
    const now = box.slice(0, first) + ["new", "", "\n", "a\nb"][number(4)] + box.slice(second);
    assert.equal(boxed(unboxed(was, now)), now);
  }
});
