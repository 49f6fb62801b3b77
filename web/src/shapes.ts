// What the API answers, as far as the page reads it. The published schemas say the rest.

export type State = "OPEN" | "LATER" | "RESOLVED" | "DISCARDED";

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

export interface Receipt {
  seq: number;
  hash: string;
}

export interface ProjectListed {
  id: string;
  name: string;
  description?: string;
  tick: number;
  open_sessions: number;
  open_records: number;
}

export interface Activity {
  seq: number;
  timestamp: string;
  type: string;
  session_id?: string;
  record_id?: string;
  author?: string;
  summary: string;
}

export interface ActivityList {
  activity: Activity[];
  total: number;
  nextCursor?: string;
}

export interface RecordRef {
  id: string;
  type: string;
  title: string;
  summary: string;
  state: State;
  parent_id: string | null;
  children_count: number;
  open_children_count: number;
}

export interface RecordList {
  records?: RecordRef[];
  total: number;
  nextCursor?: string;
}

export interface FullRecord {
  id: string;
  type: string;
  title: string;
  summary: string;
  body: string;
  state: State;
  parent_id: string | null;
  created: string;
  modified: string;
  version: number;
  author: string;
  reason?: string;
  resolved_by?: string;
  related?: string[];
  metadata?: Record<string, unknown>;
  cites?: string[];
}

export interface Bundle {
  target: FullRecord;
  parent: FullRecord | null;
  children: {
    open: FullRecord[];
    open_refs?: RecordRef[];
    other: RecordRef[];
    open_count: number;
    other_count: number;
  };
  grandchildren: RecordRef[];
  grandchildren_count: number;
  warnings?: { type: string; message: string }[];
}

export interface Activation {
  session_id?: string;
  context: Bundle;
  conflict?: { session_id: string; last_activity: string; message: string };
}

export type HunkKind = "same" | "mine" | "theirs" | "both" | "clash";

/** Lines of a text: the number of the first, from 1 on, and how many there are. */
export type Span = [first: number, count: number];

export interface Hunk {
  kind: HunkKind;
  base: Span;
  mine: Span;
  theirs: Span;
}

export interface VersionWritten {
  version: number;
  author: string;
  session_id?: string;
  at: string;
  changed_fields: string[];
}

export interface Conflict {
  message: string;
  version: number;
  other_version: Omit<FullRecord, "body"> & { session_id?: string };
  changed_fields: { theirs: string[]; yours: string[] };
  mergeable: boolean;
  merge: { clean: boolean; hunks?: Hunk[] };
}

export interface RecordUpdated {
  receipt?: Receipt;
  /** With its body where that is another than the one sent. */
  record: Omit<FullRecord, "body"> & { body?: string };
  conflict?: Conflict;
  merged?: { versions: VersionWritten[]; fields: Record<string, "mine" | "theirs" | "both"> };
  replaced?: VersionWritten[];
  replaced_more?: number;
}

export interface WorkingSession {
  session_id: string;
  title?: string;
  /** Who came in last. */
  by: string;
  status: "active" | "idle" | "away" | "ended";
  last_activity: string;
  is_current: boolean;
}

export interface HistoryEntry {
  seq: number;
  tick: number;
  timestamp: string;
  session_id?: string;
  author?: string;
  change_type: string;
  summary: string;
  diff?: string;
  decisions?: string[];
}

export interface BodyPage {
  text: string;
  total_chars: number;
}

/** What differs between two versions of a record: the body as a diff, other fields as they were and are. */
export interface RecordCompared {
  diff: { body?: string; [field: string]: unknown };
}

export interface SessionSeen {
  id: string;
  title?: string;
  by?: string;
  last_activity?: string;
  active_records: string[];
  tick_gap: number;
  status: string;
}

