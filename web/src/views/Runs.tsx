// The graph of an agent, and a run drawn over it.

import { useAsk } from "../asking";
import { Badge } from "../parts/Badge";
import { type Arrow, type Box, Graph } from "../parts/Graph";
import { Await } from "../parts/Notice";
import { refine, route } from "../route";
import type { Entity } from "../shapes";
import { clock, counted, shown } from "../words";

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
  return <Graph boxes={boxes} arrows={arrows} label={`Graph ${String(entity.name)}`} />;
}

interface Happening {
  index: number;
  at: string;
  type: string;
  nodeId?: string;
  edgeId?: string;
  message?: string;
  error?: unknown;
  name?: string;
}

const LOOKS: Record<string, string> = {
  nodeStarted: "is-begun",
  nodeCompleted: "is-done",
  nodeFailed: "is-failed",
};

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
  return (
    <>
      <p>
        <Badge of={String(entity.status)} /> {counted(events.length, "event")}
      </p>
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
            <time dateTime={one.at}>{clock(one.at)}</time> <b>{one.type}</b>{" "}
            {one.nodeId ?? one.message ?? one.name ?? ends.get(one.edgeId ?? "") ?? ""}{" "}
            {one.error ? shown(one.error) : ""}
          </li>
        ))}
      </ol>
    </>
  );
}
