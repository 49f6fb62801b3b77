// Bring files back: say what, look at what would happen to every file, then do it.

import { useState } from "preact/hooks";

import { post } from "../api";
import { useAsk, useDoing } from "../asking";
import { Badge } from "../parts/Badge";
import { Diff } from "../parts/Diff";
import { Await, Empty, Wrong } from "../parts/Notice";
import { go, href, refine, route } from "../route";
import type { Evolution, Restored, RestoreStep, SessionList } from "../shapes";
import { act, index, project } from "../state";
import { counted, day } from "../words";

export default function Restore() {
  const { session = "", entry = "", step, path = "", point = "", to = "before" } = route.value.query;
  const scope = path
    ? { path, point, to }
    : {
        ...(session && { of_session: session }),
        ...(entry && { entry }),
        ...(step !== undefined && { step: Number(step) }),
        to,
      };
  const isReady = path ? point !== "" : session !== "" || entry !== "";
  return (
    <section class="view restore">
      <header class="head">
        <h1>Restore</h1>
      </header>
      <Choice session={session} entry={entry} step={step} path={path} point={point} to={to} />
      {isReady ? (
        <Planned key={JSON.stringify(scope)} scope={scope} />
      ) : (
        <Empty title="What should come back?">
          Choose a session above, or follow “Undo” from an entry of a timeline, or “Bring this revision back”
          from a film.
        </Empty>
      )}
    </section>
  );
}

interface Chosen {
  session: string;
  entry: string;
  step: string | undefined;
  path: string;
  point: string;
  to: string;
}

function Choice({ session, entry, step, path, point, to }: Chosen) {
  const sessions = useAsk<SessionList>("list_sessions", { limit: 200 });
  const what = path
    ? `${path} as it was at ${point}`
    : entry
      ? `what entry ${entry} changed`
      : step !== undefined
        ? `step ${Number(step) + 1} of the plan`
        : "";
  return (
    <div class="filters">
      {!path && (
        <label>
          <span>Session</span>
          <select
            value={session}
            onChange={(event) => go({ view: "restore", query: { session: event.currentTarget.value, to } })}
          >
            <option value="">Choose one</option>
            {sessions.value?.sessions.map((one) => (
              <option key={one.session_id} value={one.session_id}>
                {one.title ?? one.session_id} ({counted(one.edits, "edit")}, {day(one.created)})
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        <span>To the state</span>
        <select value={to} onChange={(event) => refine({ to: event.currentTarget.value })}>
          <option value="before">before it</option>
          <option value="after">after it</option>
        </select>
      </label>
      {what && (
        <p class="scope">
          Only {what}. <a href={href({ view: "restore", query: { session } })}>Everything instead</a>
        </p>
      )}
    </div>
  );
}

/** Ask what would happen. Without a session, which a look needs only in another project. */
function preview(scope: Record<string, unknown>): Promise<Restored> {
  const args = { ...scope, preview: true };
  const isHome = project.value === index.value?.project;
  return isHome ? post<Restored>("restore", args) : act<Restored>("restore", args);
}

function Planned({ scope }: { scope: Record<string, unknown> }) {
  const [plan, setPlan] = useState<Restored | null>(null);
  const [done, setDone] = useState<Restored | null>(null);
  const looking = useDoing();
  const doing = useDoing();
  const look = () => looking.run(async () => setPlan(await preview(scope)));
  const restore = () => doing.run(async () => setDone(await act<Restored>("restore", scope)));
  if (looking.problem) return <Wrong problem={looking.problem} again={look} />;
  if (doing.problem) return <Wrong problem={doing.problem} again={restore} />;
  if (done) return <Done done={done} />;
  if (!plan) {
    return (
      <p>
        <button type="button" class="main" disabled={looking.busy} onClick={look}>
          Show what would change
        </button>
      </p>
    );
  }
  const changing = plan.files.filter((file) => !["none", "skip"].includes(file.action));
  return (
    <>
      <p role="status">
        {changing.length
          ? `${counted(changing.length, "file")} would change, to how they stood after ${plan.point}.`
          : "Nothing would change: the files stand like that already."}
      </p>
      <Steps steps={plan.files} />
      {plan.omitted && <p>… and {counted(plan.omitted, "more file")}</p>}
      {changing.length > 0 && (
        <p class="tools">
          <button type="button" class="main" disabled={doing.busy} onClick={restore}>
            Restore {counted(changing.length, "file")}
          </button>
          <span class="soft">It is recorded like any other change, and can be undone.</span>
        </p>
      )}
    </>
  );
}

function Done({ done }: { done: Restored }) {
  const entry = /s:\d+/.exec(done.undo ?? "")?.[0];
  return (
    <>
      <p role="status" class="well">
        Restored:{" "}
        {Object.entries(done.counts)
          .map(([what, number]) => `${number} ${what}`)
          .join(", ") || "nothing to do"}
        .
      </p>
      <Steps steps={done.files} />
      {entry && (
        <p>
          <a class="button" href={href({ view: "restore", query: { entry } })}>
            Undo this
          </a>
        </p>
      )}
    </>
  );
}

function Steps({ steps }: { steps: RestoreStep[] }) {
  return (
    <ul class="steps">
      {steps.map((step) => (
        <Step key={step.path} step={step} />
      ))}
    </ul>
  );
}

function Step({ step }: { step: RestoreStep }) {
  const [open, setOpen] = useState(false);
  const hasDiff =
    step.from_revision !== undefined && step.to_revision !== undefined && step.action !== "none";
  return (
    <li>
      <div class="row">
        <Badge of={step.action} /> <code>{step.path}</code>
        <span class="soft">
          {step.to_revision ? `to revision ${step.to_revision}` : ""} {step.reason ?? step.code ?? ""}
        </span>
        {step.status && <Badge of={step.status} />}
        {hasDiff && (
          <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide" : "Show"} the change
          </button>
        )}
      </div>
      {open && <Change step={step} />}
    </li>
  );
}

function Change({ step }: { step: RestoreStep }) {
  const asked = useAsk<Evolution>(
    "get_evolution",
    { path: step.path, from: step.from_revision, to: step.to_revision },
    false,
  );
  return (
    <Await asked={asked}>
      {(found) => <Diff text={found.diff || "No difference"} label={`Change of ${step.path}`} />}
    </Await>
  );
}
