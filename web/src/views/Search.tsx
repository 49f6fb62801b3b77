// Everything at once: records, decisions, entries, files, checkpoints, commits.

import { useAsk } from "../asking";
import { Badge } from "../parts/Badge";
import { placeOf } from "../parts/found";
import { Await, Empty } from "../parts/Notice";
import { href, refine, route } from "../route";
import type { ThingsFound } from "../shapes";

const KINDS = ["record", "decision", "timeline", "file", "checkpoint", "commit"];

export default function Search() {
  const { q = "", kind = "" } = route.value.query;
  const asked = useAsk<ThingsFound>(
    "search",
    q.trim() ? { query: q, limit: 50, ...(kind && { kinds: [kind] }) } : null,
  );
  return (
    <section class="view">
      <header class="head">
        <h1>Search</h1>
      </header>
      <div class="filters" role="search">
        <label class="wide">
          <span>Words</span>
          <input
            type="search"
            value={q}
            autofocus
            placeholder="What are you looking for?"
            onInput={(event) => refine({ q: event.currentTarget.value || undefined })}
          />
        </label>
        <div class="chips" role="group" aria-label="Kinds">
          {["", ...KINDS].map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={kind === one}
              onClick={() => refine({ kind: one || undefined })}
            >
              {one || "everything"}
            </button>
          ))}
        </div>
      </div>
      {!q.trim() ? (
        <Empty title="Type a few words">
          Records, decisions, the timeline, files, checkpoints and commits are searched together.
        </Empty>
      ) : (
        <Await asked={asked}>
          {(found) => (
            <>
              {found.results.length === 0 && <Empty title="Nothing matches">Try fewer or other words.</Empty>}
              <ul class="results">
                {found.results.map((one) => (
                  <li key={`${one.kind} ${one.id}`}>
                    <a href={href(placeOf(one))}>
                      <span class={`kind of-${one.kind === "timeline" ? "session" : one.kind}`}>
                        {one.kind}
                      </span>{" "}
                      <span class="id">{one.id}</span> <strong>{one.title}</strong>{" "}
                      {one.status && <Badge of={one.status} />}
                      {one.snippet !== one.title && <p>{one.snippet}</p>}
                    </a>
                  </li>
                ))}
              </ul>
              {found.index.startsWith("none") && found.results.length > 0 && (
                <p class="soft">Found by words only: nothing here finds by meaning.</p>
              )}
            </>
          )}
        </Await>
      )}
    </section>
  );
}
