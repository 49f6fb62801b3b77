// A long list: every row can be seen, few are held, and none is asked for twice at a time.

import assert from "node:assert/strict";
import { test } from "node:test";

import { type Fetch, Pages } from "../src/parts/pages";

const SIZE = 10;

function list(length: number, asked: string[]): Fetch<number> {
  return async (cursor) => {
    asked.push(cursor ?? "start");
    const first = Number(cursor ?? 0);
    const rows = Array.from({ length: Math.min(SIZE, length - first) }, (_, place) => first + place);
    const next = first + SIZE < length ? String(first + SIZE) : undefined;
    return { rows, next, total: length };
  };
}

async function settled<T>(pages: Pages<T>, first: number, last: number): Promise<void> {
  pages.want(first, last);
  for (let turn = 0; turn < 2_000; turn += 1) await Promise.resolve();
}

test("the first page is read alone, and says how long the list is", async () => {
  const asked: string[] = [];
  const pages = new Pages(list(1_000, asked), () => undefined);
  await settled(pages, 0, 5);
  assert.deepEqual(asked, ["start"]);
  assert.equal(pages.length, 1_000);
  assert.equal(pages.row(3), 3);
});

test("the end is reached while little is held", async () => {
  const pages = new Pages(list(1_000, []), () => undefined);
  await settled(pages, 0, 0);
  await settled(pages, 990, 999);
  const held = Array.from({ length: 1_000 }, (_, place) => pages.row(place)).filter(
    (row) => row !== undefined,
  );
  assert.equal(pages.row(999), 999);
  assert.ok(held.length <= 130, `${held.length} rows are held`);
});

test("what was let go is read again by its own cursor", async () => {
  const asked: string[] = [];
  const pages = new Pages(list(1_000, asked), () => undefined);
  await settled(pages, 0, 0);
  await settled(pages, 990, 999);
  assert.equal(pages.row(100), undefined);
  asked.length = 0;
  await settled(pages, 100, 105);
  assert.deepEqual(asked, ["100"]);
  assert.equal(pages.row(105), 105);
});

test("an empty list has no rows", async () => {
  const pages = new Pages(list(0, []), () => undefined);
  await settled(pages, 0, 10);
  assert.equal(pages.length, 0);
});

test("a refusal is kept, and ends the list", async () => {
  const refused = new Error("no");
  const pages = new Pages<number>(
    () => Promise.reject(refused),
    () => undefined,
  );
  await settled(pages, 0, 0);
  assert.equal(pages.problem, refused);
});
