// Where the project stands: open work, sessions, and what changed since one last looked.

import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";

import { useAsk } from "../asking";
import { Badge, Kind, When, Who } from "../parts/Badge";
import { placeOfRef } from "../parts/found";
import { Await, Empty } from "../parts/Notice";
import { href } from "../route";
import { moment } from "../moment";
import type {
  Activity,
  ActivityList,
  Overview as OverviewAnswer,
  RecordRef,
  SessionList,
  SessionSeen,
} from "../shapes";
import { head, keep, kept, knows, project } from "../state";
import { waiting } from "../waiting";
import { bare, counted, plain } from "../words";

const LEAVE_MS = 4_000;
/** How many decisions are named before the rest is only counted. */
const SHOWN = 6;

type Decided = NonNullable<OverviewAnswer["decisions"]>[number];

/** Loaded only where nothing happened yet. */
const First = signal<typeof import("./First").First | null>(null);

export default function Overview() {
  const [isFirst, setFirst] = useState<boolean | null>(null);
  const asked = useAsk<OverviewAnswer>("get_project_overview", { budget_tokens: 20_000 });
  const sessions = useAsk<SessionList>("list_sessions", knows("list_sessions") ? { limit: 100 } : null);
  // A project that is looked at as it was once was empty then, and is past its beginning.
  const isEmpty = asked.value !== null && asked.value.recent_activity.length === 0 && !moment.value;
  useEffect(() => setFirst(null), [project.value]);
  useEffect(() => {
    if (!isEmpty) return;
    setFirst(true);
    void import("./First").then((module) => (First.value = module.First));
  }, [isEmpty]);
  const welcomes = !moment.value && (isFirst ?? isEmpty);
  const Welcome = First.value;
  return (
    <section class="view overview">
      <Await asked={asked}>
        {(found) => (
          <>
            <header class="head">
              <h1>{found.project.name}</h1>
              {found.project.description && <p class="soft">{found.project.description}</p>}
            </header>
            {found.notices?.map((told) => (
              <p class="panel" role="status" key={told}>
                {told}
              </p>
            ))}
            {welcomes && Welcome && (
              <Welcome activity={found.recent_activity} onLook={() => setFirst(false)} />
            )}
            {!welcomes && <Stands found={found} listed={sessions.value} />}
          </>
        )}
      </Await>
    </section>
  );
}

function Stands({ found, listed }: { found: OverviewAnswer; listed: SessionList | null }) {
  return (
    <>
      <Counts found={found} />
      <div class="columns">
        <div>
          <LastTime found={found} />
          <Waiting proposals={found.proposals ?? []} />
          <Records
            title="Open work"
            records={found.open_records}
            total={found.counts.open_records ?? 0}
            empty="Nothing is open."
          />
          {found.later_records.length > 0 && (
            <Records
              title="For later"
              records={found.later_records}
              total={found.counts.later_records ?? 0}
              empty=""
            />
          )}
          <Sessions seen={found.open_sessions} listed={listed} />
        </div>
        <div>
          <SinceLast />
          <Holding found={found} />
          <section class="panel">
            <h2>Latest</h2>
            <Happened
              activity={folded(found.recent_activity.filter((one) => !BEGINS.includes(one.type))).slice(
                0,
                12,
              )}
            />
            <a href={href({ view: "timeline" })}>The whole timeline</a>
          </section>
        </div>
      </div>
    </>
  );
}

/** Where were we? */
function LastTime({ found }: { found: OverviewAnswer }) {
  const last = found.last_session;
  if (!last) return null;
  return (
    <section class="panel">
      <h2>Where were we?</h2>
      <p>
        <a href={href({ view: "story", id: last.id })}>{last.title ?? last.id}</a> <Who actor={last.by} />{" "}
        <When at={last.last_activity} />
      </p>
      {!!last.did?.length && (
        <ul>
          {last.did.map((one) => (
            <li key={one}>
              <Linked text={plain(one)} />
            </li>
          ))}
        </ul>
      )}
      {found.checkpoint && (
        <p class="soft">
          Latest checkpoint:{" "}
          <a href={href({ view: "checkpoints", id: found.checkpoint.session_id })}>
            {found.checkpoint.name ?? found.checkpoint.id}
          </a>{" "}
          <When at={found.checkpoint.saved} />
        </p>
      )}
    </section>
  );
}

/** A sentence whose records and decisions are links. */
function Linked({ text }: { text: string }) {
  return (
    <>
      {text.split(/\b([RDP]\d{3,})\b/).map((part, at) => {
        const place = at % 2 ? placeOfRef(part) : null;
        return place ? (
          <a key={at} href={href(place)}>
            {part}
          </a>
        ) : (
          part
        );
      })}
    </>
  );
}

