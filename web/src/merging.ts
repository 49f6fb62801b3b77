// Putting together what two people made of one record: which questions only a person can answer, and
// what is to be written once they are answered. How the bodies go together the server says, by lines.

import {
  type Field,
  isSame,
  type Json,
  listed,
  parsed,
  pretty,
  type Texts,
  type Typed,
  type Update,
} from "./fields";
import type { Conflict, Hunk, HunkKind, Span } from "./shapes";

/** The stored record, as far as it can be merged. */
export type Stored = Texts;

export type Answer = { take: "mine" | "theirs" | "both" } | { take: "hand"; text: string };

/** Answers by the keys of their questions. */
export type Choices = Record<string, Answer>;

export interface Question {
  /** The same for the same question: what it is about, and what both sides say. */
  key: string;
  field: Field;
  /** Of metadata, the key that it is about. */
  part?: string;
  /** Of a body, the lines of mine; of theirs where mine has none. */
  lines?: Span;
  base: string;
  mine: string;
  theirs: string;
  /** What taking both would give, where that makes sense. */
  both: string | null;
}

/** A piece of the body: settled, or with a question. */
export interface Piece {
  kind: Exclude<HunkKind, "clash"> | "clash";
  text: string;
  question?: Question;
}

export interface Merging {
  questions: Question[];
  /** The body in order, where both sides changed it; else empty. */
  pieces: Piece[];
}

/** Lay out what there is to decide. */
export function merging(conflict: Conflict, base: Texts, typed: Typed, stored: Stored): Merging {
  const questions = [
    ...(["title", "summary"] as const).flatMap((field) => lineQuestion(field, base, typed, stored)),
    ...keyQuestions(base, typed, stored),
  ];
  const pieces = bodyPieces(conflict.merge.hunks, base, typed, stored);
  for (const piece of pieces) if (piece.question) questions.push(piece.question);
  return { questions: unique(questions), pieces };
}

export function isDecided({ questions }: Merging, choices: Choices): boolean {
  return questions.every((one) => isAnswered(one, choices));
}

/** Whether a question has an answer that can be written. */
export function isAnswered(question: Question, choices: Choices): boolean {
  const answer = choices[question.key];
  if (!answer) return false;
  if (answer.take !== "hand") return answer.take !== "both" || question.both !== null;
  return question.field === "title"
    ? answer.text !== ""
    : question.field !== "metadata" || isJson(answer.text);
}

export function textOf(question: Question, answer: Answer): string {
  if (answer.take === "hand") return answer.text;
  return answer.take === "both" ? (question.both ?? "") : question[answer.take];
}

/** The body as it would be saved; questions without an answer leave what was there before. */
export function bodyOf({ pieces }: Merging, choices: Choices): string {
  return pieces
    .map(({ text, question }) => {
      const answer = question && choices[question.key];
      return question ? (answer ? textOf(question, answer) : question.base) : text;
    })
    .join("");
}

/** Say what to write: what I changed and what was chosen, and nothing that is theirs already. */
export function resolved(
  merged: Merging,
  choices: Choices,
  base: Texts,
  typed: Typed,
  stored: Stored,
): Update {
  const update: Update = {};
  const chosen = (field: Field, part?: string) => {
    const question = merged.questions.find((one) => one.field === field && one.part === part);
    const answer = question && choices[question.key];
    return question && answer ? textOf(question, answer) : null;
  };
  for (const field of ["title", "summary"] as const) {
    const text = typed[field] === undefined ? undefined : (chosen(field) ?? typed[field]);
    if (text !== undefined && text !== stored[field]) update[field] = text;
  }
  for (const field of ["related", "cites"] as const) {
    const list = typed[field] === undefined ? null : mergedList(base[field], typed[field], stored[field]);
    if (list && !isSame(list, listed(stored[field]))) update[field] = list;
  }
  const metadata = mergedKeys(base, typed, stored, (key) => chosen("metadata", key));
  if (Object.keys(metadata).length) update.metadata = metadata;
  const body = typed.body === undefined ? stored.body : bodyOf(merged, choices);
  if (body !== stored.body) update.body = body;
  return update;
}

/** Keep the answers to questions that are still asked just so. */
export function carried({ questions }: Merging, choices: Choices): Choices {
  const asked = new Set(questions.map((one) => one.key));
  return Object.fromEntries(Object.entries(choices).filter(([key]) => asked.has(key)));
}

function lineQuestion(field: "title" | "summary", base: Texts, typed: Typed, stored: Stored): Question[] {
  const mine = typed[field];
  const [was, theirs] = [base[field], stored[field]];
  if (mine === undefined || mine === theirs || theirs === was) return [];
  return [{ ...asked(field, was, mine, theirs), both: `${mine} / ${theirs}` }];
}

