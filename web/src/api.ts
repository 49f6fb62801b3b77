// The one way to the server: an operation's name and its arguments, as agents send them.

import type { Index } from "./shapes";

const BASE = "/api/v1";

export type Arguments = Record<string, unknown>;

/** A refusal, in the server's words. */
export class Problem extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly status: number,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

export interface Asking {
  signal?: AbortSignal;
  secret?: string;
}

export async function post<T>(operation: string, args: Arguments, asking: Asking = {}): Promise<T> {
  // A header that no form of another site can set.
  const headers: Record<string, string> = { "Content-Type": "application/json", "X-Hansard-Page": "1" };
  if (asking.secret) headers["X-Hansard-Secret"] = asking.secret;
  return answered<T>(
    await reach(`${BASE}/${operation}`, {
      method: "POST",
      headers,
      body: JSON.stringify(args),
      signal: asking.signal ?? null,
    }),
  );
}

export async function getIndex(): Promise<Index> {
  return answered<Index>(await reach(BASE, {}));
}

export function streamAddress(project: string, after: number | null): string {
  const query = new URLSearchParams({ project });
  if (after !== null) query.set("after", String(after));
  return `${BASE}/stream?${query}`;
}

async function reach(address: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { credentials: "same-origin", ...request });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem("UNREACHABLE", "Hansard does not answer", "Is `hansard serve` still running?", 0);
  }
}

async function answered<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T;
  const error = (body as { error?: Record<string, unknown> } | null)?.error ?? {};
  throw new Problem(
    String(error.code ?? `HTTP_${response.status}`),
    String(error.message ?? `The server answered with status ${response.status}`),
    String(error.recovery_hint ?? ""),
    response.status,
    (error.details as Record<string, unknown>) ?? {},
  );
}
