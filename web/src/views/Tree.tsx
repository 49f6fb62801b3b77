// Records as a tree that one can rearrange, or as a list of those that match.

import { useState } from "preact/hooks";

import { asProblem, useAsk } from "../asking";
import type { Problem } from "../api";
import { Badge } from "../parts/Badge";
import { Await, Wrong } from "../parts/Notice";
import { href, route } from "../route";
import { dragged, drop, moved, putBack, selected, tick } from "../selecting";
import type { RecordList, RecordRef, State } from "../shapes";
import { counted, stateName } from "../words";

const LIMIT = 200;
const FOUND = 100;

/** The records of a state, or those that words find, or both. */
export function Flat({ state, words }: { state: State | undefined; words: string }) {
  const listed = useAsk<RecordList>(
    "list_records",
    words ? null : { ...(state && { states: [state] }), limit: LIMIT },
  );
  const found = useAsk<{ results: RecordRef[] }>(
    "search_records",
    words ? { query: words, ...(state && { states: [state] }), limit: FOUND } : null,
  );
  const shows = (records: RecordRef[], total: number) =>
    records.length ? (
      <ul>
        {records.map((one) => (
          <li key={one.id} class="row">
            <Tick record={one} />
            <Leaf record={one} />
          </li>
        ))}
        {total > records.length && (
          <li class="soft">
            The first {records.length} of {total}: words find the rest
          </li>
        )}
      </ul>
    ) : (
      <p class="nothing">
        {words ? "No record says that." : `No record is ${stateName(state ?? "").toLowerCase()}.`}
      </p>
    );
  return words ? (
    <Await asked={found}>{({ results }) => shows(results, results.length)}</Await>
  ) : (
    <Await asked={listed}>{({ records = [], total }) => shows(records, total)}</Await>
  );
}

export function Tree() {
  const [problem, setProblem] = useState<Problem | null>(null);
  const onDrop = (to: RecordRef | null) => {
    setProblem(null);
    drop(to).catch((error: unknown) => setProblem(asProblem(error)));
  };
  return (
    <>
      {problem && <Wrong problem={problem} />}
      <Moved />
      <Branch parent={null} depth={0} onDrop={onDrop} />
      {/* Below, since whatever appears above would move what one is aiming at. */}
      <Top onDrop={onDrop} />
    </>
  );
}

function Moved() {
  const last = moved.value;
  return (
    <div role="status">
      {last && (
        <p class="well small">
          {last.record.id} is {last.to ? `under ${last.to.id}` : "at the top"} now.{" "}
          <button type="button" class="quiet" onClick={() => void putBack()}>
            Undo
          </button>
        </p>
      )}
    </div>
  );
}

type Dropping = (to: RecordRef | null) => void;

/** Where one drops what should lie under nothing. */
function Top({ onDrop }: { onDrop: Dropping }) {
  if (!dragged.value?.parent_id) return null;
  return (
    <p class="drop-top" onDragOver={(event) => event.preventDefault()} onDrop={() => onDrop(null)}>
      To the top level
    </p>
  );
}

interface Grown {
  parent: string | null;
  depth: number;
  onDrop: Dropping;
}

function Branch(grown: Grown) {
  return (
    <ul class="tree">
      <Rows {...grown} />
    </ul>
  );
}

/** A page of what lies under a record; the next comes below it, when somebody wants it. */
function Rows({ parent, depth, onDrop, cursor }: Grown & { cursor?: string }) {
  const [isOn, setOn] = useState(false);
  const asked = useAsk<RecordList>("list_records", { parent_id: parent, limit: LIMIT, cursor });
  if (asked.problem)
    return (
      <li>
        <Wrong problem={asked.problem} again={asked.again} />
      </li>
    );
  const found = asked.value;
  if (!found) return <li class="loading">One moment…</li>;
  return (
    <>
      {found.records?.map((one) => (
        <Node key={one.id} record={one} depth={depth} onDrop={onDrop} />
      ))}
      {found.nextCursor &&
        (isOn ? (
          <Rows parent={parent} depth={depth} onDrop={onDrop} cursor={found.nextCursor} />
        ) : (
          <li>
            <button type="button" class="quiet" onClick={() => setOn(true)}>
              Show more of {counted(found.total, "record")}
            </button>
          </li>
        ))}
      {depth === 0 && !cursor && !found.records?.length && (
        <li class="nothing">No records yet. Write the first, or let an agent do it.</li>
      )}
    </>
  );
}

function Node({ record, depth, onDrop }: { record: RecordRef; depth: number; onDrop: Dropping }) {
  const [open, setOpen] = useState(depth < 2 && record.state === "OPEN");
  const [over, setOver] = useState(false);
  return (
    <li>
      <div
        class={over ? "row is-over" : "row"}
        draggable
        onDragStart={() => (dragged.value = record)}
        onDragEnd={() => (dragged.value = null)}
        onDragOver={(event) => {
          if (!dragged.value || dragged.value.id === record.id) return;
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          setOpen(true);
          onDrop(record);
        }}
      >
        <Tick record={record} />
        {record.children_count > 0 ? (
          <button
            type="button"
            class="quiet fold"
            aria-expanded={open}
            aria-label={`${open ? "Close" : "Open"} ${record.id}`}
            onClick={() => setOpen(!open)}
          >
            {open ? "▾" : "▸"}
          </button>
        ) : (
          <span class="fold" />
        )}
        <Leaf record={record} />
      </div>
      {open && record.children_count > 0 && <Branch parent={record.id} depth={depth + 1} onDrop={onDrop} />}
    </li>
  );
}

function Tick({ record }: { record: RecordRef }) {
  if (!selected.value) return null;
  return (
    <label class="tick">
      <input type="checkbox" checked={selected.value.has(record.id)} onChange={() => tick(record.id)} />
      <span class="for-ears">Select {record.id}</span>
    </label>
  );
}

function Leaf({ record }: { record: RecordRef }) {
  const { state, q } = route.value.query;
  return (
    <a
      href={href({ view: "records", id: record.id, query: { state, q } })}
      aria-current={route.value.id === record.id ? "true" : undefined}
      draggable={false}
    >
      <span class={`title is-${record.state.toLowerCase()}`}>{record.title}</span>
      <small>
        {record.id} {record.type} {record.state !== "OPEN" && <Badge of={record.state} />}
        {record.open_children_count > 0 && ` · ${record.open_children_count} open below`}
      </small>
    </a>
  );
}
