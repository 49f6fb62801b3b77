// A session as a movie: one button plays all its files, with what was planned and noted as captions.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { asProblem, useAsk } from "../asking";
import type { Problem } from "../api";
import { lastsMs, type Picture, type Scene, scenesOf } from "../movie";
import { Badge, Kind, Lines, When, Who } from "../parts/Badge";
import { Named } from "../parts/Named";
import { Await, Empty, Loading, Wrong } from "../parts/Notice";
import { usePlaying } from "../parts/playing";
import { useReading } from "../parts/reading";
import { type Around, Screen } from "../parts/Screen";
import { Transport } from "../parts/Transport";
import { href, refine, route } from "../route";
import type { SessionList, Timeline, TimelineItem } from "../shapes";
import { ask } from "../state";
import { counted } from "../words";
import { BUDGET_TOKENS } from "./rows";
import "../styles/movie.css";

const PAGE = 1_000;
const ENTRIES_MAX = 20_000;

export default function Movie() {
  const session = route.value.id;
  return session ? <OfSession key={session} session={session} /> : <Sessions />;
}

/** Which session there is to see. */
function Sessions() {
  const asked = useAsk<SessionList>("list_sessions", { limit: 200 });
  return (
    <section class="view">
      <header class="head">
        <h1>Movies</h1>
        <p class="soft">
          A session in a minute: every change of every file, with what was planned and noted.
        </p>
      </header>
      <Await asked={asked}>
        {(found) =>
          found.sessions.some((one) => one.edits) ? (
            <ul class="cards">
              {found.sessions
                .filter((one) => one.edits)
                .map((one) => (
                  <li key={one.session_id}>
                    <a class="card" href={href({ view: "movie", id: one.session_id })}>
                      <h2>{one.title ?? one.session_id}</h2>
                      <p>
                        <Badge of={one.status} /> <When at={one.created} />
                      </p>
                      <p class="soft">
                        {counted(one.edits, "edit")} in {counted(one.files, "file")}
                      </p>
                    </a>
                  </li>
                ))}
            </ul>
          ) : (
            <Empty title="Nothing was filmed yet">Each session that changes files becomes a movie.</Empty>
          )
        }
      </Await>
    </section>
  );
}

function OfSession({ session }: { session: string }) {
  const { timeline, problem } = useTimeline(session);
  const scenes = useMemo(() => timeline && scenesOf(timeline), [timeline]);
  if (problem) return <Wrong problem={problem} />;
  if (!scenes) return <Loading />;
  const title = timeline?.findLast((item) => item.kind === "session_titled")?.title ?? session;
  return (
    <section class="view movie">
      <header class="head">
        <h1>{title}</h1>
        <p class="tools">
          <a href={href({ view: "story", id: session })}>Story</a>
          <a href={href({ view: "timeline", query: { session } })}>Timeline</a>
        </p>
      </header>
      {scenes.length ? (
        <Projector scenes={scenes} />
      ) : (
        <Empty title="Nothing happened in this session">Its timeline tells when it began.</Empty>
      )}
    </section>
  );
}

function Projector({ scenes }: { scenes: Scene[] }) {
  const reel = useReel();
  const player = usePlaying({
    first: useMemo(() => opening(scenes), []),
    last: scenes.length - 1,
    lasts: (place) => lastsMs(scenes[place] as Scene, scenes.length),
    isThere: (place) => reel.around(scenes[place]?.picture ?? null).content !== undefined,
  });
  const { place } = player;
  const scene = scenes[place] as Scene;
  useEffect(() => {
    for (const near of [place, place + 1, place + 2]) reel.want(scenes[near]?.picture ?? null);
    refine({ seq: scene.seq });
  }, [place, scenes.length, reel.turn]);
  const files = useMemo(() => [...new Set(scenes.flatMap((one) => one.picture?.path ?? []))], [scenes]);
  return (
    <div class="player">
      <p class="chapter">
        {scene.number > 0 ? (
          <>
            <span class="number">Step {scene.number}</span> {scene.step}
          </>
        ) : (
          "Before the plan"
        )}
      </p>
      <Reel files={files} path={scene.picture?.path ?? ""} />
      <Shot scene={scene} reel={reel} pace={lastsMs(scene, scenes.length) / player.speed} />
      <p class={`caption of-${scene.isChange ? "change" : "words"}`} role="status">
        <Kind of={scene.kind} /> <span class="said">{<Named text={scene.caption} />}</span>{" "}
        <Lines added={scene.added} removed={scene.removed} /> <Who actor={scene.actor} />
      </p>
      <Transport
        player={player}
        unit="scene"
        said={`Scene ${place + 1} of ${scenes.length}: ${scene.caption}`}
        bars={scenes.map((one) => ({ size: one.added + one.removed, isMarked: one.kind === "step_begun" }))}
      />
    </div>
  );
}

