// A client made of nothing but the exported contract: it finds the tools there, checks what it
// sends and what comes back against their schemas, and knows the errors by the codes that are listed.
// Usage: NODE_MODULES CONTRACT COMMAND ARGUMENT...
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [modules, path, command, ...rest] = process.argv.slice(2);
const Ajv = createRequire(`${modules}/`)("ajv/dist/2020.js").default;
const contract = JSON.parse(readFileSync(path, "utf8"));
const ajv = new Ajv({ strict: false, validateFormats: false });
const tools = new Map(
  contract.operations.map((one) => [
    one.name,
    { takes: ajv.compile(one.inputSchema), gives: ajv.compile(one.mcpOutputSchema) },
  ]),
);
const errors = new Set(contract.errors.map((one) => `${one.code} ${one.http_status} ${one.rpc_code}`));
const seen = { hash: contract.hash, called: [], refused: [], wrong: [] };

const server = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
let last = 0;

async function ask(method, params) {
  last += 1;
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`);
  for (;;) {
    const answer = JSON.parse((await lines.next()).value);
    if (answer.id === last) return answer;
  }
}

async function call(name, args = {}, expected = true) {
  const tool = tools.get(name);
  if (!tool) throw new Error(`the contract has no ${name}`);
  if (tool.takes(args) !== expected) seen.wrong.push([name, "takes", tool.takes.errors]);
  const { result, error } = await ask("tools/call", { name, arguments: args });
  const content = result?.structuredContent ?? { error: error.data };
  if (content.error) {
    const { code, http_status, rpc_code } = content.error;
    if (!errors.has(`${code} ${http_status} ${rpc_code}`)) seen.wrong.push([name, "error", code]);
    seen.refused.push(code);
  } else {
    if (!tool.gives(content)) seen.wrong.push([name, "gives", tool.gives.errors]);
    seen.called.push(name);
  }
  return content;
}

await ask("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "from the schema", version: "1" },
});
server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);

await call("create_project", { id: "shop", name: "Shop" });
await call("list_projects");
const made = await call("create_record", { type: "task", title: "t", summary: "s", body: "b\n" });
await call("activate", { id: made.record.id });
await call("update_record", { id: made.record.id, body: "other\n" });
await call("list_records", { limit: 1 });
await call("search_records", { query: "other" });
await call("get_record_history", { id: made.record.id });
await call("get_project_overview");
const saved = await call("workflow_checkpoint_save", { context: { n: 1 } });
await call("workflow_checkpoint_load", { checkpointId: saved.checkpointId });
const decision = { title: "Cache", target: "parser", rationale: "It was measured, twice." };
await call("record_decision", decision);
await call("search_decisions", { query: "cache" });
await call("file_op", { action: "create", path: "a.txt", content: "one\n" });
await call("get_timeline", { session_id: made.session_id });
const thread = await call("entity_create", { type: "messageThread", data: { turns: [] } });
await call("thread_append", {
  thread_id: thread.entity.id,
  sender: "user",
  partials: [{ type: "text", payload: { content: "Hello" } }],
});
await call("search", { query: "cache" });
await call("get_project", { id: "nowhere" });
await call("record_decision", decision);
await call("list_records", { depth: "deep" }, false);

server.stdin.end();
process.stdout.write(`${JSON.stringify(seen)}\n`);
