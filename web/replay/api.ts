// The answers that a server would give, from what lies in the file. Nothing is sent anywhere.

import { createPatch, OMIT_HEADERS } from "diff";

import { type Arguments, type Asking, Problem } from "../src/api";
import type {
  Evolution,
  FileEvolved,
  Revision,
  SessionList,
  SessionListed,
  Story,
  Timeline,
  TimelineItem,
} from "../src/shapes";
import { recorded } from "./session";

export { type Arguments, type Asking, Problem };

const ANSWERS: Record<string, (args: Arguments) => unknown> = {
  list_sessions: sessions,
  get_timeline: timeline,
  get_story: story,
  get_evolution: evolution,
};

export async function post<T>(operation: string, args: Arguments, _asking: Asking = {}): Promise<T> {
  const answer = ANSWERS[operation];
  if (!answer)
    throw new Problem(
      "NOT_HERE",
      "This is not in the file",
      "It is in the store that the file was made from",
      0,
    );
  return answer(args) as T;
}

/** Of the one session in the file, what the views show of it. */
function sessions(): SessionList {
  const [first] = recorded.story;
  const { edits = 0, files = 0 } = first?.totals ?? {};
  const created = recorded.timeline.at(-1)?.at ?? recorded.exported_at;
  const one = { session_id: recorded.session_id, status: "", created, edits, files };
  const told = first?.title ? { ...one, title: first.title } : one;
  return { sessions: [told as SessionListed], total: 1 };
}

interface Asked {
  kinds?: string[];
  actor?: string;
  path?: string;
  oldest_first?: boolean;
}

function timeline(args: Arguments): Timeline {
  const { kinds, actor, path, oldest_first } = args as Asked;
  const isWanted = (item: TimelineItem) =>
    (!kinds || kinds.includes(item.kind)) &&
    (!actor || item.actor === actor || item.actor.startsWith(`${actor}:`)) &&
    (!path || item.path === path || item.to === path);
  const told = recorded.timeline.filter(isWanted).map(recounted);
  return { session_id: recorded.session_id, timeline: oldest_first ? told.reverse() : told };
}

/** Count revisions as the films here do. */
function recounted(item: TimelineItem): TimelineItem {
  if (!item.revision) return item;
  const { revision: _, ...rest } = item;
  const film = recorded.files.find(({ file }) => file.path === (item.to ?? item.path));
  const found = numbered(film?.revisions ?? []).find((one) => one.seq === item.seq);
  return found ? { ...rest, revision: found.revision } : rest;
}

/** A page of the story; its cursor is the number of the next. */
function story(args: Arguments): Story {
  const place = Number(args.cursor ?? 0);
  const { nextCursor: _, ...page } = recorded.story[place] as Story;
  return place + 1 < recorded.story.length ? { ...page, nextCursor: String(place + 1) } : page;
}

function evolution(args: Arguments): Evolution {
  const { path, revision, from, to } = args as Record<"revision" | "from" | "to", number | undefined> & {
    path?: string;
  };
  if (path === undefined) return { files: recorded.files.map(filmed) };
  const found = recorded.files.find(({ file }) => file.path === path);
  if (!found) throw new Problem("FILE_NOT_FOUND", `Nothing of ${path} is in the file`, "", 404);
  const revisions = numbered(found.revisions);
  if (to !== undefined) {
    const [old, now] = [from, to].map((number) => held(revisions.find((one) => one.revision === number)));
    return {
      path,
      diff: createPatch(path, old?.content ?? "", now?.content ?? "", "", "", {
        headerOptions: OMIT_HEADERS,
      }),
    };
  }
  if (revision === undefined) return { path, revisions };
  const shown = revisions.filter((one) => one.revision === revision);
  return { path, revisions: shown, ...held(shown[0]) };
}

function filmed({ file, revisions }: { file: FileEvolved; revisions: Revision[] }): FileEvolved {
  const { sha256: _, ...rest } = file;
  const latest = revisions[0]?.sha256;
  return { ...rest, revisions: revisions.length, ...(latest && { sha256: latest }) };
}

/** Count within the film: it begins right before the session first touched the file. */
function numbered(revisions: Revision[]): Revision[] {
  return revisions.map((one, place) => ({ ...one, revision: revisions.length - place }));
}

function held(revision: Revision | undefined): Pick<Evolution, "content" | "encoding"> {
  const digest = revision?.sha256 ?? "";
  const content = recorded.contents[digest];
  if (content !== undefined) return { content, encoding: "utf-8" };
  const why = recorded.missing[digest];
  return why ? { content: `(${why})`, encoding: "utf-8" } : { encoding: "base64" };
}
