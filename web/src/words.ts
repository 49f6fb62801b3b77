// How things are said: times, sizes, counts, and what kind of thing an entry is.

const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const WHOLE = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

export function clock(at: string): string {
  return TIME.format(new Date(at));
}

export function day(at: string): string {
  return DAY.format(new Date(at));
}

export function moment(at: string): string {
  return WHOLE.format(new Date(at));
}

export function ago(at: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - new Date(at).getTime()) / 1000));
  if (seconds < 60) return "just now";
  const steps: [number, string][] = [
    [86_400, "day"],
    [3_600, "hour"],
    [60, "minute"],
  ];
  const [length, name] = steps.find(([length]) => seconds >= length) ?? [60, "minute"];
  return `${counted(Math.floor(seconds / length), name)} ago`;
}

export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en-GB")} ${number === 1 ? one : many}`;
}

export function bytes(number: number): string {
  if (number < 1_000) return `${number} B`;
  const units = ["kB", "MB", "GB"];
  let value = number;
  let unit = -1;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

/** The family an entry's kind belongs to, for its colour. */
export function family(kind: string): string {
  if (/^(file|external|restore|workspace)/.test(kind)) return "file";
  if (/^(record|state|conflict)/.test(kind)) return "record";
  if (/^(decision|proposal)/.test(kind)) return "decision";
  if (/^(checkpoint|key)/.test(kind)) return "checkpoint";
  if (/^(plan|step)/.test(kind)) return "plan";
  if (/^(audit)/.test(kind)) return "note";
  if (/^(entity|thread|execution|metric)/.test(kind)) return "entity";
  return "session";
}

/** What kinds of entries are called whose names are a program's. */
const KINDS: Record<string, string> = {
  activation: "record opened",
  audit_event: "note",
  collected: "cleaned up",
  deactivation: "record put away",
  decision_recorded: "decided",
  decision_superseded: "replaced",
  entity_created: "made",
  entity_deleted: "deleted",
  entity_updated: "changed",
  execution_advanced: "run went on",
  external_change: "outside change",
  file_create: "file created",
  file_delete: "file deleted",
  file_edit: "file edited",
  file_move: "file moved",
  key_marked: "marked critical",
  key_unmarked: "mark removed",
  plan_step: "planned",
  proposal_accepted: "accepted",
  proposal_edited: "proposal changed",
  proposal_made: "proposed",
  proposal_rejected: "rejected",
  record_created: "new record",
  record_modified: "record changed",
  record_updated: "record changed",
  restore: "went back",
  session_closed: "ended",
  session_joined: "joined",
  session_left: "left",
  session_saved: "saved",
  session_started: "began",
  session_titled: "titled",
  state_transition: "new state",
  thread_appended: "chat went on",
  workspace_seen: "workspace",
};

export function kindName(kind: string): string {
  return KINDS[kind] ?? kind.replaceAll("_", " ");
}

/** `agent:builder` as people say it. */
export function who(actor: string): string {
  const [kind, ...name] = actor.split(":");
  return (name.join(":") || kind || "").replace(" (unproved)", " (not proved)");
}

/** One or two letters to know somebody by. */
export function initials(actor: string): string {
  const words = who(actor)
    .replace(/\s*\(.*$/, "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  const [first = "?", second = ""] = words;
  const letters = second ? first.slice(0, 1) + second.slice(0, 1) : first.slice(0, 2);
  return letters.toUpperCase();
}

/** One of so many colours, the same for somebody wherever they are named. */
export function hue(actor: string, colours: number): number {
  let sum = 7;
  for (const letter of who(actor).replace(/\s*\(.*$/, "")) sum = (sum * 31 + letter.charCodeAt(0)) % 65_521;
  return sum % colours;
}

const STATES: Record<string, string> = {
  OPEN: "open",
  LATER: "for later",
  RESOLVED: "resolved",
  DISCARDED: "discarded",
};

/** The state of a record, as people say it. */
export function stateName(state: string): string {
  return STATES[state] ?? state;
}

export function actorKind(actor: string): string {
  return actor.split(":")[0] ?? "";
}

const TYPES: Record<string, string> = {
  agentGraph: "Graph",
  agentGraphExecution: "Run",
  chatThread: "chat",
  messageThread: "thread",
};

/** A summary without the ids that people cannot read: the link beside it leads there. */
export function plain(summary: string): string {
  return summary
    .replace(/^Session \S+ (started|saved|closed|taken up|left)/, "Session $1")
    .replace(/ \((?:now )?[a-z]\w+::\w+\)/gi, "")
    .replace(/\b(chat|run|graph|thread|document) [a-z]\w+::\w+/gi, "$1")
    .replace(/\b([a-z]\w+)::\w+/gi, "$1")
    .replace(/\b(messageThread|chatThread|agentGraphExecution|agentGraph)\b/g, (type) => TYPES[type] ?? type)
    .replace(
      /\b(OPEN|LATER|RESOLVED|DISCARDED) -> (OPEN|LATER|RESOLVED|DISCARDED)\b/g,
      (_, was: string, is: string) => `${stateName(was)} → ${stateName(is)}`,
    )
    .replace(/\b1 partials\b/, "1 part")
    .replace(/\bpartials\b/, "parts");
}

/** Markdown where there is no room for it: the words, without the marks around them. */
export function bare(text: string): string {
  return text.replace(/`([^`]+)`/g, "$1").replace(/\*\*([^*]+)\*\*/g, "$1");
}

export function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
