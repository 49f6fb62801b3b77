// The entries of a timeline: read as one scrolls, kept up to date, gone through by keys.

import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";

import { asProblem, useAsk } from "../asking";
import { Kind, Lines, Who } from "../parts/Badge";
import { placeOfRef } from "../parts/found";
import { Long } from "../parts/Long";
import { Empty, Loading, Wrong } from "../parts/Notice";
import { Pages } from "../parts/pages";
import { href, route } from "../route";
import type { Timeline } from "../shapes";
import { isTyping } from "../shell/keys";
import { head, settledHead } from "../state";
import { clock, counted, day, moment } from "../words";
import {
  beginsStep,
  BUDGET_TOKENS,
  entriesOf,
  type Filtered,
  type Row,
  said,
  stepAt,
  stepKey,
  type StepOf,
} from "./rows";

const ROW_PX = 44;
const NARROW_ROW_PX = 72;
const STEP_PX = 38;
const SUBJECT_CHARS = 12;

interface Looked extends Filtered {
  seq: number | undefined;
}

export function Entries({ session, kind, actor, path, seq }: Looked) {
  const [turn, again] = useReducer((turn: number) => turn + 1, 0);
  const [from, setFrom] = useState(head.value);
  const pages = useMemo(
    () => new Pages<Row>(entriesOf({ session, kind, actor, path }), () => again(0)),
    [from],
  );
  const old = useRef(pages);
  if (pages.begun) old.current = pages;
  useEffect(() => {
    pages.want(0, 0);
    return () => pages.stop();
  }, [pages]);
  const [first, setFirst] = useState(0);
  // At the top one sees what is new at once; further down nothing moves under the eyes.
  const isBehind = settledHead.value > from;
  useEffect(() => {
    if (isBehind && first === 0) setFrom(settledHead.value);
  }, [isBehind, first]);
  const steps = useSteps(session);
  const shown = pages.begun || !old.current.begun ? pages : old.current;
  const narrow = useNarrow();
  const [chosen, setChosen] = useChosen(shown, seq);

  if (shown.problem)
    return <Wrong problem={asProblem(shown.problem)} again={() => setFrom(settledHead.value)} />;
  if (!shown.begun) return <Loading />;
  if (shown.length === 0) {
    return (
      <Empty title="Nothing happened here yet">
        An agent that connects to Hansard leaves its first entry at once.
      </Empty>
    );
  }
  // Of many sessions, each with a plan of its own, steps would lie across each other.
  const isStep = (place: number) => session !== "" && beginsStep(shown, place);
  return (
    <div class="entries">
      {isBehind && first > 0 && (
        <button type="button" class="fresh" onClick={() => setFrom(settledHead.value)}>
          New entries: show them
        </button>
      )}
      <Long
        key={from}
        count={shown.length}
        height={(place) => (narrow ? NARROW_ROW_PX : ROW_PX) + (isStep(place) ? STEP_PX : 0)}
        stamp={`${turn} ${narrow}`}
        label={session ? "Entries of the session" : "Entries of the project"}
        look={chosen}
        onSight={(begin, end) => {
          setFirst(begin);
          shown.want(begin, end);
        }}
      >
        {(place) => (
          <>
            {isStep(place) && <StepHead step={stepAt(shown, place) as StepOf} steps={steps} />}
            <Entry
              row={shown.row(place)}
              above={shown.row(place - 1)}
              isOfMany={!session}
              chosen={place === chosen}
              choose={() => setChosen(place)}
            />
          </>
        )}
      </Long>
      <p class="count" role="status">
        {session || shown.isWhole ? "" : "About "}
        {counted(shown.length, "entry", "entries")}
        {session ? "" : "; changes that a session made to one file in a row are one"}
      </p>
    </div>
  );
}

function StepHead({ step, steps }: { step: StepOf; steps: Map<string, string> }) {
  return (
    <h2 class="step">
      <span>Step {step.index + 1}</span> {steps.get(step.key) ?? ""}
    </h2>
  );
}

interface Told {
  row: Row | undefined;
  above: Row | undefined;
  /** Whether entries of many sessions are listed. */
  isOfMany: boolean;
  chosen: boolean;
  choose: () => void;
}

