// The review inbox: what is proposed beside what holds, what it rests on, and a verdict by key.

import { useEffect, useRef } from "preact/hooks";

import { useAsk } from "../asking";
import { Badge, When, Who } from "../parts/Badge";
import { Evidence } from "../parts/Evidence";
import { Await, Empty, Loading } from "../parts/Notice";
import { go, href, route } from "../route";
import { held } from "../rejecting";
import type { DecisionInContext, DecisionShown, DecisionsFound } from "../shapes";
import { waiting } from "../waiting";
import { Reasoned } from "./Reasoned";
import { useKeys, Verdict } from "./Verdict";

export default function Review() {
  const ids = waiting.value?.filter((one) => one !== held.value?.id) ?? null;
  const current = route.value.id || ids?.[0] || "";
  const move = (by: number) => {
    const next = ids?.[(ids.indexOf(current) + by + ids.length) % ids.length];
    if (next) go({ view: "review", id: next });
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const waits = !!ids?.includes(current);
  const seen = useRef("");
  useEffect(() => {
    if (waits) seen.current = current;
    // What was settled, here or elsewhere, makes room for the next. What was made a moment ago, and
    // is not known to wait yet, is shown as the address asks.
    else if (seen.current === current && ids?.length) go({ view: "review", id: ids[0] ?? "" });
  }, [waits, current]);
  return (
    <section class="view reviewing">
      <header class="head">
        <h1>Review</h1>
        <p class="soft">What agents propose and only a person can accept.</p>
      </header>
      {ids === null ? (
        <Loading />
      ) : ids.length === 0 ? (
        <Empty title="Nothing waits for you">
          What agents propose appears here, and in the number beside this view's name.
        </Empty>
      ) : (
        <div class="two">
          <nav class="list" aria-label="Proposals">
            <ul>
              {ids.map((one) => (
                <li key={one}>
                  <Waits id={one} current={one === current} />
                </li>
              ))}
            </ul>
            <p class="soft keys-hint">
              <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>a</kbd> accept · <kbd>r</kbd> reject
            </p>
          </nav>
          {current && <Proposed key={current} id={current} onNext={() => move(1)} />}
        </div>
      )}
    </section>
  );
}

function Waits({ id, current }: { id: string; current: boolean }) {
  const { value } = useAsk<DecisionInContext>("get_decision", { decision_id: id });
  return (
    <a href={href({ view: "review", id })} aria-current={current ? "true" : undefined}>
      <span class="title">{value?.decision.title ?? id}</span>
      <small>
        {id}
        {value && (
          <>
            {" "}
            {value.decision.target} · <Who actor={value.decision.author} />
          </>
        )}
      </small>
    </a>
  );
}

function Proposed({ id, onNext }: { id: string; onNext: () => void }) {
  const asked = useAsk<DecisionInContext>("get_decision", { decision_id: id });
  return (
    <Await asked={asked}>
      {({ decision, evidence }) => (
        <div>
          <div class="against">
            <Holds of={decision} />
            <article class="panel decision is-proposed" aria-label="What is proposed">
              <p class="soft">
                {decision.id} · {decision.target} <Badge of={decision.status} />
              </p>
              <h2>{decision.title}</h2>
              <Said of={decision} />
            </article>
          </div>
          {evidence.length > 0 && (
            <section class="panel">
              <h3>It rests on</h3>
              <ul>
                {evidence.map((one) => (
                  <Evidence key={one.ref} cited={one.ref} about={one.about} />
                ))}
              </ul>
            </section>
          )}
          {decision.status === "proposed" && (
            <div class="panel">
              <Verdict
                proposal={decision}
                onAccepted={(made) => go({ view: "decisions", id: made })}
                onRejected={onNext}
              />
            </div>
          )}
        </div>
      )}
    </Await>
  );
}

/** What the proposal would replace; if it replaces nothing, what holds about the same. */
function Holds({ of }: { of: DecisionShown }) {
  const replaced = of.supersedes ?? [];
  const near = useAsk<DecisionsFound>(
    "search_decisions",
    replaced.length ? null : { query: of.target, mode: "strict", where: { target: of.target }, limit: 3 },
  );
  const ids = replaced.length
    ? replaced
    : (near.value?.results.filter((one) => one.status === "active").map((one) => one.id) ?? []);
  return (
    <section class="holds" aria-label="What holds">
      {ids.map((one) => (
        <Held key={one} id={one} isReplaced={replaced.includes(one)} />
      ))}
      {ids.length === 0 && (
        <article class="panel">
          <h2>Nothing holds yet</h2>
          <p class="soft">Nothing was decided about {of.target} so far.</p>
        </article>
      )}
    </section>
  );
}

function Held({ id, isReplaced }: { id: string; isReplaced: boolean }) {
  const asked = useAsk<DecisionInContext>("get_decision", { decision_id: id });
  return (
    <article class="panel decision">
      <Await asked={asked}>
        {({ decision }) => (
          <>
            <p class="soft">
              <a href={href({ view: "decisions", id })}>{id}</a> holds
              {isReplaced ? ", and would be replaced" : ""}
            </p>
            <h2>{decision.title}</h2>
            <Said of={decision} />
          </>
        )}
      </Await>
    </article>
  );
}

function Said({ of }: { of: DecisionShown }) {
  return (
    <>
      <Reasoned of={of} />
      <p class="soft">
        <Who actor={of.author} /> <When at={of.at} />
      </p>
    </>
  );
}