export interface Overview {
  project: { id: string; name: string; description: string; tick: number };
  notices?: string[];
  last_session?: { id: string; title?: string; by: string; last_activity: string; did?: string[] };
  checkpoint?: { id: string; session_id: string; name?: string; saved: string };
  decisions?: { id: string; title: string; target: string }[];
  open_sessions: SessionSeen[];
  root_records: RecordRef[];
  open_records: RecordRef[];
  later_records: RecordRef[];
  counts: Record<string, number>;
  recent_activity: Activity[];
  /** What waits for a person. */
  proposals?: { id: string; title: string; target: string }[];
}

export interface SessionListed {
  session_id: string;
  title?: string;
  status: string;
  created: string;
  /** Who came in last. */
  by?: string;
  last_activity?: string;
  active_records?: string[];
  edits: number;
  files: number;
}

export interface SessionList {
  sessions: SessionListed[];
  total: number;
  nextCursor?: string;
}

export interface TimelineItem {
  seq: number;
  at: string;
  kind: string;
  actor: string;
  summary: string;
  /** The record, decision or other thing that it is about. */
  subject?: string;
  /** Where the timeline is of more than one. */
  session_id?: string;
  /** How many changes of one file it is, one after the other. */
  count?: number;
  first_seq?: number;
  /** The digest of what the file held before, if it was there. */
  before?: string;
  path?: string;
  to?: string;
  status?: string;
  code?: string;
  added?: number;
  removed?: number;
  revision?: number;
  undone_by?: number;
  plan_revision?: number;
  index?: number;
  step?: string;
  title?: string;
  content?: string;
  cites?: string[];
}

export interface Timeline {
  session_id?: string;
  timeline: TimelineItem[];
  /** The titles of the sessions that items name. */
  sessions?: Record<string, string>;
  omitted?: number;
  nextCursor?: string;
}

export interface Beat {
  type: "file" | "folder" | "outside" | "note" | "event" | "restore";
  first_seq: number;
  last_seq: number;
  first_at: string;
  last_at: string;
  path?: string;
  files?: number;
  actions?: Record<string, number>;
  moved_from?: string;
  edits?: number;
  added?: number;
  removed?: number;
  failed?: number;
  codes?: string[];
  external?: number;
  reported?: number;
  undone?: number;
  undone_by?: number;
  label?: string;
  text?: string;
  author?: string;
  activity?: string;
  count?: number;
  texts?: string[];
  scope?: string;
  point?: number;
}

export interface Chapter {
  plan_revision?: number;
  index?: number;
  title?: string;
  status?: "planned" | "begun" | "ended" | "done" | "skipped";
  edits: number;
  added: number;
  removed: number;
  failed: number;
  external: number;
  beats: Beat[];
}

export interface Story {
  session_id: string;
  title?: string;
  user_message?: string;
  totals: Record<string, number>;
  chapters: Chapter[];
  nextCursor?: string;
}

export interface FileEvolved {
  path: string;
  revisions: number;
  seq: number;
  sha256?: string;
  size?: number;
}

export interface Revision {
  revision: number;
  seq: number;
  at: string;
  actor: string;
  session_id?: string;
  action: string;
  source: string;
  index?: number;
  added: number;
  removed: number;
  sha256?: string;
  size?: number;
  other?: string;
  redacted?: string[];
  decisions?: string[];
}

export interface Evolution {
  path?: string;
  files?: FileEvolved[];
  revisions?: Revision[];
  content?: string;
  encoding?: "utf-8" | "base64";
  diff?: string;
  total?: number;
  nextCursor?: string;
}

export type Side = "mine" | "theirs" | "both";

/** Lines that an undo would change and that have been changed since. */
export interface ClashHunk {
  line: number;
  base: string;
  mine: string;
  theirs: string;
}

/** What somebody else did to a file, all of one session together. */
export interface OthersWork {
  by: string;
  session_id?: string;
  count: number;
  first?: string;
  last?: string;
  at?: string;
}

export interface BackStep {
  path: string;
  action: "create" | "edit" | "delete" | "move" | "none" | "skip" | "clash";
  to?: string;
  from_revision?: number;
  to_revision?: number;
  now?: string;
  sides?: Side[];
  mode?: string;
  added?: number;
  removed?: number;
  takes_away?: OthersWork[];
  keeps?: OthersWork[];
  hunks?: ClashHunk[];
  diff?: string;
  reason?: string;
  status?: string;
  code?: string;
}

