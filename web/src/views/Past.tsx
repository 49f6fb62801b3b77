// What changed since the moment that is looked at: records, decisions, files, and the way back.

import { useEffect, useState } from "preact/hooks";

import { useAsk } from "../asking";
import { moment, PRESENT } from "../moment";
import { When } from "../parts/Badge";
import { Diff } from "../parts/Diff";
import { Named } from "../parts/Named";
import { Await, Loading } from "../parts/Notice";
import { href, type Place, refine } from "../route";
import type { Activity, ActivityList, Evolution, FileEvolved, RecordCompared, Timeline } from "../shapes";
import { head } from "../state";
import { counted, plain, shown } from "../words";

const RECORD_TYPES = ["record_created", "record_updated", "record_moved", "state_transition"];
const DECISION_TYPES = [
  "decision_recorded",
  "decision_superseded",
  "proposal_made",
  "proposal_accepted",
  "proposal_rejected",
];
const SHOWN_MAX = 300;
const FILES_MAX = 1_000;
const HEADS = /^(?:(?:---|\+\+\+) .*\n)+/;

export default function Past() {
  // Who comes without a moment begins at the newest entry, and pulls the lever from there.
  useEffect(() => {
    if (!moment.value && head.value) refine({ as_of: `s:${head.value}` });
  }, [moment.value, head.value]);
  return (
    <section class="view past">
      <header class="head">
        <h1>Time machine</h1>
        <p class="soft">
          Move the slider: every view that can is as it was then, until you go back to now. Below is what
          changed since.
        </p>
      </header>
      {moment.value ? <Since /> : <Loading />}
    </section>
  );
}

function Since() {
  const asked = useAsk<Timeline>("get_timeline", { all_sessions: true, limit: 1 });
  const then = asked.value ? (asked.value.timeline[0]?.seq ?? 0) : null;
  return (
    <>
      <Told
        title="Records"
        types={RECORD_TYPES}
        none="No record was changed."
        view="records"
        difference={(id) => <RecordDifference id={id} />}
      />
      <Told title="Decisions" types={DECISION_TYPES} none="Nothing was decided." view="decisions" />
      {then === null ? <Loading /> : <Files then={then} />}
    </>
  );
}

interface Listed {
  title: string;
  types: string[];
  none: string;
  view: string;
  difference?: (id: string) => preact.ComponentChildren;
}

/** What happened since to things with an id, all of one thing together. */
function Told({ title, types, none, view, difference }: Listed) {
  const asked = useAsk<ActivityList>("get_recent_activity", {
    since: moment.value,
    types,
    limit: SHOWN_MAX,
    as_of: PRESENT,
  });
  return (
    <section class="panel">
      <h2>{title}</h2>
      <Await asked={asked}>
        {(found) => (
          <>
            {found.total === 0 && <p class="soft">{none}</p>}
            <ul class="since">
              {gathered(found.activity).map(([id, happened]) => (
                <Thing key={id} id={id} happened={happened} view={view} difference={difference} />
              ))}
            </ul>
            {found.total > SHOWN_MAX && (
              <p class="soft">… and {counted(found.total - SHOWN_MAX, "earlier change")}</p>
            )}
          </>
        )}
      </Await>
    </section>
  );
}

function gathered(activity: Activity[]): [string, Activity[]][] {
  const things = new Map<string, Activity[]>();
  for (const one of activity) {
    const id = one.record_id ?? "";
    things.set(id, [...(things.get(id) ?? []), one]);
  }
  return [...things];
}

function Thing({
  id,
  happened,
  view,
  difference,
}: {
  id: string;
  happened: Activity[];
  view: string;
  difference: Listed["difference"];
}) {
  const [open, setOpen] = useState(false);
  const isNew = happened.some((one) => /_created$|_recorded$|_made$/.test(one.type));
  return (
    <li>
      <div class="row">
        <a href={href({ view, id, query: { as_of: undefined } })}>{id}</a>
        <span class="what">
          <Named text={plain(happened[0]?.summary ?? "").replace(new RegExp(`^${id}\\b:?\\s*`), "")} />
          {happened.length > 1 && (
            <span class="soft"> and {counted(happened.length - 1, "other change")}</span>
          )}
        </span>
        <When at={happened[0]?.timestamp ?? ""} />
        {isNew ? (
          <span class="soft">not there then</span>
        ) : (
          <>
            <a href={href({ view, id })}>As it was</a>
            {difference && (
              <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
                {open ? "Hide" : "Show"} the difference
              </button>
            )}
          </>
        )}
      </div>
      {open && difference?.(id)}
    </li>
  );
}