/** What only a person can accept. */
function Waiting({ proposals }: { proposals: Decided[] }) {
  if (proposals.length === 0) return null;
  return (
    <section class="panel waits">
      <h2>Waits for you</h2>
      <ul class="refs">
        {proposals.slice(0, SHOWN).map((one) => (
          <li key={one.id}>
            <a href={href({ view: "review", id: one.id })}>
              <span class="id">{one.id}</span> <strong>{one.title}</strong>
              <small>{one.target}</small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The decisions that hold, the newest first. */
function Holding({ found }: { found: OverviewAnswer }) {
  const decisions = found.decisions ?? [];
  if (decisions.length === 0) return null;
  const more = (found.counts.decisions ?? decisions.length) - Math.min(SHOWN, decisions.length);
  return (
    <section class="panel">
      <h2>What holds</h2>
      <ul class="refs">
        {decisions.slice(0, SHOWN).map((one) => (
          <li key={one.id}>
            <a href={href({ view: "decisions", id: one.id })}>
              <span class="id">{one.id}</span> {one.title}
              <small>{one.target}</small>
            </a>
          </li>
        ))}
      </ul>
      {more > 0 && <a href={href({ view: "decisions" })}>… and {more} more</a>}
    </section>
  );
}

function Counts({ found }: { found: OverviewAnswer }) {
  const proposed = waiting.value?.length ?? null;
  const numbers: [number, string, string][] = [
    [found.counts.open_records ?? 0, "open records", href({ view: "records", query: { state: "OPEN" } })],
    [found.counts.later_records ?? 0, "for later", href({ view: "records", query: { state: "LATER" } })],
    ...(proposed === null
      ? []
      : [[proposed, "to review", href({ view: "review" })] as [number, string, string]]),
    [found.open_sessions.length, "open sessions", href({ view: "story" })],
    [found.project.tick, "changes so far", href({ view: "timeline" })],
  ];
  return (
    <ul class="numbers">
      {numbers.map(([number, name, to]) => (
        <li key={name}>
          <a href={to}>
            <b>{number.toLocaleString("en-GB")}</b> {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Records({
  title,
  records,
  total,
  empty,
}: {
  title: string;
  records: RecordRef[];
  total: number;
  empty: string;
}) {
  return (
    <section class="panel">
      <h2>{title}</h2>
      {records.length === 0 && <p class="soft">{empty}</p>}
      <ul class="refs">
        {records.map((one) => (
          <li key={one.id}>
            <a href={href({ view: "records", id: one.id })}>
              <span class="id">{one.id}</span> <strong>{one.title}</strong>
              <small>{bare(one.summary)}</small>
            </a>
          </li>
        ))}
      </ul>
      {total > records.length && <p class="soft">… and {total - records.length} more</p>}
    </section>
  );
}

function Sessions({ seen, listed }: { seen: SessionSeen[]; listed: SessionList | null }) {
  const titles = new Map(listed?.sessions.map((one) => [one.session_id, one.title]));
  return (
    <section class="panel">
      <h2>Open sessions</h2>
      {seen.length === 0 && <p class="soft">Nobody is at work.</p>}
      <ul class="refs">
        {seen.map((one) => (
          <li key={one.id}>
            <a href={href({ view: "timeline", query: { session: one.id } })}>
              <Badge of={one.status} /> <strong>{one.title ?? titles.get(one.id) ?? one.id}</strong>
              <small>
                {one.by && <Who actor={one.by} />}
                {one.active_records.length ? ` works on ${one.active_records.join(", ")}` : ""}
                {one.tick_gap > 0 ? `, has not seen ${counted(one.tick_gap, "change")}` : ""}
              </small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What happened since this browser last looked for a while. */
function SinceLast() {
  const key = `hansard.seen.${project.value}`;
  const [since] = useState(() => Number(kept(key) ?? "0"));
  const asked = useAsk<ActivityList>("get_recent_activity", since ? { since: `s:${since}`, limit: 8 } : null);
  useEffect(() => {
    if (!head.value) return;
    const timer = setTimeout(() => keep(key, String(head.value)), LEAVE_MS);
    return () => clearTimeout(timer);
  }, [head.value]);
  if (!since || !asked.value) return null;
  return (
    <section class="panel">
      <h2>Since you last looked</h2>
      {asked.value.total === 0 ? (
        <p class="soft">Nothing happened.</p>
      ) : (
        <>
          <Happened activity={asked.value.activity} />
          {asked.value.total > 8 && <p class="soft">… and {asked.value.total - 8} more</p>}
        </>
      )}
    </section>
  );
}

/** What only says that a session began: the panel beside it tells who is at work. */
const BEGINS = ["session_started", "session_titled"];

interface Folded extends Activity {
  /** How many entries in a row it stands for. */
  times?: number;
}

/** One line for what went on in a row with one thing. */
export function folded(activity: Activity[]): Folded[] {
  const rows: Folded[] = [];
  for (const one of activity) {
    const last = rows.at(-1);
    const isSame = last && one.record_id && last.record_id === one.record_id && last.type === one.type;
    if (isSame) last.times = (last.times ?? 1) + 1;
    else rows.push({ ...one });
  }
  return rows;
}

function Happened({ activity }: { activity: Folded[] }) {
  if (activity.length === 0)
    return <Empty title="Nothing yet">The first entry appears here as soon as an agent calls.</Empty>;
  return (
    <ul class="happened">
      {activity.map((one) => {
        const place = one.record_id ? placeOfRef(one.record_id) : null;
        return (
          <li key={one.seq}>
            <Kind of={one.type} />{" "}
            <span>
              {place ? <a href={href(place)}>{plain(one.summary)}</a> : plain(one.summary)}
              {one.times && <small> and {one.times - 1} more before</small>}
            </span>{" "}
            <span>
              {one.author && <Who actor={one.author} />} <When at={one.timestamp} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
