// The graph of an agent, and a run drawn over it.

import { useAsk } from "../asking";
import { Badge } from "../parts/Badge";
import { type Arrow, type Box, Graph } from "../parts/Graph";
import { Await } from "../parts/Notice";
import { refine, route } from "../route";
import type { Entity } from "../shapes";
import { type Happening, lasting, spansOf, spentInAll } from "../spans";
import { clock, counted, shown } from "../words";
import { said, Waterfall } from "./Waterfall";

interface NodeOf {
  id: string;
  nodeId: string;
}

interface EdgeOf {
  id: string;
  sourceNodeId: string;
  targetNodeId: string;
}

export function GraphDrawn({
  entity,
  looks,
  taken,
}: {
  entity: Entity;
  looks: Map<string, string>;
  taken: Set<string>;
}) {
  const boxes: Box[] = (entity.nodes as NodeOf[]).map((one) => ({
    id: one.id,
    title: one.id,
    about: one.nodeId,
    look: looks.get(one.id) ?? "",
  }));
  const arrows: Arrow[] = (entity.edges as EdgeOf[]).map((one) => ({
    from: one.sourceNodeId,
    to: one.targetNodeId,
    look: taken.has(one.id) ? "is-taken" : "",
  }));
  return <Graph turns boxes={boxes} arrows={arrows} label={`Graph ${String(entity.name)}`} />;
}

const LOOKS: Record<string, string> = {
  nodeStarted: "is-begun",
  nodeCompleted: "is-done",
  nodeFailed: "is-failed",
};

const STATUS: Record<string, string> = {
  notStarted: "not started",
  inProgress: "running",
};

/** An event in words. */
function happened(one: Happening, ends: Map<string, string>): string {
  const node = one.nodeId ?? "";
  switch (one.type) {
    case "nodeStarted":
      return `${node} began`;
    case "nodeCompleted":
      return `${node} is done`;
    case "nodeFailed":
      return `${node} failed: ${shown(one.error)}`;
    case "edgeTaken":
      return ends.get(one.edgeId ?? "") ?? "went on";
    case "log":
      return one.message ?? "";
    default:
      return [one.name ?? one.type, one.value === undefined ? "" : shown(one.value)].join(" ").trim();
  }
}

/** A run, drawn over its graph as far as one has moved through its events. */
export function Run({ entity }: { entity: Entity }) {
  const graph = useAsk<{ entity: Entity }>("entity_get", { id: String(entity.agentGraphId) });
  const events = entity.events as Happening[];
  const at = Math.min(Number(route.value.query.at ?? events.length), events.length);
  const so = events.slice(0, at);
  const looks = new Map(
    so.flatMap((one) =>
      one.nodeId && LOOKS[one.type] ? [[one.nodeId, LOOKS[one.type] as string] as const] : [],
    ),
  );
  const ends = new Map(
    (graph.value?.entity.edges as EdgeOf[] | undefined)?.map((one) => [
      one.id,
      `${one.sourceNodeId} → ${one.targetNodeId}`,
    ]),
  );
  const taken = new Set(so.flatMap((one) => (one.edgeId ? [one.edgeId] : [])));
  const startMs = Date.parse(String(entity.startTime ?? events[0]?.at ?? entity.createdAt));
  const endMs = entity.endTime ? Date.parse(String(entity.endTime)) : Date.now();
  const spans = spansOf(events, endMs);
  const spent = said(spentInAll(spans));
  return (
    <>
      <p>
        <Badge of={String(entity.status)} text={STATUS[String(entity.status)] ?? String(entity.status)} />{" "}
        {lasting(endMs - startMs)}, {counted(events.length, "event")}
        {spent && `, ${spent}`}
      </p>
      <Waterfall spans={spans} startMs={startMs} spanMs={endMs - startMs} />
      <Await asked={graph}>
        {(found) => <GraphDrawn entity={found.entity} looks={looks} taken={taken} />}
      </Await>
      <label class="field">
        <span>
          After event {at} of {events.length}
        </span>
        <input
          type="range"
          min={0}
          max={events.length}
          value={at}
          onInput={(event) => refine({ at: event.currentTarget.value })}
        />
      </label>
      <ol class="run">
        {events.map((one, place) => (
          <li key={one.index} class={place < at ? "" : "is-ahead"}>
            <time dateTime={one.at}>{clock(one.at)}</time> {happened(one, ends)}
          </li>
        ))}
      </ol>
    </>
  );
}
