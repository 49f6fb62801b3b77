// Checkpoints: the contexts a session saved, how large they are, and what differs between two.

import { useMemo, useState } from "preact/hooks";

import { useAsk, useDoing } from "../asking";
import { Badge, When } from "../parts/Badge";
import { Await, Empty, Wrong } from "../parts/Notice";
import { href, route } from "../route";
import type {
  ActivityList,
  CheckpointDiff,
  CheckpointList,
  CheckpointListed,
  Loaded,
  SessionList,
} from "../shapes";
import { ask } from "../state";
import { bytes, counted, shown } from "../words";
import "../styles/checkpoints.css";

export default function Checkpoints() {
  const saved = useAsk<ActivityList>("get_recent_activity", { types: ["checkpoint_saved"], limit: 1000 });
  const sessions = useAsk<SessionList>("list_sessions", { limit: 500 });
  const titles = useMemo(
    () => new Map(sessions.value?.sessions.map((one) => [one.session_id, one.title])),
    [sessions.value],
  );
  return (
    <section class="view">
      <header class="head">
        <h1>Checkpoints</h1>
      </header>
      <Await asked={saved}>
        {(found) => {
          const ids = [...new Set(found.activity.map((one) => one.session_id ?? ""))].filter(Boolean);
          const session = route.value.id || ids[0];
          if (!session)
            return (
              <Empty title="No checkpoint yet">
                Agents save here what they work with, and go on from it later, in another chat too.
              </Empty>
            );
          return (
            <div class="two">
              <nav class="list" aria-label="Sessions with checkpoints">
                <ul>
                  {ids.map((one) => (
                    <li key={one}>
                      <a
                        href={href({ view: "checkpoints", id: one })}
                        aria-current={one === session ? "true" : undefined}
                      >
                        <span class="path">{titles.get(one) ?? one}</span>
                        <small>
                          {counted(found.activity.filter((entry) => entry.session_id === one).length, "save")}
                        </small>
                      </a>
                    </li>
                  ))}
                </ul>
              </nav>
              <OfSession key={session} session={session} />
            </div>
          );
        }}
      </Await>
    </section>
  );
}

function OfSession({ session }: { session: string }) {
  const asked = useAsk<CheckpointList>("workflow_checkpoint_list", { sessionId: session, limit: 200 });
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  return (
    <Await asked={asked}>
      {(found) => {
        const list = found.checkpoints;
        const newer = to || route.value.query.checkpoint || list[0]?.checkpointId || "";
        const place = list.findIndex((one) => one.checkpointId === newer);
        const older = from || list[place + 1]?.checkpointId || "";
        const most = Math.max(1, ...list.map((one) => one.sizeBytes));
        return (
          <div class="checkpoints">
            <p class="soft">
              {counted(found.total, "checkpoint")}, {bytes(found.session.totalSizeBytes)} in all
            </p>
            <table>
              <thead>
                <tr>
                  <th scope="col">From</th>
                  <th scope="col">To</th>
                  <th scope="col">Checkpoint</th>
                  <th scope="col">Size</th>
                  <th scope="col">Saved</th>
                </tr>
              </thead>
              <tbody>
                {list.map((one) => (
                  <Listed
                    key={one.checkpointId}
                    one={one}
                    most={most}
                    older={older}
                    newer={newer}
                    onFrom={setFrom}
                    onTo={setTo}
                  />
                ))}
              </tbody>
            </table>
            <Marked session={session} />
            {older && newer && older !== newer ? (
              <Differences from={older} to={newer} />
            ) : (
              <p class="soft">Choose two to see what differs.</p>
            )}
            {newer && <Context key={newer} id={newer} />}
          </div>
        );
      }}
    </Await>
  );
}

/** The keys that agents may not lose, whatever the budget. */
function Marked({ session }: { session: string }) {
  const asked = useAsk<ActivityList>("get_recent_activity", { types: ["key_marked"], limit: 200 });
  const marked = asked.value?.activity.filter((one) => one.session_id === session) ?? [];
  if (marked.length === 0) return null;
  return (
    <ul class="marked">
      {marked.map((one) => (
        <li key={one.seq}>
          <Badge of="critical" /> {one.summary}
        </li>
      ))}
    </ul>
  );
}

/** What a checkpoint holds, once one asks: loading is recorded like any agent's. */
function Context({ id }: { id: string }) {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const doing = useDoing();
  const load = () =>
    doing.run(async () => setLoaded(await ask<Loaded>("workflow_checkpoint_load", { checkpointId: id })));
  if (doing.problem) return <Wrong problem={doing.problem} again={load} />;
  if (!loaded) {
    return (
      <button type="button" disabled={doing.busy} onClick={load}>
        Show what {id} holds
      </button>
    );
  }
  const { since } = loaded;
  return (
    <section class="panel">
      <h2>{id} holds</h2>
      <pre class="json" tabIndex={0}>
        {shown(loaded.context)}
      </pre>
      <p class="soft">
        Since then {counted(since.ticksPassed, "change")} happened, {counted(since.recordsTotal, "record")}{" "}
        and {counted(since.filesTotal, "file")} changed.
      </p>
    </section>
  );
}

interface Row {
  one: CheckpointListed;
  most: number;
  older: string;
  newer: string;
  onFrom: (id: string) => void;
  onTo: (id: string) => void;
}

function Listed({ one, most, older, newer, onFrom, onTo }: Row) {
  const id = one.checkpointId;
  return (
    <tr>
      <td>
        <input
          type="radio"
          name="from"
          aria-label={`Compare from ${id}`}
          checked={id === older}
          onChange={() => onFrom(id)}
        />
      </td>
      <td>
        <input
          type="radio"
          name="to"
          aria-label={`Compare to ${id}`}
          checked={id === newer}
          onChange={() => onTo(id)}
        />
      </td>
      <td>
        <b>{id}</b> {one.metadata.name}{" "}
        {one.metadata.tags?.map((tag) => (
          <Badge key={tag} of="tag" text={`#${tag}`} />
        ))}
      </td>
      <td>
        <meter min={0} max={most} value={one.sizeBytes} aria-label={`Size of ${id}`} /> {bytes(one.sizeBytes)}
      </td>
      <td>
        <When at={one.createdAt} />
      </td>
    </tr>
  );
}

function Differences({ from, to }: { from: string; to: string }) {
  const asked = useAsk<CheckpointDiff>("workflow_checkpoint_diff", { from, to });
  return (
    <section class="panel">
      <h2>
        From {from} to {to}
      </h2>
      <Await asked={asked}>
        {(found) =>
          found.total === 0 ? (
            <p class="soft">They hold the same.</p>
          ) : (
            <ul class="differences">
              {found.differences.map((one) => (
                <li key={one.path} class={`is-${one.change}`}>
                  <Badge of={one.change} /> <code>{one.path}</code>
                  <div class="values">
                    {one.change !== "added" && <pre class="old">{shown(one.old)}</pre>}
                    {one.change !== "removed" && <pre class="new">{shown(one.new)}</pre>}
                  </div>
                </li>
              ))}
              {found.total > found.differences.length && (
                <li class="soft">… and {found.total - found.differences.length} more</li>
              )}
            </ul>
          )
        }
      </Await>
    </section>
  );
}