function Entry({ row, above, isOfMany, chosen, choose }: Told) {
  if (!row) return <div class="entry is-waiting">…</div>;
  const isNewDay = !above || day(above.at) !== day(row.at);
  return (
    <div class={`entry${chosen ? " is-chosen" : ""}${isOfMany ? " is-of-many" : ""}`} onClick={choose}>
      <time dateTime={row.at} title={moment(row.at)}>
        {isNewDay ? <b>{day(row.at)}</b> : null} {clock(row.at)}
      </time>
      <Kind of={row.kind} />
      <span class="what">
        {said(row)}
        {row.status && !["done", "recovered"].includes(row.status) && (
          <em class="failed">
            {" "}
            {row.status}
            {row.code ? ` (${row.code})` : ""}
          </em>
        )}
        <Lines added={row.added ?? 0} removed={row.removed ?? 0} />
        {row.undone_by && <em class="soft"> undone by s:{row.undone_by}</em>}
      </span>
      <Who actor={row.actor} />
      {isOfMany && (
        <span class="about">
          {row.session_id && (
            <a href={href({ view: "timeline", query: { session: row.session_id } })}>
              {row.about ?? row.session_id}
            </a>
          )}
        </span>
      )}
      <Ways row={row} />
    </div>
  );
}

/** Where one can go from an entry. */
function Ways({ row }: { row: Row }) {
  const subject = row.subject ? placeOfRef(row.subject) : null;
  const session = row.session_id ?? route.value.query.session;
  const isMade = row.kind.startsWith("file_") && [undefined, "done", "recovered"].includes(row.status);
  const isOne = isMade && (row.count ?? 1) === 1;
  return (
    <span class="ways">
      {row.path && (
        <a href={href({ view: "evolution", query: { path: row.to ?? row.path, seq: row.seq } })}>Film</a>
      )}
      {(row.kind === "restore" || (row.path && isOne && !row.undone_by)) && (
        <a href={href({ view: "undo", query: { session, entry: `s:${row.seq}` } })}>Undo</a>
      )}
      {row.path && isMade && !isOne && (
        <a
          href={href({ view: "timeline", query: { session, path: row.path } })}
          aria-label={`Each of ${row.count} changes`}
        >
          Each
        </a>
      )}
      {subject && (
        <a href={href(subject)} title={row.subject}>
          {(row.subject ?? "").length > SUBJECT_CHARS ? "Open" : row.subject}
        </a>
      )}
    </span>
  );
}

/** The titles of the session's plan steps. */
function useSteps(session: string): Map<string, string> {
  const asked = useAsk<Timeline>(
    "get_timeline",
    session ? { session_id: session, kinds: ["plan_step"], limit: 1000, budget_tokens: BUDGET_TOKENS } : null,
  );
  return useMemo(
    () => new Map((asked.value?.timeline ?? []).map((item) => [stepKey(item), item.step ?? ""])),
    [asked.value],
  );
}

function useNarrow(): boolean {
  const query = useMemo(() => matchMedia("(max-width: 720px)"), []);
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const onChange = () => setNarrow(query.matches);
    query.addEventListener("change", onChange);
    return () => query.removeEventListener("change", onChange);
  }, []);
  return narrow;
}

/** The entry one is at: moved by `j` and `k`, begun at the one the address names. */
function useChosen(
  pages: Pages<Row>,
  seq: number | undefined,
): [number | undefined, (place: number) => void] {
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  useEffect(() => {
    if (seq === undefined || chosen !== undefined) return;
    for (let place = 0; place < pages.read; place += 1) {
      const row = pages.row(place);
      if (row && row.seq <= seq) {
        setChosen(place);
        return;
      }
    }
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey) return;
      if (event.key === "j") setChosen((was) => Math.min((was ?? -1) + 1, pages.length - 1));
      if (event.key === "k") setChosen((was) => Math.max((was ?? 1) - 1, 0));
      const isOnLink = event.target instanceof HTMLAnchorElement || event.target instanceof HTMLButtonElement;
      if (event.key === "Enter" && !isOnLink)
        document.querySelector<HTMLAnchorElement>(".entry.is-chosen .ways a, .entry.is-chosen a")?.click();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [pages]);
  return [chosen, setChosen];
}
