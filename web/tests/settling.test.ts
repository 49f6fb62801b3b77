// Under steady entries the page refreshes all the same; after a burst it does so once.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { settling } from "../src/settling";

const PACE = { quiet: 200, longest: 1_000 };

function running(work: (come: () => void, pass: (ms: number) => void, settled: () => number) => void): void {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  try {
    let times = 0;
    const come = settling(() => (times += 1), PACE);
    work(
      come,
      (ms) => mock.timers.tick(ms),
      () => times,
    );
  } finally {
    mock.timers.reset();
  }
}

test("a burst is settled once, when it is quiet again", () =>
  running((come, pass, settled) => {
    for (let turn = 0; turn < 5; turn += 1) {
      come();
      pass(100);
    }
    assert.equal(settled(), 0);
    pass(100);
    assert.equal(settled(), 1);
    pass(10_000);
    assert.equal(settled(), 1);
  }));

test("what comes without a pause is settled every second", () =>
  running((come, pass, settled) => {
    for (let turn = 0; turn < 100; turn += 1) {
      come();
      pass(50);
    }
    assert.ok(settled() >= 4, `settled ${settled()} times in five seconds`);
    assert.ok(settled() <= 6, `settled ${settled()} times in five seconds`);
  }));
