// Mission control: a lane for each session that goes on, with its plan, its step, the file it is at, and
// what needs a person.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { useAsk } from "../asking";
import { changeOf, planOf, type PlanStep, questionOf } from "../lanes";
import { Badge, Lines, When, Who } from "../parts/Badge";
import { Named } from "../parts/Named";
import { Await, Empty } from "../parts/Notice";
import { Ref } from "../parts/Ref";
import { Stage } from "../parts/Stage";
import { href } from "../route";
import type {
  ActivityList,
  Evolution,
  Overview,
  SessionList,
  SessionListed,
  Timeline,
  TimelineItem,
} from "../shapes";
import { ask } from "../state";
import { counted, plain } from "../words";
import { BUDGET_TOKENS, said } from "./rows";
import "../styles/control.css";

const LANES_MAX = 12;
const RECENT = 25;
const PLAN_KINDS = ["plan_step", "step_begun", "step_ended"];
const ORDER = ["active", "idle", "away"];
const PACE_MS = 1_200;

export default function Control() {
  const asked = useAsk<SessionList>("list_sessions", { limit: 100 });
  return (
    <section class="view control">
      <header class="head">
        <h1>Mission control</h1>
      </header>
      <NeedsYou />
      <Await asked={asked}>
        {(found) => {
          const open = found.sessions
            .filter((one) => ORDER.includes(one.status))
            .sort((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status));
          if (!open.length)
            return (
              <Empty title="Nobody is at work">
                A session has a lane here from its first call until it is closed.
              </Empty>
            );
          return (
            <>
              <ul class="lanes">
                {open.slice(0, LANES_MAX).map((one) => (
                  <Lane key={one.session_id} session={one} />
                ))}
              </ul>
              {open.length > LANES_MAX && (
                <p class="soft">… and {counted(open.length - LANES_MAX, "more session")}</p>
              )}
            </>
          );
        }}
      </Await>
    </section>
  );
}