/** The files that play, and which of them is in the picture. */
function Reel({ files, path }: { files: string[]; path: string }) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const here = list.current?.querySelector<HTMLElement>("[aria-current]");
    // Only sideways: the page itself must not move under the eyes.
    if (here && list.current) list.current.scrollLeft = here.offsetLeft - list.current.clientWidth / 2;
  }, [path]);
  return (
    <ul class="reel" aria-label="Files" ref={list} tabIndex={0}>
      {files.map((one) => (
        <li key={one} aria-current={one === path ? "true" : undefined}>
          {one}
        </li>
      ))}
    </ul>
  );
}

function Shot({ scene, reel, pace }: { scene: Scene; reel: ReturnType<typeof useReel>; pace: number }) {
  const { picture } = scene;
  if (!picture)
    return (
      <div class="screen is-title">
        <p>{scene.caption}</p>
      </div>
    );
  return (
    <Screen
      path={picture.path}
      revision={reel.revision(picture) ?? {}}
      {...reel.around(picture)}
      pace={pace}
    />
  );
}

/** Begin at the entry that the address names. */
function opening(scenes: Scene[]): number {
  const seq = Number(route.peek().query.seq ?? 0);
  return Math.max(
    0,
    scenes.findLastIndex((one) => one.seq <= seq),
  );
}

/** The contents of the files of a session, as they are read. */
function useReel() {
  const reading = useReading();
  return {
    turn: reading.turn,
    want: (picture: Picture | null) => {
      if (!picture) return;
      for (const revision of [picture.revision, picture.revision - 1])
        if (revision > 0) reading.want(picture.path, revision);
    },
    around: (picture: Picture | null): Around => {
      if (!picture) return { content: null, before: null };
      const { path, revision } = picture;
      const here = reading.of(path, revision);
      // Of a file that begins, every line is new.
      const before = revision > 1 ? reading.of(path, revision - 1) : { content: "" };
      return { content: here?.content, before: before?.content, problem: here?.problem };
    },
    revision: (picture: Picture) => reading.of(picture.path, picture.revision)?.revision,
  };
}

/** Read a session from its beginning, as far as it has come when one begins to look. */
function useTimeline(session: string): { timeline: TimelineItem[] | null; problem: Problem | null } {
  const [timeline, setTimeline] = useState<TimelineItem[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const control = new AbortController();
    readAll(session, control.signal).then(setTimeline, (error: unknown) => {
      if (!control.signal.aborted) setProblem(asProblem(error));
    });
    return () => control.abort();
  }, [session]);
  return { timeline, problem };
}

async function readAll(session: string, signal: AbortSignal): Promise<TimelineItem[]> {
  const items: TimelineItem[] = [];
  let cursor: string | undefined;
  do {
    const asked = {
      session_id: session,
      oldest_first: true,
      limit: PAGE,
      cursor,
      budget_tokens: BUDGET_TOKENS,
    };
    const page = await ask<Timeline>("get_timeline", asked, { signal });
    items.push(...page.timeline);
    cursor = page.nextCursor;
  } while (cursor && items.length < ENTRIES_MAX);
  return items;
}
