// Records: the tree at one side, the record one looks at on the other.

import { useSettled } from "../asking";
import { Empty } from "../parts/Notice";
import { go, refine, route } from "../route";
import { selected } from "../selecting";
import type { State } from "../shapes";
import { stateName } from "../words";
import { writing } from "../writing";
import { Bulk } from "./Bulk";
import { RecordView } from "./Record";
import { Flat, Tree } from "./Tree";
import "../styles/records.css";
import "../styles/writing.css";

const STATES: State[] = ["OPEN", "LATER", "RESOLVED", "DISCARDED"];

export default function Records() {
  const { id, query } = route.value;
  const state = query.state as State | undefined;
  const words = useSettled((query.q ?? "").trim());
  return (
    <section class={id ? "view records has-one" : "view records"}>
      <header class="head">
        <h1>Records</h1>
        <div class="filters">
          <label>
            <span>Filter</span>
            <input
              type="search"
              placeholder="Words of a record"
              value={query.q ?? ""}
              onInput={(event) => refine({ q: event.currentTarget.value || undefined })}
            />
          </label>
          <div class="chips" role="group" aria-label="Filter by state">
            {[undefined, ...STATES].map((one) => (
              <button
                key={one ?? ""}
                type="button"
                class="chip"
                aria-pressed={state === one}
                onClick={() => refine({ state: one })}
              >
                {one ? stateName(one) : "all"}
              </button>
            ))}
          </div>
          <button
            type="button"
            class="quiet"
            aria-pressed={selected.value !== null}
            onClick={() => (selected.value = selected.value ? null : new Set())}
          >
            Select
          </button>
        </div>
        <button type="button" class="main" onClick={() => (writing.value = { what: "record" })}>
          New record
        </button>
      </header>
      <Bulk />
      <div class={id ? "two has-one" : "two"}>
        <nav class="list" aria-label="Records">
          {state || words ? <Flat state={state} words={words} /> : <Tree />}
        </nav>
        {id ? (
          <div>
            <button type="button" class="quiet to-list" onClick={() => go({ view: "records", query })}>
              ← All records
            </button>
            <RecordView key={id} id={id} />
          </div>
        ) : (
          <Empty title="Choose a record">It is shown here with its history.</Empty>
        )}
      </div>
    </section>
  );
}