/** What waits for a person: proposals, and conflicts that nobody has settled. */
function NeedsYou() {
  const overview = useAsk<Overview>("get_project_overview", { budget_tokens: 20_000 });
  const conflicts = useAsk<ActivityList>("get_recent_activity", {
    types: ["conflict_detected", "conflict_resolved"],
    limit: 50,
  });
  const proposals = overview.value?.proposals ?? [];
  const settled = new Set<string>();
  const open = (conflicts.value?.activity ?? []).filter((one) => {
    const isFirst = !settled.has(one.record_id ?? "");
    settled.add(one.record_id ?? "");
    return isFirst && one.type === "conflict_detected";
  });
  if (!overview.value) return null;
  return (
    <section class="panel needs" aria-label="Needs you">
      <h2>Needs you</h2>
      {proposals.length + open.length === 0 && <p class="soft">Nothing waits for you.</p>}
      <ul>
        {proposals.map((one) => (
          <li key={one.id}>
            <Badge of="proposed" text="proposal" /> <Ref to={one.id} /> {one.title}{" "}
            <span class="soft">{one.target}</span>
          </li>
        ))}
        {open.map((one) => (
          <li key={one.seq}>
            <Badge of="warned" text="conflict" /> <Named text={plain(one.summary)} />{" "}
            <When at={one.timestamp} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Lane({ session }: { session: SessionListed }) {
  const id = session.session_id;
  const recent = useAsk<Timeline>(
    "get_timeline",
    { session_id: id, limit: RECENT, budget_tokens: BUDGET_TOKENS },
    false,
  );
  const plan = useAsk<Timeline>(
    "get_timeline",
    { session_id: id, kinds: PLAN_KINDS, limit: 300, budget_tokens: BUDGET_TOKENS },
    false,
  );
  // Only the lane that moved is asked for again.
  useChanged(session.last_activity, () => {
    recent.again();
    plan.again();
  });
  const steps = useMemo(() => planOf(plan.value?.timeline ?? []), [plan.value]);
  const items = recent.value?.timeline ?? [];
  const [change, question, latest] = [changeOf(items), questionOf(items), items[0]];
  return (
    <li class={`lane is-${session.status}`}>
      <header>
        <h2>
          <a href={href({ view: "timeline", query: { session: id } })}>{session.title ?? id}</a>
        </h2>
        <p>
          <Badge of={session.status} /> <Who actor={session.by ?? ""} />{" "}
          {session.active_records?.map((one) => (
            <Ref key={one} to={one} />
          ))}{" "}
          {session.last_activity && <When at={session.last_activity} />}
        </p>
      </header>
      {question && (
        <p class="asks">
          <strong>Asks:</strong> <Named text={question.content ?? ""} />
        </p>
      )}
      <Plan steps={steps} />
      {change && <Small change={change} />}
      {latest && latest !== question && (
        <p class="deed soft">
          <Named text={said(latest)} />
        </p>
      )}
      {session.edits > 0 && (
        <p class="tools">
          <a href={href({ view: "movie", id })}>Movie</a>
          <a href={href({ view: "story", id })}>Story</a>
        </p>
      )}
    </li>
  );
}

/** The plan as a bar, and the step it is at. */
function Plan({ steps }: { steps: PlanStep[] }) {
  if (!steps.length) return <p class="soft plan-none">No plan.</p>;
  const over = steps.filter((one) => one.status === "over").length;
  const at = steps.findIndex((one) => one.status === "begun");
  return (
    <div class="plan">
      <ol aria-label={`${over} of ${counted(steps.length, "step")} done`}>
        {steps.map((one, place) => (
          <li key={place} class={`is-${one.status}`} title={one.title}>
            <span class="for-ears">
              {one.title}: {one.status === "begun" ? "under way" : one.status === "over" ? "done" : "planned"}
            </span>
          </li>
        ))}
      </ol>
      <p>
        {at >= 0 ? (
          <>
            <strong>Step {at + 1}</strong> {steps[at]?.title}
          </>
        ) : (
          <span class="soft">
            {over === steps.length
              ? "All steps are done"
              : `${over} of ${counted(steps.length, "step")} done`}
          </span>
        )}
      </p>
    </div>
  );
}

/** The file that is being changed, as a film in small: it moves when the next revision is there. */
function Small({ change }: { change: TimelineItem }) {
  const path = change.to ?? change.path ?? "";
  const shot = useShot(path, change.revision ?? 0);
  return (
    <figure class="small">
      <figcaption>
        <a href={href({ view: "evolution", query: { path, seq: change.seq } })}>{path}</a>{" "}
        <Lines added={change.added ?? 0} removed={change.removed ?? 0} />
      </figcaption>
      {shot && <Stage path={shot.path} content={shot.content} before={shot.before} pace={PACE_MS} />}
    </figure>
  );
}

interface Shot {
  path: string;
  content: string | null;
  before: string | null;
}

/** Read a revision and the one before it; what was shown stays until both are there. */
function useShot(path: string, revision: number): Shot | null {
  const [shot, setShot] = useState<Shot | null>(null);
  useEffect(() => {
    let isOver = false;
    Promise.all([contentOf(path, revision), contentOf(path, revision - 1)]).then(([content, before]) => {
      if (!isOver) setShot({ path, content, before });
    });
    return () => {
      isOver = true;
    };
  }, [path, revision]);
  return shot;
}

async function contentOf(path: string, revision: number): Promise<string | null> {
  if (revision < 1) return null;
  try {
    const found = await ask<Evolution>("get_evolution", { path, revision });
    return found.encoding === "utf-8" ? (found.content ?? "") : null;
  } catch {
    // A picture that cannot be had is only missing: the line above it says what was done.
    return null;
  }
}

/** Do something when a value changes, but not at first. */
function useChanged(value: unknown, act: () => void): void {
  const was = useRef(value);
  useEffect(() => {
    if (was.current === value) return;
    was.current = value;
    act();
  }, [value]);
}