export interface WentBack {
  receipt?: Receipt;
  preview: boolean;
  /** Of an undo, what is undone. */
  what?: string;
  /** Of a restore, the entry after which the files stood so. */
  point?: string;
  counts: Record<string, number>;
  files: BackStep[];
  omitted?: number;
  undo?: string;
  nextCursor?: string;
}

/** A record or decision behind a line, and what it has to do with it. */
export interface Behind {
  id: string;
  title?: string;
  status?: string;
  how: string;
}

export interface WrittenLines {
  first_line: number;
  last_line: number;
  text?: string;
  source: "executed" | "reported" | "external" | "restored" | "found" | "unrecorded";
  revision?: number;
  line: number;
  path: string;
  seq?: number;
  at?: string;
  actor?: string;
  action?: string;
  session_id?: string;
  session_title?: string;
  index?: number;
  step?: string;
  prompt?: { seq: number; text: string };
  records?: Behind[];
  decisions?: Behind[];
  cites?: string[];
  commit?: { id: string; author: string; at: string; summary: string };
  note?: string;
}

export interface Why {
  path: string;
  revision?: number;
  lines: WrittenLines[];
}

export type DecisionStatus = "active" | "superseded" | "proposed" | "accepted" | "rejected";

export interface DecisionLink {
  id: string;
  title: string;
  target: string;
  status: DecisionStatus;
  author: string;
  at: string;
  supersedes?: string[];
  superseded_by?: string;
}

export interface DecisionShown extends DecisionLink {
  rationale: string;
  consequences?: string[];
  cites?: string[];
  enforcement?: string;
  proposal_id?: string;
  decision_id?: string;
  reason?: string;
  accepted_by?: string;
  seq: number;
  session_id?: string;
}

export interface DecisionInContext {
  decision: DecisionShown;
  head?: DecisionLink;
  chain: DecisionLink[];
  evidence: { ref: string; about?: string }[];
  blast_radius?: Record<string, string[]>;
}

export interface DecisionsFound {
  results: {
    id: string;
    title: string;
    target: string;
    status: DecisionStatus;
    score: number;
    preview: string;
    matched_via: string[];
  }[];
  index: string;
  index_lag: number;
}

export interface Thing {
  kind: string;
  id: string;
  title: string;
  snippet: string;
  score: number;
  status?: string;
  session?: string;
  /** Of a file that was found by what it holds. */
  line?: number;
  author?: string;
  at?: string;
}

export interface ThingsFound {
  results: Thing[];
  nextCursor?: string;
  index: string;
  index_lag: number;
}

export interface CheckpointListed {
  checkpointId: string;
  sessionId: string;
  createdAt: string;
  sizeBytes: number;
  contextHash: string;
  metadata: { name?: string; tags?: string[]; classes?: Record<string, string> } & Record<string, unknown>;
}

export interface CheckpointList {
  checkpoints: CheckpointListed[];
  total: number;
  nextCursor?: string;
  session: { id: string; createdAt: string; totalSizeBytes: number };
}

export interface Loaded {
  context: Record<string, unknown>;
  since: { ticksPassed: number; recordsTotal: number; filesTotal: number };
}

export interface CheckpointDiff {
  from: string;
  to: string;
  differences: { path: string; change: "added" | "removed" | "changed"; old?: unknown; new?: unknown }[];
  total: number;
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

export interface MetricGroup {
  start?: string;
  dimensions: Record<string, string | null>;
  count: number;
  sum: number;
  min: number;
  max: number;
  mean: number;
  p50: number;
  p95: number;
}

export interface MetricAnswer {
  name?: string;
  groups?: MetricGroup[];
  metrics?: {
    name: string;
    count: number;
    series: number;
    dimensions: string[];
    first: string;
    last: string;
  }[];
  total: number;
  nextCursor?: string;
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
