// Decisions that a search found. The page's own view reads all chains of a project; here each question
// goes through the host, so only what one opens is asked for.

import { useAsk } from "../src/asking";
import { Badge } from "../src/parts/Badge";
import { Graph } from "../src/parts/Graph";
import { Await, Empty } from "../src/parts/Notice";
import { href, refine, route } from "../src/route";
import type { DecisionInContext, DecisionsFound } from "../src/shapes";
import { DecisionView } from "../src/views/Decision";

const MODES = { balanced: "What holds first", strict: "Only what holds", audit: "All history" };
const LIMIT = 20;

export function Found() {
  const { id, query } = route.value;
  const { q = "", mode = "balanced" } = query;
  return (
    <section class="view decisions">
      <header class="head">
        <h1>Decisions</h1>
        <Asking words={q} mode={mode} />
      </header>
      <div class={id ? "beside" : ""}>
        {q ? (
          <Results words={q} mode={mode} current={id} />
        ) : (
          <Empty title="What was decided about…">Say what in the field above.</Empty>
        )}
        {id && (
          <div>
            <DecisionView key={id} id={id} />
            <Chain id={id} />
          </div>
        )}
      </div>
    </section>
  );
}

function Asking({ words, mode }: { words: string; mode: string }) {
  // Not a form: most hosts do not let a view submit one.
  return (
    <div class="filters" role="search">
      <label>
        <span>Find</span>
        <input
          type="search"
          value={words}
          onChange={(event) => refine({ q: event.currentTarget.value.trim() })}
        />
      </label>
      <label>
        <span>Show</span>
        <select value={mode} onChange={(event) => refine({ mode: event.currentTarget.value })}>
          {Object.entries(MODES).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Results({ words, mode, current }: { words: string; mode: string; current: string }) {
  const asked = useAsk<DecisionsFound>("search_decisions", { query: words, mode, limit: LIMIT });
  return (
    <Await asked={asked}>
      {({ results }) =>
        results.length === 0 ? (
          <Empty title="No decision matches">Try other words, or show all history.</Empty>
        ) : (
          <ul class="results">
            {results.map((one) => (
              <li key={one.id}>
                <a
                  href={href({ view: "decisions", id: one.id, query: { q: words, mode } })}
                  aria-current={one.id === current ? "true" : undefined}
                >
                  <span class="id">{one.id}</span> <strong>{one.title}</strong> <Badge of={one.status} />
                  <small>{one.target}</small>
                  <p>{one.preview}</p>
                </a>
              </li>
            ))}
          </ul>
        )
      }
    </Await>
  );
}

/** What a decision replaced, and what replaced it. */
function Chain({ id }: { id: string }) {
  const { q, mode } = route.value.query;
  const asked = useAsk<DecisionInContext>("get_decision", { decision_id: id });
  const chain = asked.value?.chain ?? [];
  if (chain.length < 2) return null;
  const boxes = chain.map((one) => ({
    id: one.id,
    title: one.title,
    about: `${one.id} ${one.status}`,
    look: `is-${one.status}`,
    to: href({ view: "decisions", id: one.id, query: { q, mode } }),
  }));
  const arrows = chain.flatMap((one) => (one.supersedes ?? []).map((old) => ({ from: old, to: one.id })));
  return <Graph boxes={boxes} arrows={arrows} label="Which decision replaced which" current={id} />;
}
