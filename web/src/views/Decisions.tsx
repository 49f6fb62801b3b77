// Decisions: what holds, how it came to hold, and what waits for a person to accept or reject.

import { useEffect, useState } from "preact/hooks";

import { asProblem, useAsk, useSettled } from "../asking";
import type { Problem } from "../api";
import { Badge } from "../parts/Badge";
import { type Arrow, type Box, Graph } from "../parts/Graph";
import { Await, Empty, Loading, Wrong } from "../parts/Notice";
import { href, refine, route } from "../route";
import type { ActivityList, DecisionInContext, DecisionLink, DecisionsFound } from "../shapes";
import { ask } from "../state";
import { who } from "../words";
import { writing } from "../writing";
import { DecisionView } from "./Decision";

const KINDS = [
  "decision_recorded",
  "decision_superseded",
  "proposal_accepted",
  "proposal_made",
  "proposal_edited",
  "proposal_rejected",
];
const SHOWN_MAX = 60;
const MODES = { balanced: "What holds first", strict: "Only what holds", audit: "All history" };

export default function Decisions() {
  const { id, query } = route.value;
  const activity = useAsk<ActivityList>("get_recent_activity", { types: KINDS, limit: 300 });
  const { links, problem } = useLinks(activity.value);
  const words = useSettled((query.q ?? "").trim());
  return (
    <section class="view decisions">
      <header class="head">
        <h1>Decisions</h1>
        <Asking words={query.q ?? ""} mode={query.mode ?? "balanced"} />
        <button type="button" class="main" onClick={() => (writing.value = { what: "decision" })}>
          New decision
        </button>
      </header>
      {(activity.problem || problem) && (
        <Wrong problem={(activity.problem ?? problem) as Problem} again={activity.again} />
      )}
      {words ? (
        <div class={id ? "beside" : ""}>
          <Found words={words} mode={query.mode ?? "balanced"} />
          {id && <DecisionView key={id} id={id} />}
        </div>
      ) : links === null ? (
        <Loading />
      ) : links.length === 0 ? (
        <Empty title="Nothing has been decided yet">
          Write down the first decision here, or let an agent do it: “Note that we decided …”.
        </Empty>
      ) : (
        <div class={id ? "beside" : ""}>
          <div>
            <Inbox links={links} />
            <Chains links={links} current={id} isWhole={named(activity.value).length <= SHOWN_MAX} />
          </div>
          {id && <DecisionView key={id} id={id} />}
        </div>
      )}
    </section>
  );
}

function Asking({ words, mode }: { words: string; mode: string }) {
  return (
    <div class="filters" role="search">
      <label>
        <span>Find</span>
        <input
          type="search"
          placeholder="What was decided about…"
          value={words}
          onInput={(event) => refine({ q: event.currentTarget.value || undefined })}
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

function Found({ words, mode }: { words: string; mode: string }) {
  const asked = useAsk<DecisionsFound>("search_decisions", { query: words, mode, limit: 20 });
  return (
    <Await asked={asked}>
      {(found) => (
        <div>
          {found.results.length === 0 && (
            <Empty title="No decision matches">Try other words, or show all history.</Empty>
          )}
          <ul class="results">
            {found.results.map((one) => (
              <li key={one.id}>
                <a href={href({ view: "decisions", id: one.id, query: { q: words, mode } })}>
                  <span class="id">{one.id}</span> <strong>{one.title}</strong> <Badge of={one.status} />
                  <small>
                    {one.target}
                    {one.matched_via.length ? `, found by ${one.matched_via.join(", ")}` : ""}
                  </small>
                  <p>{one.preview}</p>
                </a>
              </li>
            ))}
          </ul>
          {found.index.startsWith("none") && (
            <p class="soft">Found by words only: nothing here finds by meaning.</p>
          )}
        </div>
      )}
    </Await>
  );
}

function Inbox({ links }: { links: DecisionLink[] }) {
  const open = links.filter((one) => one.status === "proposed");
  return (
    <section class="panel inbox" aria-label="To review">
      <h2>To review {open.length > 0 && <span class="count">{open.length}</span>}</h2>
      {open.length === 0 && <p class="soft">Nothing waits for you.</p>}
      <ul class="refs">
        {open.map((one) => (
          <li key={one.id}>
            <a href={href({ view: "review", id: one.id })}>
              <span class="id">{one.id}</span> <strong>{one.title}</strong> <Badge of={one.status} />
              <small>
                {one.target}, by {who(one.author)}
                {one.supersedes?.length ? `; would replace ${one.supersedes.join(", ")}` : ""}
              </small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Chained {
  links: DecisionLink[];
  current: string;
  /** Whether these are all there are. */
  isWhole: boolean;
}

function Chains({ links, current, isWhole }: Chained) {
  const boxes: Box[] = links.map((one) => ({
    id: one.id,
    title: one.title,
    about: `${one.id} ${one.status} · ${one.target}`,
    look: `is-${one.status}`,
    to: href({ view: "decisions", id: one.id }),
  }));
  const arrows: Arrow[] = links.flatMap((one) =>
    (one.supersedes ?? []).map((old) => ({ from: old, to: one.id, look: `is-${one.status}` })),
  );
  return (
    <section class="panel">
      <h2>Chains</h2>
      <Graph boxes={boxes} arrows={arrows} label="Which decision replaced which" current={current} chains />
      <p class="legend soft">
        <Badge of="active" /> holds <Badge of="superseded" /> was replaced <Badge of="proposed" /> waits for
        you
      </p>
      {!isWhole && <p class="soft">These are the newest. Words above find the others.</p>}
    </section>
  );
}

/** Find the decisions that the journal tells of, each with what it replaced. */
function useLinks(activity: ActivityList | null): { links: DecisionLink[] | null; problem: Problem | null } {
  const [links, setLinks] = useState<DecisionLink[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    if (!activity) return;
    let isOver = false;
    gather(activity).then(
      (found) => !isOver && setLinks(found),
      (error: unknown) => !isOver && setProblem(asProblem(error)),
    );
    return () => {
      isOver = true;
    };
    // Asked again only if one of them was made or changed: most entries are about other things.
  }, [activity?.activity.map((one) => one.seq).join()]);
  return { links, problem };
}

/** The decisions and proposals that entries are about, each once. */
function named(activity: ActivityList | null): string[] {
  return [...new Set(activity?.activity.flatMap((one) => one.record_id ?? []))];
}

async function gather(activity: ActivityList): Promise<DecisionLink[]> {
  const known = new Map<string, DecisionLink>();
  for (const id of named(activity).slice(0, SHOWN_MAX)) {
    if (known.has(id)) continue;
    const { decision, chain } = await ask<DecisionInContext>("get_decision", { decision_id: id });
    for (const link of chain) known.set(link.id, link);
    known.set(id, decision);
  }
  return [...known.values()]
    .filter((one) => one.status !== "accepted")
    .sort((one, other) => one.at.localeCompare(other.at));
}
