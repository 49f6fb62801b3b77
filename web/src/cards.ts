// What a reference stands for, in a few words: asked when somebody looks, and known until the journal moves on.

import { effect, signal } from "@preact/signals";

import type { DecisionInContext, Evolution, RecordRef, Timeline } from "./shapes";
import { ask, project, settledHead } from "./state";
import { plain } from "./words";

export interface Card {
  title: string;
  /** What kind of thing it is, and how it stands. */
  about: string;
  status?: string;
  text?: string;
  by?: string;
  at?: string;
}

const known = new Map<string, Promise<Card | null>>();
effect(() => {
  void [settledHead.value, project.value];
  known.clear();
});

/** Say what a reference names; `null` if it names nothing, or here is nobody to ask. */
export function lookUp(ref: string): Promise<Card | null> {
  const asked = known.get(ref) ?? found(ref).catch(() => null);
  known.set(ref, asked);
  return asked;
}

async function found(ref: string): Promise<Card | null> {
  if (/^R\d+$/.test(ref)) return ofRecord(await ask<RecordRef>("get_record_ref", { id: ref }));
  if (/^[DP]\d+$/.test(ref))
    return ofDecision(await ask<DecisionInContext>("get_decision", { decision_id: ref }));
  if (ref.startsWith("path:")) return ofFile(ref.slice("path:".length));
  if (ref.startsWith("s:")) return ofEntry(Number(ref.slice(2)));
  return null;
}

function ofRecord(one: RecordRef): Card {
  return { title: one.title, about: one.type, status: one.state, text: one.summary };
}

function ofDecision({ decision }: DecisionInContext): Card {
  const about = `${decision.id.startsWith("P") ? "proposal" : "decision"} on ${decision.target}`;
  const { title, status, rationale, author, at } = decision;
  return { title, about, status, text: rationale, by: author, at };
}

async function ofFile(path: string): Promise<Card | null> {
  const { revisions, total } = await ask<Evolution>("get_evolution", { path, limit: 1 });
  const last = revisions?.at(-1);
  if (!last) return null;
  return { title: path, about: `file, ${total ?? last.revision} revisions`, by: last.actor, at: last.at };
}

/** An entry is found among those of its project: a list is read from a cursor on, so the newest are asked. */
async function ofEntry(seq: number): Promise<Card | null> {
  const told = await ask<Timeline>("get_timeline", { all_sessions: true, limit: ENTRIES });
  const one = told.timeline.find((item) => (item.first_seq ?? item.seq) <= seq && seq <= item.seq);
  return one ? { title: plain(one.summary), about: "entry", by: one.actor, at: one.at } : null;
}

const ENTRIES = 500;

/** The paths that are recorded here, once somebody has asked for them. */
export const files = signal<ReadonlySet<string> | null>(null);
let askedFor = "";

/** Find out which files are recorded, unless that is known: only they are links. */
export function learnFiles(): void {
  const here = project.peek();
  if (!here || askedFor === here) return;
  askedFor = here;
  files.value = null;
  ask<Evolution>("get_evolution", { limit: 1_000 }).then(
    (answer) => {
      files.value = new Set(answer.files?.map((one) => one.path));
    },
    () => undefined,
  );
}
