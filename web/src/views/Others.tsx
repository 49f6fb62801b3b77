// Who else is at work on a record right now.

import { useAsk } from "../asking";
import { href } from "../route";
import type { WorkingSession } from "../shapes";
import { index, ownSessionId, project } from "../state";
import { who } from "../words";
import { Ago } from "./Meanwhile";

export function Others({ id }: { id: string }) {
  const asked = useAsk<{ sessions: WorkingSession[] }>("get_active_sessions", { record_id: id, limit: 100 });
  const own = ownSessionId(project.value);
  const there = (asked.value?.sessions ?? [])
    .filter((one) => one.session_id !== own && (one.status === "active" || one.status === "idle"))
    .sort((one, other) => (one.last_activity < other.last_activity ? 1 : -1));
  // Each is named once, however many sessions they have.
  const others = there.filter((one, place) => there.findIndex((other) => other.by === one.by) === place);
  return (
    <p class="soft others" role="status">
      {others.length > 0 && "Also at work on this: "}
      {others.map((one, place) => (
        <span key={one.session_id}>
          {place > 0 && ", "}
          <a href={href({ view: "timeline", query: { session: one.session_id } })}>
            {one.by === index.value?.actor ? "you, in another window" : who(one.by)}
          </a>{" "}
          <Ago at={one.last_activity} />
        </span>
      ))}
    </p>
  );
}
