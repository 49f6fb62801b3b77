// Writing something new: a record, a decision, a note. What is typed is kept until it is written.

import { useEffect, useState } from "preact/hooks";

import type { Arguments } from "../api";
import { useDoing } from "../asking";
import { createRecord } from "../onrecord";
import { Dialog } from "../parts/Dialog";
import { Wrong } from "../parts/Notice";
import { Pick } from "../parts/Pick";
import { Prose } from "../parts/Prose";
import { asPerson } from "../proving";
import { go } from "../route";
import type { RecordRef } from "../shapes";
import { act, ask, keep, kept, noise, project, store } from "../state";
import { type Writing as Wanted, writing } from "../writing";
import "../styles/writing.css";

const TITLES = { record: "New record", decision: "New decision", note: "New note" };

export function Writing() {
  const wanted = writing.value;
  const close = () => (writing.value = null);
  return (
    <Dialog title={wanted ? TITLES[wanted.what] : "New"} open={wanted !== null} onClose={close}>
      {wanted?.what === "record" && <RecordForm parent={wanted.parent} />}
      {wanted?.what === "decision" && <DecisionForm replaces={wanted.replaces ?? []} />}
      {wanted?.what === "note" && <NoteForm about={wanted.about} />}
    </Dialog>
  );
}

type Texts = Record<string, string>;

interface Form {
  texts: Texts;
  box: (name: string) => { text: string; onType: (text: string) => void };
  /** The same for as long as what is written is the same thing. */
  key: string;
  /** Keep it no longer, and close. */
  end: () => void;
}

/** What is typed, kept in this browser until it is written. */
function useForm(what: Wanted["what"], blank: Texts): Form {
  const place = `hansard.new.${store.value ?? ""}.${project.value}.${what}`;
  const [texts, setTexts] = useState<Texts>(() => ({ ...blank, ...read(kept(place)) }));
  const [key] = useState(() => `page.${noise()}`);
  const box = (name: string) => ({
    text: texts[name] ?? "",
    onType: (text: string) => {
      const next = { ...texts, [name]: text };
      setTexts(next);
      keep(place, JSON.stringify(next));
    },
  });
  const end = () => {
    keep(place, "");
    writing.value = null;
  };
  return { texts, box, key, end };
}

function read(text: string | null): Texts {
  try {
    return text ? (JSON.parse(text) as Texts) : {};
  } catch {
    return {};
  }
}

function RecordForm({ parent }: { parent?: string | undefined }) {
  const form = useForm("record", { type: "task" });
  const { texts, box } = form;
  const [under, setUnder] = useState<RecordRef | null>(null);
  useEffect(() => {
    if (parent) ask<RecordRef>("get_record_ref", { id: parent }).then(setUnder, () => undefined);
  }, [parent]);
  const doing = useDoing();
  const write = () =>
    doing.run(async () => {
      const { type = "", title = "", summary = "", body = "" } = texts;
      const made = { type: type.trim(), title: title.trim(), summary: summary.trim() || title.trim(), body };
      const id = await createRecord({ ...made, parent_id: under?.id ?? null }, form.key);
      form.end();
      go({ view: "records", id });
    });
  return (
    <Frame doing={doing} onWrite={write} name="Create">
      <div class="pair">
        <Field name="Title" required {...box("title")} />
        <Field
          name="Kind"
          required
          list={["goal", "task", "question", "finding", "idea", "bug"]}
          {...box("type")}
        />
      </div>
      <Field name="In a sentence" {...box("summary")} />
      <Text name="Body (Markdown)" rows={8} {...box("body")} />
      <Pick label="Part of (nothing: at the top)" chosen={under} onChoose={setUnder} />
    </Frame>
  );
}

