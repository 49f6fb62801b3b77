// Connects with the TypeScript SDK, lists the tools, calls some, reads a resource, and prints what
// it saw as one JSON object. Usage: legacy|auto URL, or legacy|auto COMMAND ARGUMENT...
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [mode, target, ...rest] = process.argv.slice(2);
const transport = target.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args: rest, env: process.env });
const client = new Client(
  { name: "typescript", version: "1.0.0" },
  { versionNegotiation: { mode } },
);

await client.connect(transport);
const { tools } = await client.listTools();
const called = await client.callTool({ name: "list_projects", arguments: {} });
const refused = await client.callTool({ name: "get_project", arguments: { id: "nowhere" } });
const unknown = await client
  .callTool({ name: "nonsense", arguments: {} })
  .then(() => null, (error) => ({ code: error.code, data: error.data }));
const read = await client.readResource({ uri: "hansard://activity" });
const seen = {
  version: client.getNegotiatedProtocolVersion(),
  instructions: client.getInstructions(),
  tools: tools.map((tool) => tool.name),
  called,
  refused,
  unknown,
  read,
};
await client.close();
process.stdout.write(`${JSON.stringify(seen)}\n`);
