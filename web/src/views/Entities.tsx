// The durable objects of agent applications: chats, graphs, runs, metrics, and the rest as JSON.

import { useAsk } from "../asking";
import { When } from "../parts/Badge";
import { CopyId } from "../parts/Copy";
import { Await, Empty } from "../parts/Notice";
import { go, href, route } from "../route";
import type { Entity } from "../shapes";
import { knows } from "../state";
import { shown } from "../words";
import { Metrics } from "./Metrics";
import { GraphDrawn, Run } from "./Runs";
import { Thread, type Turn, Turns } from "./Threads";
import { useTitles } from "./titles";
import "../styles/entities.css";

const TYPES: Record<string, string> = {
  chatThread: "Chats",
  messageThread: "Threads",
  agentGraph: "Graphs",
  agentGraphExecution: "Runs",
  textDocument: "Documents",
  modelConnection: "Models",
};

export default function Entities() {
  const { type, id } = route.value.query;
  const at = type ?? (id ? id.split("::")[0] : undefined) ?? "chatThread";
  return (
    <section class="view entities">
      <header class="head">
        <h1>Runs and chats</h1>
        <div class="filters" role="group" aria-label="Type">
          {[...Object.entries(TYPES), ...(knows("metric_query") ? [["metric", "Metrics"] as const] : [])].map(
            ([one, name]) => (
              <button
                key={one}
                type="button"
                class="chip"
                aria-pressed={at === one}
                onClick={() => go({ view: "entities", query: { type: one } })}
              >
                {name}
              </button>
            ),
          )}
        </div>
      </header>
      {at === "metric" ? <Metrics /> : <OfType key={at} type={at} id={id} />}
    </section>
  );
}

function OfType({ type, id }: { type: string; id: string | undefined }) {
  const asked = useAsk<{ entities: Entity[]; total: number }>("entity_list", { type, limit: 200 });
  const titleOf = useTitles(type);
  return (
    <Await asked={asked}>
      {(found) => {
        const current = id ?? found.entities[0]?.id;
        if (!current)
          return (
            <Empty title={`No ${(TYPES[type] ?? type).toLowerCase()} yet`}>
              They appear here as soon as an agent or an application keeps some.
            </Empty>
          );
        return (
          <div class="two">
            <nav class="list" aria-label={TYPES[type] ?? type}>
              <ul>
                {found.entities.map((one) => (
                  <li key={one.id}>
                    <a
                      href={href({ view: "entities", query: { type, id: one.id } })}
                      aria-current={one.id === current ? "true" : undefined}
                    >
                      <span class="path">{titleOf(one)}</span>
                      <small>
                        <When at={one.updatedAt} />
                      </small>
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
            <One key={current} id={current} type={type} titleOf={titleOf} />
          </div>
        );
      }}
    </Await>
  );
}

interface Chosen {
  id: string;
  type: string;
  titleOf: (entity: Entity) => string;
}

function One({ id, type, titleOf }: Chosen) {
  const asked = useAsk<{ entity: Entity; nextCursor?: string }>("entity_get", { id, limit: 200 });
  return (
    <Await asked={asked}>
      {({ entity, nextCursor }) => (
        <article class="entity">
          <h2>{titleOf(entity)}</h2>
          <p class="soft">
            Changed <When at={entity.updatedAt} /> · <CopyId of={entity.id} />
          </p>
          {typeof entity.description === "string" && entity.description && <p>{entity.description}</p>}
          {nextCursor && <p class="soft">Only the latest part is shown.</p>}
          {type === "chatThread" ? (
            <Thread id={String(entity.threadId)} />
          ) : type === "messageThread" ? (
            <Turns turns={entity.turns as Turn[]} />
          ) : type === "agentGraph" ? (
            <GraphDrawn entity={entity} looks={new Map()} taken={new Set()} />
          ) : type === "agentGraphExecution" ? (
            <Run entity={entity} />
          ) : (
            <pre class="json" tabIndex={0}>
              {shown(entity)}
            </pre>
          )}
        </article>
      )}
    </Await>
  );
}
