// The way to the server from inside a host: its tools, called through the host. A view there only looks:
// whoever reads it is not known to be a person with the right to decide.

import { type Arguments, type Asking, Problem } from "../src/api";
import { callTool, mayCall, Refused, type ToolResult } from "./host";
import { type Given, isSame, isWithin, part } from "./opening";

export { type Arguments, type Asking, Problem };

/** Stands for the project that the agent works in, whose name the view need not know. */
export const HERE = "~";

const READS = new Set([
  "get_timeline",
  "get_story",
  "get_evolution",
  "list_sessions",
  "get_recent_activity",
  "get_record_body",
  "get_record_diff",
  "search_decisions",
  "get_decision",
]);

let given: Given | null = null;

/** Take what the host gave as an answer that need not be asked for. */
export function take(one: Given): void {
  given = one;
}

export async function post<T>(operation: string, args: Arguments, _asking: Asking = {}): Promise<T> {
  if (given && isSame(given, operation, args)) return known(given) as T;
  if (given && !mayCall() && isWithin(given, operation, args)) return part(given, args) as T;
  if (operation === "record_session_start") return {} as T;
  const isPreview = ["restore", "undo"].includes(operation) && args.preview === true;
  if (!READS.has(operation) && !isPreview) {
    throw new Problem(
      "LOOKING_ONLY",
      "Here one can only look",
      "Do it on the page that `hansard open` shows, or ask the agent",
      0,
    );
  }
  if (!mayCall())
    throw new Problem(
      "HOST",
      "This host lets a view ask for no more",
      "Ask the agent for it, or run `hansard open`",
      0,
    );
  return (await once(operation, wanted(operation, args, isPreview))) as T;
}

/** What the host gave, for a view that shows it as it is. */
export function held(): Record<string, unknown> {
  return given?.answer ?? {};
}

/** What the host gave; where nothing can be asked for, nothing follows it. */
function known({ answer }: Given): Record<string, unknown> {
  const { nextCursor, ...rest } = answer;
  return mayCall() && nextCursor !== undefined ? answer : rest;
}

const asked = new Map<string, Promise<Record<string, unknown>>>();

/** Ask, unless the same is being asked already: each call may be shown to the person, or counted. */
function once(operation: string, args: Arguments): Promise<Record<string, unknown>> {
  const key = JSON.stringify([operation, args]);
  const running = asked.get(key);
  if (running) return running;
  const answer = callTool(operation, args).then(answerOf, (error: unknown) => {
    throw refusal(error);
  });
  asked.set(key, answer);
  const forget = () => asked.delete(key);
  answer.then(forget, forget);
  return answer;
}

/** Where the whole answer is: a model is told less, since it pays for each word. */
const WHOLE = "hansard/answer";

/** Give a tool's answer, or throw what it refused. */
export function answerOf(result: ToolResult): Record<string, unknown> {
  const whole = result._meta?.[WHOLE] as Record<string, unknown> | undefined;
  const answer = whole ?? result.structuredContent;
  if (answer && !result.isError) return answer;
  const error = (answer?.error ?? {}) as Record<string, unknown>;
  const said = result.content?.find((one) => one.type === "text")?.text;
  throw new Problem(
    String(error.code ?? "HOST"),
    String(error.message ?? said ?? "The host gave no answer that a view can show"),
    String(error.recovery_hint ?? ""),
    0,
  );
}

/** Say only what a tool takes: a session is the agent's own, unless it is what is looked at. */
function wanted(operation: string, args: Arguments, isPreview: boolean): Arguments {
  const { project_id: project, session_id: session, ...rest } = args;
  const scope =
    operation === "get_evolution" ? (given?.input.session_id ?? session) : isPreview ? undefined : session;
  const named = { ...rest, project_id: project === HERE ? undefined : project, session_id: scope };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

function refusal(error: unknown): Problem {
  const data = (error instanceof Refused ? error.data : {}) as
    { code?: string; recovery_hint?: string } | undefined;
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(String(data?.code ?? "HOST"), message, String(data?.recovery_hint ?? ""), 0);
}
