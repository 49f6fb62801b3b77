// Everything at once: records, decisions, entries, files and what is in them, checkpoints, commits.

import { useEffect, useState } from "preact/hooks";

import { useAsk, useSettled } from "../asking";
import { Badge, When, Who } from "../parts/Badge";
import { placeOf } from "../parts/found";
import { Marked } from "../parts/Marked";
import { Await, Empty } from "../parts/Notice";
import { href, refine, route } from "../route";
import type { Thing, ThingsFound } from "../shapes";
import { lookUp } from "../cards";
import { bare, plain } from "../words";
import "../styles/search.css";

const KINDS: Record<string, string> = {
  record: "records",
  decision: "decisions",
  timeline: "entries",
  file: "files",
  checkpoint: "checkpoints",
  entity: "chats, runs, documents",
  commit: "commits",
};
const ONE: Record<string, string> = { timeline: "entry", entity: "thing" };

export default function Search() {
  const { q = "", kind = "" } = route.value.query;
  const words = useSettled(q.trim());
  const asked = useAsk<ThingsFound>(
    "search",
    words ? { query: words, limit: 50, ...(kind && { kinds: [kind] }) } : null,
  );
  return (
    <section class="view searching">
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
          {["", ...Object.keys(KINDS)].map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={kind === one}
              onClick={() => refine({ kind: one || undefined })}
            >
              {KINDS[one] ?? "everything"}
            </button>
          ))}
        </div>
      </div>
      {!words ? (
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
                    <Found one={one} query={words} />
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

function Found({ one, query }: { one: Thing; query: string }) {
  const told = useTold(one);
  const by = one.author ?? told?.by;
  const at = one.at ?? told?.at;
  const title = plain(one.title || one.id);
  return (
    <a href={href(placeOf(one))}>
      <span class={`kind of-${one.kind === "timeline" ? "session" : one.kind}`}>
        {ONE[one.kind] ?? one.kind}
      </span>{" "}
      {one.kind !== "entity" && <span class="id">{one.id.replace(/^path:/, "")}</span>}{" "}
      {title !== one.id.replace(/^path:/, "") && (
        <strong>
          <Marked text={title} query={query} />
        </strong>
      )}{" "}
      {one.status && <Badge of={one.status} />}
      {says(one) && (
        <p>
          <Marked text={bare(plain(one.snippet))} query={query} />
        </p>
      )}
      {(by || at) && (
        <small>
          {by && <Who actor={by} />} {at && <When at={at} />}
        </small>
      )}
    </a>
  );
}

/** Whether what was found says more than its title. */
function says({ snippet, title, id }: Thing): boolean {
  const text = snippet.trim();
  return text !== "" && text !== title.trim() && `path:${text}` !== id && text !== id;
}

/** Who wrote it and when, where the answer itself does not say. */
function useTold(one: Thing): { by?: string; at?: string } | null {
  const [told, setTold] = useState<{ by?: string; at?: string } | null>(null);
  const lacks = !one.at && (one.kind === "decision" || one.kind === "file" || one.kind === "timeline");
  useEffect(() => {
    let isOver = false;
    if (lacks) void lookUp(one.id).then((card) => !isOver && setTold(card));
    return () => {
      isOver = true;
    };
  }, [one.id, lacks]);
  return told;
}