function keyQuestions(base: Texts, typed: Typed, stored: Stored): Question[] {
  if (typed.metadata === undefined) return [];
  const [was, mine, theirs] = [parsed(base.metadata), parsed(typed.metadata), parsed(stored.metadata)];
  return Object.keys({ ...was, ...mine }).flatMap((key) => {
    const [before, now, other] = [was, mine, theirs].map((one) => valueIn(one, key)) as [
      string,
      string,
      string,
    ];
    if (now === before || other === before || now === other) return [];
    return [{ ...asked("metadata", before, now, other, key), part: key, both: null }];
  });
}

/** A key's value as text; of one that is not there, nothing. */
function valueIn(values: Json, key: string): string {
  return key in values ? pretty(values[key]) : "";
}

function mergedKeys(base: Texts, typed: Typed, stored: Stored, chosen: (key: string) => string | null): Json {
  const update: Json = {};
  if (typed.metadata === undefined) return update;
  const [was, mine, theirs] = [parsed(base.metadata), parsed(typed.metadata), parsed(stored.metadata)];
  for (const key of Object.keys({ ...was, ...mine })) {
    if (valueIn(was, key) === valueIn(mine, key)) continue;
    const text = chosen(key) ?? valueIn(mine, key);
    if (text === valueIn(theirs, key)) continue;
    update[key] = text === "" ? null : (JSON.parse(text) as unknown);
  }
  return update;
}

/** Take away what either took away, and add what either added. */
function mergedList(base: string, mine: string, theirs: string): string[] {
  const [was, now, other] = [base, mine, theirs].map(listed) as [string[], string[], string[]];
  const left = other.filter((one) => now.includes(one) || !was.includes(one));
  return [...left, ...now.filter((one) => !was.includes(one) && !other.includes(one))];
}

function bodyPieces(hunks: Hunk[] | undefined, base: Texts, typed: Typed, stored: Stored): Piece[] {
  if (typed.body === undefined) return [];
  if (stored.body === base.body) return [{ kind: "mine", text: typed.body }];
  const texts = { base: lines(base.body), mine: lines(typed.body), theirs: lines(stored.body) };
  // Where there are too many pieces to show, the body is one.
  const whole: Hunk = {
    kind: typed.body === stored.body ? "both" : "clash",
    base: [1, texts.base.length],
    mine: [1, texts.mine.length],
    theirs: [1, texts.theirs.length],
  };
  return (hunks ?? [whole]).map((hunk) => {
    const [was, mine, theirs] = [
      taken(texts.base, hunk.base),
      taken(texts.mine, hunk.mine),
      taken(texts.theirs, hunk.theirs),
    ];
    if (hunk.kind !== "clash") return { kind: hunk.kind, text: hunk.kind === "mine" ? mine : theirs };
    const place = hunk.mine[1] ? hunk.mine : hunk.theirs;
    const question = { ...asked("body", was, mine, theirs), lines: place, both: stacked(mine, theirs) };
    return { kind: "clash", text: was, question };
  });
}

/** Cut a text into lines, each with its end. */
function lines(text: string): string[] {
  return text ? text.split(/(?<=\n)/) : [];
}

function taken(all: string[], [first, count]: Span): string {
  return all.slice(first - 1, first - 1 + count).join("");
}

/** One text above the other. */
function stacked(above: string, below: string): string {
  return above && !above.endsWith("\n") ? `${above}\n${below}` : above + below;
}

function asked(field: Field, base: string, mine: string, theirs: string, part = ""): Question {
  const key = `${field}.${part}.${print(base)}.${print(mine)}.${print(theirs)}`;
  return { key, field, base, mine, theirs, both: null };
}

/** Number questions that are the same in every way, so that each is answered for itself. */
function unique(questions: Question[]): Question[] {
  const seen = new Map<string, number>();
  for (const question of questions) {
    const count = (seen.get(question.key) ?? 0) + 1;
    seen.set(question.key, count);
    if (count > 1) question.key += `#${count}`;
  }
  return questions;
}

/** A short print of a text: the same text has the same, another hardly ever. */
function print(text: string): string {
  let [one, other] = [0xdeadbeef ^ text.length, 0x41c6ce57];
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    one = Math.imul(one ^ code, 2_654_435_761);
    other = Math.imul(other ^ code, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & other) + (one >>> 0)).toString(36);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text || "null");
    return true;
  } catch {
    return false;
  }
}
