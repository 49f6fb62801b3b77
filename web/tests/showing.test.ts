import assert from "node:assert/strict";
import { test } from "node:test";

import { hostsOf } from "../src/connecting";
import { cutAt } from "../src/parts/cutting";
import { linesOf } from "../src/parts/lines";
import { bare, hue, initials, plain, who } from "../src/words";

test("words that were looked for are cut out, in whatever form and case", () => {
  assert.deepEqual(cutAt("Retry and retries, not aretry", "retr"), [
    "",
    "Retry",
    " and ",
    "retries",
    ", not aretry",
  ]);
  assert.deepEqual(cutAt("a.b (c)", ". ("), ["a.b (c)"]);
  assert.equal(cutAt("x[y]*z", "[y]*z").join(""), "x[y]*z");
});

test("a title is broken into lines that fit, and none of its words is lost before the last", () => {
  const title = "Allow two requests to a host when it answers within 100 ms";
  assert.equal(linesOf(title).join(" "), title);
  assert.ok(linesOf(title).every((line) => line.length <= 30));
  assert.equal(linesOf("word ".repeat(60).trim()).length, 4);
});

test("every host is given the address, and what is JSON is JSON", () => {
  for (const host of hostsOf("http://127.0.0.1:1/mcp")) {
    assert.ok(host.text.includes("http://127.0.0.1:1/mcp"), host.id);
    if (host.file?.endsWith(".json")) JSON.parse(host.text);
  }
});

test("somebody has the same letters and colour, proved or not", () => {
  assert.equal(initials("agent:claude-code"), "CC");
  assert.equal(initials("human:maria"), "MA");
  assert.equal(hue("agent:maria (unproved)", 8), hue("human:maria", 8));
  assert.equal(who("agent:maria (unproved)"), "maria (not proved)");
});

test("ids that people cannot read are left out of summaries", () => {
  assert.equal(
    plain("reviewer wrote 1 partials to the chat chatThread::Zz (now messageThread::Yy)"),
    "reviewer wrote 1 part to the chat",
  );
  assert.equal(plain("Run completed, 9 events (agentGraphExecution::Zz)"), "Run completed, 9 events");
  assert.equal(bare("`a` and **b**"), "a and b");
});
