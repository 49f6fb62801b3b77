// The host around the view, as MCP Apps has it: JSON-RPC by postMessage with the window above.

export interface ToolResult {
  content?: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
  isError?: boolean;
}

export interface HostContext {
  theme?: "light" | "dark";
  styles?: { variables?: Record<string, string | undefined> };
  displayMode?: "inline" | "fullscreen" | "pip";
  containerDimensions?: { height?: number; maxHeight?: number };
}

/** What the host tells of by itself. */
export interface Listening {
  onInput: (input: Record<string, unknown>) => void;
  onResult: (result: ToolResult) => void;
  onCancelled: (reason: string) => void;
  onContext: (context: HostContext) => void;
}

interface Message {
  jsonrpc: "2.0";
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

interface Begun {
  hostCapabilities?: { serverTools?: object };
  hostContext?: HostContext;
}

/** A refusal by the host or by the server behind it. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly data: unknown,
  ) {
    super(message);
  }
}

const PROTOCOL = "2026-01-26";
const METHOD_NOT_FOUND = -32601;

interface Waiting {
  done: (result: unknown) => void;
  failed: (error: Error) => void;
}

const waiting = new Map<number, Waiting>();
let asked = 0;
let begun: Begun = {};

/** Whether this host lets a view call the server's tools. */
export function mayCall(): boolean {
  return begun.hostCapabilities?.serverTools !== undefined;
}

/** Greet the host, and hear from it from then on. */
export async function greet(name: string, listening: Listening): Promise<void> {
  addEventListener("message", (event: MessageEvent<unknown>) => {
    // Only the window above us is the host.
    if (event.source === parent && isMessage(event.data)) heard(event.data, listening);
  });
  begun = (await request("ui/initialize", {
    protocolVersion: PROTOCOL,
    appInfo: { name: `hansard-${name}`, version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  })) as Begun;
  listening.onContext(begun.hostContext ?? {});
  send({ jsonrpc: "2.0", method: "ui/notifications/initialized", params: {} });
}

export async function callTool(name: string, args: Record<string, unknown>): Promise<ToolResult> {
  return (await request("tools/call", { name, arguments: args })) as ToolResult;
}

/** Say how much room we would like. */
export function sized(height: number): void {
  send({ jsonrpc: "2.0", method: "ui/notifications/size-changed", params: { height } });
}

function request(method: string, params: Record<string, unknown>): Promise<unknown> {
  const id = ++asked;
  return new Promise((done, failed) => {
    waiting.set(id, { done, failed });
    send({ jsonrpc: "2.0", id, method, params });
  });
}

/** The host's origin is not ours to know; what we send holds nothing that it did not give us. */
function send(message: Message): void {
  parent.postMessage(message, "*");
}

function isMessage(data: unknown): data is Message {
  return typeof data === "object" && data !== null && (data as Message).jsonrpc === "2.0";
}

function heard(message: Message, listening: Listening): void {
  if (message.method === undefined) answered(message);
  else if (message.id === undefined) told(message.method, message.params ?? {}, listening);
  else if (message.method === "ping" || message.method === "ui/resource-teardown")
    send({ jsonrpc: "2.0", id: message.id, result: {} });
  else
    send({
      jsonrpc: "2.0",
      id: message.id,
      error: { code: METHOD_NOT_FOUND, message: `There is no ${message.method} here` },
    });
}

function answered(message: Message): void {
  const one = waiting.get(Number(message.id));
  waiting.delete(Number(message.id));
  if (message.error) one?.failed(new Refused(message.error.message, message.error.data));
  else one?.done(message.result);
}

function told(method: string, params: Record<string, unknown>, listening: Listening): void {
  if (method === "ui/notifications/tool-input")
    listening.onInput((params.arguments ?? {}) as Record<string, unknown>);
  if (method === "ui/notifications/tool-result") listening.onResult(params as ToolResult);
  if (method === "ui/notifications/tool-cancelled") listening.onCancelled(String(params.reason ?? ""));
  if (method === "ui/notifications/host-context-changed") listening.onContext(params as HostContext);
}