function DecisionForm({ replaces }: { replaces: string[] }) {
  const form = useForm("decision", {});
  const { texts, box } = form;
  const doing = useDoing();
  const write = (operation: string) =>
    doing.run(async () => {
      const made = await asPerson((asking) =>
        act<{ decision_id?: string; proposal_id?: string }>(operation, decisionOf(texts, replaces), {
          ...asking,
          key: `${form.key}.${operation}`,
        }),
      );
      form.end();
      go({ view: "decisions", id: made.decision_id ?? made.proposal_id ?? "" });
    });
  const proposes = (
    <button type="button" disabled={doing.busy} onClick={() => write("propose_decision")}>
      Only propose it
    </button>
  );
  return (
    <Frame
      doing={doing}
      onWrite={() => write(replaces.length ? "supersede_decision" : "record_decision")}
      name={replaces.length ? `Decide, in place of ${replaces.join(", ")}` : "Decide"}
      also={proposes}
    >
      <Field name="What is decided" required {...box("title")} />
      <Field name="About what (a topic, or path:src/ for files)" required {...box("target")} />
      <Text name="Why (Markdown)" rows={5} required {...box("rationale")} />
      <Text name="What follows from it, one a line" rows={2} {...box("consequences")} />
      <Field name="It rests on (ids, such as R007 or D003)" {...box("cites")} />
    </Frame>
  );
}

function decisionOf(texts: Texts, replaces: string[]): Arguments {
  const { title = "", target = "", rationale = "", consequences = "", cites = "" } = texts;
  const lines = consequences.split("\n").map((one) => one.trim());
  const refs = cites.split(/[\s,]+/);
  return {
    title: title.trim(),
    target: target.trim(),
    rationale: rationale.trim(),
    ...(lines.some(Boolean) && { consequences: lines.filter(Boolean) }),
    ...(refs.some(Boolean) && { cites: refs.filter(Boolean) }),
    ...(replaces.length && { old_decision_ids: replaces }),
  };
}

function NoteForm({ about }: { about?: string | undefined }) {
  const form = useForm("note", {});
  const doing = useDoing();
  const write = () =>
    doing.run(async () => {
      const cites = about ? { cites: [about] } : {};
      const note = { type: "note", description: (form.texts.text ?? "").trim(), ...cites };
      await act("audit_event", note, { key: form.key });
      form.end();
    });
  return (
    <Frame doing={doing} onWrite={write} name="Note it">
      <Text
        name={about ? `About ${about}` : "What should be on the record?"}
        rows={4}
        required
        {...form.box("text")}
      />
      <p class="soft">It stands in the timeline, with your name and the time.</p>
    </Frame>
  );
}

interface Framed {
  doing: ReturnType<typeof useDoing>;
  onWrite: () => void;
  name: string;
  also?: preact.ComponentChildren;
  children: preact.ComponentChildren;
}

function Frame({ doing, onWrite, name, also, children }: Framed) {
  return (
    <form
      class="writing"
      onSubmit={(event) => {
        event.preventDefault();
        onWrite();
      }}
    >
      {children}
      {doing.problem && <Wrong problem={doing.problem} />}
      <p class="tools">
        <button type="submit" class="main" disabled={doing.busy}>
          {name}
        </button>
        {also}
        <button type="button" class="quiet" onClick={() => (writing.value = null)}>
          Later
        </button>
        <span class="soft">What you type is kept in this browser.</span>
      </p>
    </form>
  );
}

interface Typing {
  name: string;
  text: string;
  required?: boolean;
  onType: (text: string) => void;
}

function Field({ name, text, required = false, list, onType }: Typing & { list?: string[] }) {
  return (
    <label class="field">
      <span>{name}</span>
      <input
        value={text}
        required={required}
        list={list ? "kinds-there-are" : undefined}
        onInput={(event) => onType(event.currentTarget.value)}
      />
      {list && (
        <datalist id="kinds-there-are">
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </label>
  );
}

function Text({ name, text, rows, required = false, onType }: Typing & { rows: number }) {
  const [shows, setShows] = useState(false);
  return (
    <div class="text">
      <label class="field">
        <span>{name}</span>
        <textarea
          rows={rows}
          value={text}
          required={required}
          onInput={(event) => onType(event.currentTarget.value)}
        />
      </label>
      {text.trim() && (
        <button type="button" class="quiet" aria-pressed={shows} onClick={() => setShows(!shows)}>
          {shows ? "Hide preview" : "Preview"}
        </button>
      )}
      {shows && <Prose text={text} />}
    </div>
  );
}
