// A run's events as spans: which node worked from when to when, with what, and what that cost.

export interface Happening {
  index: number;
  at: string;
  type: string;
  nodeId?: string;
  edgeId?: string;
  message?: string;
  level?: string;
  name?: string;
  value?: unknown;
  input?: unknown;
  output?: unknown;
  error?: unknown;
}

export interface Span {
  node: string;
  /** The place of its last event so far. */
  index: number;
  startMs: number;
  endMs: number;
  status: "running" | "done" | "failed";
  input?: unknown;
  output?: unknown;
  error?: unknown;
  spent: Spent;
}

/** What was recorded of tokens and money; absent where nothing was. */
export interface Spent {
  tokens?: number;
  cost?: number;
}

/** One span for each time that a node worked. A node that was never said to begin has an instant. */
export function spansOf(events: readonly Happening[], nowMs: number): Span[] {
  const spans: Span[] = [];
  const running = new Map<string, Span>();
  for (const event of events) {
    if (!event.nodeId) continue;
    const at = Date.parse(event.at);
    if (event.type === "nodeStarted") {
      const span = begun(event, event.nodeId, at, nowMs);
      running.set(event.nodeId, span);
      spans.push(span);
    } else if (event.type === "nodeCompleted" || event.type === "nodeFailed") {
      let span = running.get(event.nodeId);
      if (!span) spans.push((span = begun(event, event.nodeId, at, at)));
      running.delete(event.nodeId);
      end(span, event, at);
    }
  }
  return spans;
}

function begun(event: Happening, node: string, at: number, until: number): Span {
  return {
    node,
    index: event.index,
    startMs: at,
    endMs: Math.max(at, until),
    status: "running",
    input: event.input ?? undefined,
    spent: {},
  };
}

function end(span: Span, event: Happening, at: number): void {
  span.index = event.index;
  span.endMs = Math.max(span.startMs, at);
  span.status = event.type === "nodeFailed" ? "failed" : "done";
  span.output = event.output ?? undefined;
  span.error = event.error ?? undefined;
  span.spent = spentOf(event.output);
}

const TOKENS = ["total_tokens", "totalTokens", "tokens"];
const PARTS = [
  ["input_tokens", "output_tokens"],
  ["prompt_tokens", "completion_tokens"],
  ["inputTokens", "outputTokens"],
];
const COSTS = ["cost", "cost_usd", "costUsd", "total_cost", "totalCost"];

/** Find tokens and cost in what a node gave, by the names that providers use. */
export function spentOf(output: unknown): Spent {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return {};
  const own = output as Record<string, unknown>;
  const usage = (typeof own.usage === "object" && own.usage !== null ? own.usage : {}) as typeof own;
  const all = { ...own, ...usage };
  const whole = first(all, TOKENS);
  const parts = PARTS.map((names) => names.map((name) => all[name])).find((two) => two.every(isNumber));
  const tokens = whole ?? (parts ? Number(parts[0]) + Number(parts[1]) : undefined);
  const cost = first(all, COSTS);
  return { ...(tokens !== undefined && { tokens }), ...(cost !== undefined && { cost }) };
}

function first(of: Record<string, unknown>, names: string[]): number | undefined {
  return names.map((name) => of[name]).find(isNumber);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** All that a run spent, as far as it was recorded. */
export function spentInAll(spans: readonly Span[]): Spent {
  const sum = (name: keyof Spent) => {
    const known = spans.flatMap((one) => one.spent[name] ?? []);
    return known.length ? { [name]: known.reduce((one, other) => one + other, 0) } : {};
  };
  return { ...sum("tokens"), ...sum("cost") };
}

/** A span of time as people say it. */
export function lasting(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms % 60_000) / 1_000);
  return minutes < 60 ? `${minutes} min ${seconds} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
