// A choice among the sessions of a project, with what each did to files.

import { go } from "../route";
import type { SessionList } from "../shapes";
import { counted, day } from "../words";

interface Shown {
  view: string;
  sessions: SessionList | null;
  session: string;
  /** What of the address stays. */
  query?: Record<string, string>;
}

export function Sessions({ view, sessions, session, query = {} }: Shown) {
  return (
    <label>
      <span>Session</span>
      <select
        value={session}
        onChange={(event) => go({ view, query: { session: event.currentTarget.value, ...query } })}
      >
        <option value="">Choose one</option>
        {sessions?.sessions.map((one) => (
          <option key={one.session_id} value={one.session_id}>
            {one.title ?? one.session_id} ({counted(one.edits, "edit")}, {day(one.created)})
          </option>
        ))}
      </select>
    </label>
  );
}
