// A conversation as a chat.

import { useAsk } from "../asking";
import { Await, Empty } from "../parts/Notice";
import type { Entity } from "../shapes";
import { clock, moment, shown } from "../words";

interface Partial {
  type: "text" | "toolRequest" | "toolResponse";
  payload: { content?: string; shortId?: string; input?: unknown; status?: string; output?: unknown };
}

export interface Turn {
  id: string;
  senderId: string;
  createdAt: string;
  partials: Partial[];
}

export function Thread({ id }: { id: string }) {
  const asked = useAsk<{ entity: Entity }>("entity_get", { id, limit: 200 });
  return <Await asked={asked}>{({ entity }) => <Turns turns={entity.turns as Turn[]} />}</Await>;
}

export function Turns({ turns }: { turns: Turn[] }) {
  if (!turns.length) return <Empty title="Nobody has said anything yet" />;
  const first = turns[0]?.senderId;
  return (
    <ol class="chat">
      {turns.map((turn) => (
        <li key={turn.id} class={turn.senderId === first ? "turn" : "turn is-other"}>
          <p class="soft">
            <b>{turn.senderId}</b>{" "}
            <time dateTime={turn.createdAt} title={moment(turn.createdAt)}>
              {clock(turn.createdAt)}
            </time>
          </p>
          {turn.partials.map((one, place) =>
            one.type === "text" ? (
              <p key={place} class="said">
                {one.payload.content}
              </p>
            ) : (
              <details key={place}>
                <summary>
                  {one.type === "toolRequest"
                    ? `asks ${one.payload.shortId}`
                    : `answer: ${one.payload.status}`}
                </summary>
                <pre>{shown(one.type === "toolRequest" ? one.payload.input : one.payload.output)}</pre>
              </details>
            ),
          )}
        </li>
      ))}
    </ol>
  );
}