function RecordDifference({ id }: { id: string }) {
  const asked = useAsk<RecordCompared>("get_record_diff", { id, from: moment.value });
  return (
    <Await asked={asked}>
      {({ diff: { body, ...fields } }) => (
        <>
          <ul class="fields">
            {Object.entries(fields as Record<string, { old: unknown; new: unknown }>).map(([name, one]) => (
              <li key={name}>
                {name}: <del>{shown(one.old ?? "none")}</del> <ins>{shown(one.new ?? "none")}</ins>
              </li>
            ))}
          </ul>
          {body && <Diff text={body.replace(HEADS, "")} label={`Change of ${id}`} />}
        </>
      )}
    </Await>
  );
}

/** The files that are not as they were, each with its difference and its way back. */
function Files({ then }: { then: number }) {
  const now = useAsk<Evolution>("get_evolution", { limit: FILES_MAX, as_of: PRESENT });
  const was = useAsk<Evolution>("get_evolution", { limit: FILES_MAX });
  return (
    <section class="panel">
      <h2>Files</h2>
      <Await asked={now}>
        {({ files: current = [] }) => (
          <Await asked={was}>
            {({ files: before = [] }) => {
              const changed = differing(current, before, then);
              return changed.length ? (
                <>
                  <ul class="since">
                    {changed.map((one) => (
                      <File key={one.path} then={then} {...one} />
                    ))}
                  </ul>
                  <p class="tools">
                    <a class="button" href={href(backTo(EVERYTHING, then))}>
                      Bring all files back to then
                    </a>
                    <span class="soft">You see what becomes of each before anything is done.</span>
                  </p>
                </>
              ) : (
                <p class="soft">Every file stands as it did.</p>
              );
            }}
          </Await>
        )}
      </Await>
    </section>
  );
}

/** The path of the whole workspace. */
const EVERYTHING = ".";

/** The preview of bringing something back to how it stood after an entry: it is of now. */
function backTo(path: string, then: number): Place {
  return { view: "restore", query: { path, point: `s:${then}`, to: "after", as_of: undefined } };
}

interface Differing {
  path: string;
  /** Its revisions; 0 where it was not there. */
  from: number;
  to: number;
  said: string;
}

function differing(current: FileEvolved[], before: FileEvolved[], then: number): Differing[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const names = new Set(current.map((file) => file.path));
  const changed = current
    .filter((file) => file.seq > then)
    .map((file) => {
      const was = old.get(file.path);
      return { path: file.path, from: was?.revisions ?? 0, to: file.revisions, said: saidOf(was, file) };
    });
  const away = before
    .filter((file) => file.sha256 && !names.has(file.path))
    .map((file) => ({ path: file.path, from: file.revisions, to: 0, said: "went elsewhere since" }));
  return [...changed, ...away];
}

function saidOf(was: FileEvolved | undefined, is: FileEvolved): string {
  if (!was?.sha256) return is.sha256 ? "not there then" : "came and went";
  if (!is.sha256) return "deleted since";
  return was.sha256 === is.sha256 ? "changed, and back as it was" : "changed since";
}

function File({ path, from, to, said, then }: Differing & { then: number }) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <div class="row">
        <a href={href({ view: "evolution", query: { path, as_of: undefined } })}>
          <code>{path}</code>
        </a>
        <span class="what soft">{said}</span>
        {to > 0 && (
          <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide" : "Show"} the difference
          </button>
        )}
        <a href={href(backTo(path, then))}>Back to then</a>
      </div>
      {open && <FileDifference path={path} from={from} to={to} />}
    </li>
  );
}

function FileDifference({ path, from, to }: { path: string; from: number; to: number }) {
  const asked = useAsk<Evolution>("get_evolution", { path, from, to, as_of: PRESENT });
  return (
    <Await asked={asked}>
      {(found) =>
        found.diff ? (
          <Diff text={found.diff.replace(HEADS, "")} label={`Change of ${path}`} />
        ) : (
          <p class="soft">Its lines are as they were.</p>
        )
      }
    </Await>
  );
}
