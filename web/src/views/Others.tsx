// Who else is at work on a record right now.

import { useAsk } from "../asking";
import type { WorkingSession } from "../shapes";
import { ownSessionId, project } from "../state";
import { Ago } from "./Meanwhile";

export function Others({ id }: { id: string }) {
  const asked = useAsk<{ sessions: WorkingSession[] }>("get_active_sessions", { record_id: id, limit: 20 });
  const own = ownSessionId(project.value);
  const others = (asked.value?.sessions ?? []).filter((one) => one.session_id !== own);
  if (!others.length) return null;
  return (
    <p class="soft others">
      Also at work on this:{" "}
      {others.map((one, place) => (
        <span key={one.session_id}>
          {place > 0 && ", "}
          {one.session_id} (<Ago at={one.last_activity} />)
        </span>
      ))}
    </p>
  );
}
