// What happened, newest first: in the whole project, or in one session with every detail.

import { useAsk } from "../asking";
import { moment } from "../moment";
import { href, refine, route } from "../route";
import type { SessionList } from "../shapes";
import { knows, project } from "../state";
import { day, kindName } from "../words";
import { Entries } from "./Entries";
import type { Filtered, Order } from "./rows";

const KINDS = [
  "file_create",
  "file_edit",
  "file_delete",
  "file_move",
  "file_refused",
  "audit_event",
  "checkpoint_saved",
  "conflict_detected",
  "conflict_resolved",
  "decision_recorded",
  "decision_superseded",
  "external_change",
  "plan_step",
  "proposal_accepted",
  "proposal_made",
  "proposal_rejected",
  "record_created",
  "record_moved",
  "record_updated",
  "restore",
  "session_closed",
  "session_joined",
  "session_left",
  "session_saved",
  "session_started",
  "session_titled",
  "state_transition",
  "step_begun",
  "step_ended",
  "workspace_seen",
];

export default function Timeline() {
  const { session = "", kind = "", actor = "", path = "", seq } = route.value.query;
  // A session is read as it went on; of a project one wants what is new.
  const order: Order = (route.value.query.order as Order | undefined) ?? (session ? "oldest" : "newest");
  const sessions = useAsk<SessionList>("list_sessions", { limit: 200 });
  const filters = { session, order, kind, actor, path };
  return (
    <section class="view timeline">
      <header class="head">
        <h1>Timeline</h1>
        <Filters sessions={sessions.value} {...filters} />
      </header>
      <Entries
        key={JSON.stringify([project.value, moment.value, filters])}
        {...filters}
        seq={seq ? Number(seq) : undefined}
      />
    </section>
  );
}

function Filters({
  sessions,
  session,
  order,
  kind,
  actor,
  path,
}: Filtered & { sessions: SessionList | null }) {
  return (
    <div class="filters">
      <label>
        <span>Session</span>
        <select
          value={session}
          onChange={(event) =>
            refine({
              session: event.currentTarget.value,
              kind: "",
              actor: "",
              path: "",
              seq: undefined,
              order: "",
            })
          }
        >
          <option value="">Whole project</option>
          {sessions?.sessions.map((one) => (
            <option key={one.session_id} value={one.session_id}>
              {one.title ?? one.session_id} ({day(one.created)})
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Kind</span>
        <select value={kind} onChange={(event) => refine({ kind: event.currentTarget.value })}>
          <option value="">Every kind</option>
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {kindName(one)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>By</span>
        <select value={actor} onChange={(event) => refine({ actor: event.currentTarget.value })}>
          <option value="">Anyone</option>
          <option value="agent">Agents</option>
          <option value="human">People</option>
          <option value="system">Hansard</option>
        </select>
      </label>
      <label>
        <span>File</span>
        <input
          type="search"
          placeholder="src/app.py"
          value={path}
          onChange={(event) => refine({ path: event.currentTarget.value.trim() })}
        />
      </label>
      <label>
        <span>Order</span>
        <select
          value={order}
          onChange={(event) => refine({ order: event.currentTarget.value, seq: undefined })}
        >
          <option value="oldest">As it went on</option>
          <option value="newest">Newest first</option>
        </select>
      </label>
      {session && (
        <span class="tools">
          <a class="button" href={href({ view: "story", id: session })}>
            Story
          </a>
          {knows("get_evolution") && (
            <a class="button" href={href({ view: "movie", id: session })}>
              Movie
            </a>
          )}
          <a class="button" href={href({ view: "undo", query: { session } })}>
            Undo
          </a>
          <a class="button" href={href({ view: "restore", query: { session } })}>
            Restore
          </a>
        </span>
      )}
    </div>
  );
}
