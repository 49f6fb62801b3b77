// Records: the tree at one side, the record one looks at on the other.

import { useState } from "preact/hooks";

import { useAsk } from "../asking";
import { Badge } from "../parts/Badge";
import { Await, Empty } from "../parts/Notice";
import { href, refine, route } from "../route";
import type { RecordList, RecordRef, State } from "../shapes";
import { RecordView } from "./Record";

const STATES: State[] = ["OPEN", "LATER", "RESOLVED", "DISCARDED"];
const LIMIT = 500;

export default function Records() {
  const { id, query } = route.value;
  const state = query.state as State | undefined;
  return (
    <section class="view records">
      <header class="head">
        <h1>Records</h1>
        <div class="filters" role="group" aria-label="Filter by state">
          <button
            type="button"
            class="chip"
            aria-pressed={!state}
            onClick={() => refine({ state: undefined })}
          >
            Tree
          </button>
          {STATES.map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={state === one}
              onClick={() => refine({ state: one })}
            >
              {one}
            </button>
          ))}
        </div>
      </header>
      <div class={id ? "two has-one" : "two"}>
        <nav class="list" aria-label="Records">
          {state ? <Flat state={state} /> : <Branch parent={null} depth={0} />}
        </nav>
        {id ? (
          <RecordView key={id} id={id} />
        ) : (
          <Empty title="Choose a record">It is shown here with its history.</Empty>
        )}
      </div>
    </section>
  );
}

function Flat({ state }: { state: State }) {
  const asked = useAsk<RecordList>("list_records", { states: [state], limit: LIMIT });
  return (
    <Await asked={asked}>
      {(found) =>
        found.records?.length ? (
          <ul>
            {found.records.map((one) => (
              <li key={one.id}>
                <Leaf record={one} />
              </li>
            ))}
            {found.nextCursor && (
              <li class="soft">
                The first {LIMIT} of {found.total}: search finds the rest
              </li>
            )}
          </ul>
        ) : (
          <p class="nothing">No record is {state.toLowerCase()}.</p>
        )
      }
    </Await>
  );
}

function Branch({ parent, depth }: { parent: string | null; depth: number }) {
  const asked = useAsk<RecordList>("list_records", { parent_id: parent, limit: LIMIT });
  return (
    <Await asked={asked}>
      {(found) => (
        <ul class="tree">
          {found.records?.map((one) => (
            <Node key={one.id} record={one} depth={depth} />
          ))}
          {found.nextCursor && <li class="soft">… and more: search finds them</li>}
          {depth === 0 && !found.records?.length && (
            <li class="nothing">No records yet. An agent writes the first with create_record.</li>
          )}
        </ul>
      )}
    </Await>
  );
}

function Node({ record, depth }: { record: RecordRef; depth: number }) {
  const [open, setOpen] = useState(depth < 2 && record.state === "OPEN");
  return (
    <li>
      <div class="row">
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
      {open && record.children_count > 0 && <Branch parent={record.id} depth={depth + 1} />}
    </li>
  );
}

function Leaf({ record }: { record: RecordRef }) {
  return (
    <a
      href={href({ view: "records", id: record.id, query: { state: route.value.query.state } })}
      aria-current={route.value.id === record.id ? "true" : undefined}
    >
      <span class={`title is-${record.state.toLowerCase()}`}>{record.title}</span>
      <small>
        {record.id} {record.type} {record.state !== "OPEN" && <Badge of={record.state} />}
        {record.open_children_count > 0 && ` · ${record.open_children_count} open below`}
      </small>
    </a>
  );
}
