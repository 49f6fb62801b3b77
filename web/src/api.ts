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

  /** Whether it may go by itself: the server is away, busy, or cannot reach its store. */
  get passes(): boolean {
    return this.code === "UNREACHABLE" || [429, 502, 503, 504].includes(this.status);
  }
}

export interface Asking {
  signal?: AbortSignal;
  secret?: string;
  /** Makes a repetition harmless: the same request under the same key is done once. */
  key?: string;
  /** Whether it is sent though the page goes away meanwhile. */
  outlives?: boolean;
}

let shown = "1";

/** Say from now on which store the page shows, so that no other takes what is meant for it. */
export function showStore(store: string | null): void {
  shown = store ?? "1";
}

export async function post<T>(operation: string, args: Arguments, asking: Asking = {}): Promise<T> {
  // A header that no form of another site can set.
  const headers: Record<string, string> = { "Content-Type": "application/json", "X-Hansard-Page": shown };
  if (asking.key) headers["Idempotency-Key"] = asking.key;
  if (asking.secret) headers["X-Hansard-Secret"] = asking.secret;
  return answered<T>(
    await reach(`${BASE}/${operation}`, {
      method: "POST",
      headers,
      body: JSON.stringify(args),
      signal: asking.signal ?? null,
      keepalive: asking.outlives ?? false,
    }),
  );
}

export async function getIndex(): Promise<Index> {
  return answered<Index>(await reach(BASE, {}));
}

/** Be forgotten by the server: from now on this browser is not let in. */
export async function leave(): Promise<void> {
  await post("leave", {});
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
    throw new Problem(
      "UNREACHABLE",
      "Hansard does not answer",
      "It may have been stopped: `hansard serve` starts it",
      0,
    );
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
