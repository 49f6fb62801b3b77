// What the page reads that no schema of an operation says. The rest is in shapes.ts, which is made.

/** What is said of a checkpoint: anything, and these by Hansard. */
export type CheckpointMetadata = {
  name?: string;
  tags?: string[];
  classes?: Record<string, string>;
} & Record<string, unknown>;

export interface Index {
  version: string;
  /** Who we are, as authors are named. */
  actor?: string;
  /** Whether that was proved by the server's secret; `missing` makes an agent of who looks. */
  proof?: "proved" | "unproved" | "missing";
  project: string;
  operations: string[];
  read_only?: boolean;
}

export interface Verified {
  sound: boolean;
  /** How much room the store takes, where the server says so. */
  bytes?: number;
  exit_code: number;
  quick: boolean;
  projects: {
    project: string;
    entries: number;
    seq: number;
    hash: string;
    blobs: number;
    rows: number | null;
  }[];
  findings: { severity: string; check: string; project: string; message: string }[];
  open_intents: { project: string; seq: number; kind: string; owner: string; alive: boolean | null }[];
}

export interface Entity {
  id: string;
  createdAt: string;
  updatedAt: string;
  [field: string]: unknown;
}

/** An entry as the stream tells it. */
export interface Told {
  seq: number;
  tick: number;
  kind: string;
  at: string;
  actor: string;
  session?: string;
  summary?: string;
  subject?: string;
}
