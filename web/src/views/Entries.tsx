// The entries of a timeline: read as one scrolls, kept up to date, gone through by keys.

import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";

import { asProblem, useAsk } from "../asking";
import { Kind, Lines, Who } from "../parts/Badge";
import { placeOfRef } from "../parts/found";
import { Long } from "../parts/Long";
import { Named } from "../parts/Named";
import { Empty, Loading, Wrong } from "../parts/Notice";
import { Pages } from "../parts/pages";
import { href, refine, route } from "../route";
import type { Timeline } from "../shapes";
import { isTyping } from "../shell/keys";
import { head, settledHead } from "../state";
import { clock, counted, day, moment } from "../words";
import { Detail, detailPx } from "./Detail";
import {
  beginsStep,
  BUDGET_TOKENS,
  entriesOf,
  type Filtered,
  type Order,
  type Row,
  said,
  stepAt,
  stepKey,
  type StepOf,
} from "./rows";
import "../styles/timeline.css";

const ROW_PX = 44;
/** Two lines of words below the time. */
const NARROW_ROW_PX = 86;
const STEP_PX = 38;
const NARROW_STEP_PX = 56;
const SUBJECT_CHARS = 12;

interface Looked extends Filtered {
  seq: number | undefined;
}

export function Entries({ session, order, kind, actor, path, seq }: Looked) {
  const [turn, again] = useReducer((turn: number) => turn + 1, 0);
  const [from, setFrom] = useState(head.value);
  const pages = useMemo(
    () => new Pages<Row>(entriesOf({ session, order, kind, actor, path }), () => again(0)),
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
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const [open, setOpen] = useState<number | undefined>(undefined);
  useEffect(() => {
    if (isBehind && first === 0 && open === undefined) setFrom(settledHead.value);
  }, [isBehind, first, open === undefined]);
  const steps = useSteps(session);
  const shown = pages.begun || !old.current.begun ? pages : old.current;
  const narrow = useNarrow();
  const toggle = (place: number) => {
    const isOpen = open === shown.row(place)?.seq;
    setChosen(place);
    setOpen(isOpen ? undefined : shown.row(place)?.seq);
    refine({ seq: isOpen ? undefined : shown.row(place)?.seq });
  };
  useAddressed(shown, seq, order, (place) => {
    setChosen(place);
    setOpen(shown.row(place)?.seq);
  });
  useWalking(shown, chosen, setChosen, toggle);

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
  const isStep = (place: number) => session !== "" && beginsStep(shown, place, order);
  const isOpen = (place: number) => open !== undefined && shown.row(place)?.seq === open;
  return (
    <div class="entries">
      {isBehind && (first > 0 || open !== undefined) && (
        <button type="button" class="fresh" onClick={() => setFrom(settledHead.value)}>
          New entries: show them
        </button>
      )}
      <Long
        key={from}
        count={shown.length}
        height={(place) =>
          (narrow ? NARROW_ROW_PX : ROW_PX) +
          (isStep(place) ? (narrow ? NARROW_STEP_PX : STEP_PX) : 0) +
          (isOpen(place) ? detailPx(shown.row(place)) : 0)
        }
        stamp={`${turn} ${narrow} ${open}`}
        label={session ? "Entries of the session" : "Entries of the project"}
        look={chosen}
        onSight={(begin, end) => {
          setFirst(begin);
          shown.want(begin, end);
        }}
      >
        {(place) => (
          <>
            {isStep(place) && <StepHead step={stepAt(shown, place, order) as StepOf} steps={steps} />}
            <Entry
              row={shown.row(place)}
              above={shown.row(place - 1)}
              isOfMany={!session}
              chosen={place === chosen}
              open={isOpen(place)}
              toggle={() => toggle(place)}
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
  /** Whether its detail is shown. */
  open: boolean;
  toggle: () => void;
}

function Entry(told: Told) {
  const { row, chosen, open, isOfMany, toggle } = told;
  if (!row) return <div class="entry is-waiting">…</div>;
  const onClick = (event: MouseEvent) => {
    const isElsewhere = event.target instanceof Element && event.target.closest("a, button");
    if (!isElsewhere && getSelection()?.isCollapsed !== false) toggle();
  };
  const looks = `${chosen ? " is-chosen" : ""}${open ? " is-open" : ""}${isOfMany ? " is-of-many" : ""}`;
  return (
    <>
      <div class={`entry${looks}`} onClick={onClick}>
        <Cells {...told} row={row} />
      </div>
      {open && <Detail row={row} />}
    </>
  );
}

function Cells({ row, above, isOfMany, open, toggle }: Told & { row: Row }) {
  const isNewDay = !above || day(above.at) !== day(row.at);
  return (
    <>
      <time dateTime={row.at} title={moment(row.at)}>
        {isNewDay ? <b>{day(row.at)}</b> : null} {clock(row.at)}
      </time>
      <Kind of={row.kind} />
      <span class="what">
        <Named text={said(row)} />
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
      <button
        type="button"
        class="quiet unfold"
        aria-expanded={open}
        aria-label={open ? "Close the detail" : `Open the detail of s:${row.seq}`}
        onClick={toggle}
      >
        <span aria-hidden="true">{open ? "▾" : "▸"}</span>
      </button>
    </>
  );
}

/** Where one can go from an entry. */
function Ways({ row }: { row: Row }) {
  const isNamed = row.subject !== undefined && said(row).includes(row.subject);
  const subject = row.subject && !isNamed ? placeOfRef(row.subject) : null;
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

/** How many entries are read to find the one that the address names. */
const SOUGHT_MAX = 10_000;

/** Find the entry that the address names when the list is first there, reading on if need be. */
function useAddressed(
  pages: Pages<Row>,
  seq: number | undefined,
  order: Order,
  found: (place: number) => void,
): void {
  const [sought, setSought] = useState(seq);
  useEffect(() => {
    if (sought === undefined) return;
    const isPast = (row: Row) =>
      order === "oldest" ? row.seq >= sought : (row.first_seq ?? row.seq) <= sought;
    for (let place = 0; place < pages.read; place += 1) {
      const row = pages.row(place);
      if (!row || !isPast(row)) continue;
      setSought(undefined);
      found(place);
      return;
    }
    if (pages.begun && !pages.isWhole && pages.read < SOUGHT_MAX) pages.want(pages.read, pages.read);
  });
}

/** Move by `j` and `k`; Enter opens the entry and shuts it. */
function useWalking(
  pages: Pages<Row>,
  chosen: number | undefined,
  choose: (place: number) => void,
  toggle: (place: number) => void,
): void {
  // Keys may come faster than the list is drawn.
  const at = useRef(chosen);
  at.current = chosen;
  const move = (place: number) => {
    at.current = Math.max(0, Math.min(place, pages.length - 1));
    choose(at.current);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const isOnLink = event.target instanceof HTMLAnchorElement || event.target instanceof HTMLButtonElement;
      if (event.key === "j") move((at.current ?? -1) + 1);
      if (event.key === "k") move((at.current ?? 1) - 1);
      if (event.key === "Enter" && !isOnLink && at.current !== undefined) toggle(at.current);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}
