// Everything at once: records, decisions, entries, files and what is in them, checkpoints, commits.

import { useState } from "preact/hooks";

import { useAsk, useSettled } from "../asking";
import { Badge, When, Who } from "../parts/Badge";
import { placeOf, placeOfRef } from "../parts/found";
import { Marked } from "../parts/Marked";
import { Await, Empty } from "../parts/Notice";
import { href, refine, route } from "../route";
import type { Thing, ThingsFound } from "../shapes";
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
/** What is called otherwise by people; of entities the type begins their id. */
const ONE: Record<string, string> = {
  timeline: "entry",
  messageThread: "thread",
  chatThread: "chat",
  agentGraph: "graph",
  agentGraphExecution: "run",
  textDocument: "document",
  modelConnection: "model",
};

/** What a search can be narrowed down by: what it is called, and may look like; else it is a day. */
const NARROWED: Record<string, { label: string; hint?: string }> = {
  author: { label: "Who", hint: "ada" },
  path: { label: "File or folder", hint: "src/" },
  state: { label: "State", hint: "OPEN, active" },
  since: { label: "Since" },
  until: { label: "Until" },
};

export default function Search() {
  const { q = "", kind = "", ...rest } = route.value.query;
  const words = useSettled(q.trim());
  const given = Object.keys(NARROWED).flatMap((name) =>
    rest[name]?.trim() ? [[name, rest[name].trim()]] : [],
  );
  const where = useSettled(JSON.stringify(Object.fromEntries(given)));
  const asked = useAsk<ThingsFound>(
    "search",
    words
      ? {
          query: words,
          limit: 50,
          ...(kind && { kinds: [kind] }),
          ...(where !== "{}" && { where: JSON.parse(where) as Record<string, string> }),
        }
      : null,
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
        <Narrow query={rest} isUsed={given.length > 0} />
      </div>
      {!words ? (
        <Empty title="Type a few words">
          Records, decisions, the timeline, files and what is in them, checkpoints and commits are searched
          together.
        </Empty>
      ) : (
        <Await asked={asked}>
          {(found) => (
            <>
              {found.results.length === 0 && (
                <Empty title="Nothing matches">
                  {given.length ? "Try other words, or narrow it down less." : "Try fewer or other words."}
                </Empty>
              )}
              <Corrected words={found.corrected} />
              <ul class="results">
                {found.results.map((one) => (
                  <li key={`${one.kind} ${one.id}`}>
                    <Found one={one} query={words} />
                    <Instead of={one.instead} />
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

/** Fields that narrow a search down, which most searches do without. */
function Narrow({ query, isUsed }: { query: Record<string, string | undefined>; isUsed: boolean }) {
  const [isOpen, setOpen] = useState(isUsed);
  return (
    <details class="narrowing" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Narrow down</summary>
      {Object.entries(NARROWED).map(([name, { label, hint }]) => {
        const value = query[name] ?? "";
        const onInput = (event: { currentTarget: HTMLInputElement }) =>
          refine({ [name]: event.currentTarget.value || undefined });
        return (
          <label key={name}>
            <span>{label}</span>
            {hint ? (
              <input type="text" value={value} placeholder={hint} onInput={onInput} />
            ) : (
              <input type="date" value={value} onInput={onInput} />
            )}
          </label>
        );
      })}
    </details>
  );
}

/** Which words were taken for others. */
function Corrected({ words }: { words: Record<string, string> | undefined }) {
  const pairs = Object.entries(words ?? {});
  if (!pairs.length) return null;
  return (
    <p class="soft" role="status">
      {pairs.map(([asked, meant]) => `“${asked}” was taken for “${meant}”`).join(", ")}.
    </p>
  );
}

/** What holds in the place of something that no longer does. */
function Instead({ of }: { of: string | undefined }) {
  const place = of ? placeOfRef(of) : null;
  if (!of) return null;
  return (
    <p class="instead">
      Holds instead: {place ? <a href={href(place)}>{of}</a> : <span class="id">{of}</span>}
    </p>
  );
}

function Found({ one, query }: { one: Thing; query: string }) {
  const { author, at, line, snippet } = one;
  const title = plain(one.title || one.id);
  const kind = one.kind === "entity" ? (one.id.split("::")[0] ?? "") : one.kind;
  const isNamed = one.kind !== "entity" && one.kind !== "file";
  return (
    <a href={href(placeOf(one))}>
      <span class="title">
        <span class={`kind of-${one.kind === "timeline" ? "session" : one.kind}`}>{ONE[kind] ?? kind}</span>{" "}
        {isNamed && <span class="id">{one.id.replace(/^commit:(.{8}).*/, "$1")}</span>}{" "}
        <strong>
          <Marked text={title} query={query} />
        </strong>{" "}
        {line && <span class="id">line {line}</span>} {one.status && <Badge of={one.status} />}
      </span>
      <small>
        {one.words?.length === 0 && <span class="soft">by meaning or what is around it</span>}{" "}
        {author && <Who actor={author} />} {at && <When at={at} />}
      </small>
      {line ? (
        <code class="found-line">
          <Marked text={snippet} query={query} />
        </code>
      ) : (
        says(one) && (
          <p>
            <Marked text={bare(plain(saysOnly(one)))} query={query} />
          </p>
        )
      )}
    </a>
  );
}

/** What was found without the title that it begins with. */
function saysOnly({ snippet, title }: Thing): string {
  return snippet.startsWith(`${title} `) ? snippet.slice(title.length + 1) : snippet;
}

/** Whether what was found says more than its title. */
function says({ snippet, title, id }: Thing): boolean {
  const text = snippet.trim();
  return text !== "" && text !== title.trim() && `path:${text}` !== id && text !== id;
}
