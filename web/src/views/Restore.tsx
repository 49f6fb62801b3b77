// Bring files back to how they stood at a moment: say what, see whose work goes with it, then do it.

import { useAsk } from "../asking";
import { Empty } from "../parts/Notice";
import { href, refine, route } from "../route";
import type { SessionList } from "../shapes";
import { GoingBack } from "./GoingBack";
import { Sessions } from "./Sessions";

interface Chosen {
  session: string;
  entry: string;
  step: string | undefined;
  path: string;
  point: string;
  to: string;
  keeps: boolean;
}

export default function Restore() {
  const { session = "", entry = "", step, path = "", point = "", to = "before", keep } = route.value.query;
  const chosen = { session, entry, step, path, point, to, keeps: keep === "1" };
  const scope = scopeOf(chosen);
  const isReady = path ? point !== "" : session !== "" || entry !== "";
  return (
    <section class="view restore">
      <header class="head">
        <h1>Restore</h1>
        <p class="soft">
          Files come back as they stood at a moment.{" "}
          <a href={href({ view: "undo", query: { session, entry, step } })}>Undo</a> takes changes back and
          leaves what others did since.
        </p>
      </header>
      <Choice {...chosen} />
      {isReady ? (
        <GoingBack
          key={JSON.stringify(scope)}
          operation="restore"
          scope={scope}
          onKeep={path ? undefined : () => refine({ keep: "1" })}
        />
      ) : (
        <Empty title="What should come back?">
          Choose a session above, or follow “Bring back what was before this step” from a story, or “Bring
          this revision back” from a film.
        </Empty>
      )}
    </section>
  );
}

function scopeOf({ session, entry, step, path, point, to, keeps }: Chosen): Record<string, unknown> {
  if (path) return { path, point, to };
  const whole = step !== undefined ? { step: Number(step) } : { to };
  return {
    ...(session && { of_session: session }),
    ...(entry && { entry }),
    ...(keeps && { keep_others: true }),
    ...whole,
  };
}

function Choice({ session, entry, step, path, point, to, keeps }: Chosen) {
  const sessions = useAsk<SessionList>("list_sessions", { limit: 200 });
  const what = path
    ? `${path === "." ? "The whole workspace" : `Only ${path}`}, ${to} ${point}.`
    : entry
      ? `Only the files that entry ${entry} changed.`
      : step !== undefined
        ? `To before step ${Number(step) + 1} of the plan began.`
        : "";
  return (
    <div class="filters">
      {!path && <Sessions view="restore" sessions={sessions.value} session={session} query={{ to }} />}
      {step === undefined && (
        <label>
          <span>To the state</span>
          <select value={to} onChange={(event) => refine({ to: event.currentTarget.value })}>
            <option value="before">before it</option>
            <option value="after">after it</option>
          </select>
        </label>
      )}
      {!path && (
        <label class="check">
          <input
            type="checkbox"
            checked={keeps}
            onChange={(event) => refine({ keep: event.currentTarget.checked ? "1" : undefined })}
          />
          <span>Keep what others did since</span>
        </label>
      )}
      {what && (
        <p class="scope">
          {what} <a href={href({ view: "restore", query: { session } })}>Everything instead</a>
        </p>
      )}
    </div>
  );
}
