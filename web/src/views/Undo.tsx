// Take changes back and only these: of an entry, a batch, a step or a session. What others did stays.

import { useAsk } from "../asking";
import { Empty } from "../parts/Notice";
import { href, route } from "../route";
import type { SessionList } from "../shapes";
import { GoingBack } from "./GoingBack";
import { Sessions } from "./Sessions";

export default function Undo() {
  const { session = "", entry = "", step } = route.value.query;
  const scope = entry
    ? { entry }
    : { of_session: session, ...(step !== undefined && { step: Number(step) }) };
  return (
    <section class="view restore">
      <header class="head">
        <h1>Undo</h1>
        <p class="soft">
          What was changed is taken back, and only that: what others did since stays.{" "}
          <a href={href({ view: "restore", query: { session, step } })}>Restore</a> goes back to a moment
          instead.
        </p>
      </header>
      <Choice session={session} entry={entry} step={step} />
      {entry || session ? (
        <GoingBack key={JSON.stringify(scope)} operation="undo" scope={scope} />
      ) : (
        <Empty title="What should be undone?">
          Choose a session above, or follow “Undo” from an entry of a timeline, a step of a story or a
          revision of a film.
        </Empty>
      )}
    </section>
  );
}

function Choice({ session, entry, step }: { session: string; entry: string; step: string | undefined }) {
  const sessions = useAsk<SessionList>("list_sessions", { limit: 200 });
  const only = entry ? `what entry ${entry} changed` : step !== undefined ? `step ${Number(step) + 1}` : "";
  return (
    <div class="filters">
      <Sessions view="undo" sessions={sessions.value} session={session} />
      {only && (
        <p class="scope">
          Only {only}.{" "}
          {session && <a href={href({ view: "undo", query: { session } })}>The whole session instead</a>}
        </p>
      )}
    </div>
  );
}
