// What entities without a name of their own are called: runs after their graph, threads after their chat.

import { useEffect, useState } from "preact/hooks";

import { useAsk } from "../asking";
import type { Entity } from "../shapes";
import { ask } from "../state";
import { clock, counted, day } from "../words";
import type { Turn } from "./Threads";

type Listed = { entities: Entity[] };
/** Chats whose threads are looked into to know older states of them again. */
const CHATS_MAX = 20;
const SAID_CHARS = 60;

/** Give what tells the title of an entity of a type. */
export function useTitles(type: string): (entity: Entity) => string {
  const graphs = useAsk<Listed>(
    "entity_list",
    type === "agentGraphExecution" ? { type: "agentGraph", limit: 200 } : null,
  );
  const chats = useAsk<Listed>(
    "entity_list",
    type === "messageThread" ? { type: "chatThread", limit: 200 } : null,
  );
  const turns = useTurns(chats.value?.entities ?? null);
  return (entity) => {
    if (type === "agentGraphExecution") return runTitle(entity, graphs.value?.entities ?? []);
    if (type === "messageThread") return threadTitle(entity, turns);
    return String(entity.name ?? entity.title ?? entity.id);
  };
}

function runTitle(run: Entity, graphs: Entity[]): string {
  const graph = graphs.find((one) => one.id === run.agentGraphId);
  const at = String(run.startTime ?? run.createdAt);
  return `${String(graph?.name ?? "Run")}, ${day(at)} ${clock(at)}`;
}

/** A thread is a chat up to some turn: it ends with one of the chat's. */
function threadTitle(thread: Entity, chats: ReadonlyMap<string, string>): string {
  const last = (thread.turns as Turn[] | undefined)?.at(-1);
  const total = Number(thread.turnsTotal ?? (thread.turns as Turn[] | undefined)?.length ?? 0);
  if (!last) return "Nobody has said anything yet";
  const chat = chats.get(last.id);
  if (chat) return `${chat}, ${counted(total, "turn")}`;
  const text = last.partials.find((one) => one.type === "text")?.payload.content ?? "";
  return `${last.senderId}: ${text.length > SAID_CHARS ? `${text.slice(0, SAID_CHARS)}…` : text}`;
}

/** Which chat each turn was said in. */
function useTurns(chats: Entity[] | null): ReadonlyMap<string, string> {
  const [turns, setTurns] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    if (!chats) return;
    let isOver = false;
    Promise.all(
      chats.slice(0, CHATS_MAX).map((chat) =>
        ask<{ entity: Entity }>("entity_get", { id: String(chat.threadId), limit: 200 }).then(
          ({ entity }) => (entity.turns as Turn[]).map((turn) => [turn.id, String(chat.name)] as const),
          () => [],
        ),
      ),
    ).then((found) => !isOver && setTurns(new Map(found.flat())));
    return () => {
      isOver = true;
    };
  }, [chats]);
  return turns;
}
