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
  if (/^(file|external|restore)/.test(kind)) return "file";
  if (/^(record|state|conflict)/.test(kind)) return "record";
  if (/^(decision|proposal)/.test(kind)) return "decision";
  if (/^(checkpoint|key)/.test(kind)) return "checkpoint";
  if (/^(plan|step)/.test(kind)) return "plan";
  if (/^(audit)/.test(kind)) return "note";
  if (/^(entity|thread|execution|metric)/.test(kind)) return "entity";
  return "session";
}

export function kindName(kind: string): string {
  return kind.replaceAll("_", " ");
}

/** `agent:builder` as people say it. */
export function who(actor: string): string {
  const [kind, ...name] = actor.split(":");
  return name.join(":") || kind || "";
}

export function actorKind(actor: string): string {
  return actor.split(":")[0] ?? "";
}

/** A summary without the ids that people cannot read: the link beside it leads there. */
export function plain(summary: string): string {
  return summary
    .replace(/^Session \S+ (started|saved|closed)/, "Session $1")
    .replace(/\b([a-z]\w+)::\w+/gi, "$1");
}

export function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
