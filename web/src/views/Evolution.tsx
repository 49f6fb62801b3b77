// A file as a film: its revisions one after the other, played, paused, or moved through by hand.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { useAsk } from "../asking";
import { Badge, Lines, When, Who } from "../parts/Badge";
import { Await, Empty } from "../parts/Notice";
import { STEP_MS, usePlaying } from "../parts/playing";
import { useReading } from "../parts/reading";
import { Ref } from "../parts/Ref";
import { type Around, Screen } from "../parts/Screen";
import { Transport } from "../parts/Transport";
import { go, href, refine, route } from "../route";
import type { Evolution as EvolutionAnswer, FileEvolved, Revision } from "../shapes";
import { knows } from "../state";
import { counted } from "../words";
import { Why } from "./Why";

const REVISIONS_MAX = 1_000;

export default function Evolution() {
  const files = useAsk<EvolutionAnswer>("get_evolution", { limit: 1000 });
  const path = route.value.query.path ?? files.value?.files?.[0]?.path ?? "";
  return (
    <section class="view evolution">
      <header class="head">
        <h1>Files</h1>
      </header>
      <Await asked={files}>
        {(found) =>
          !found.files?.length && !path ? (
            <Empty title="No file has been changed yet">
              What agents change, or what is found changed, is shown here as a film.
            </Empty>
          ) : (
            <div class="two">
              <Files files={found.files ?? []} path={path} />
              <PickFile files={found.files ?? []} path={path} />
              {path && <Film key={path} path={path} />}
            </div>
          )
        }
      </Await>
    </section>
  );
}

function Files({ files, path }: { files: FileEvolved[]; path: string }) {
  const [words, setWords] = useState("");
  const shown = files.filter((file) => file.path.toLowerCase().includes(words.toLowerCase()));
  return (
    <nav class="list" aria-label="Files">
      <input
        type="search"
        aria-label="Filter files"
        placeholder="Filter files"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <ul>
        {shown.map((file) => (
          <li key={file.path}>
            <a
              href={href({ view: "evolution", query: { path: file.path } })}
              aria-current={file.path === path ? "true" : undefined}
            >
              <span class="path">{file.path}</span>
              <small>
                {counted(file.revisions, "revision")}
                {file.sha256 ? "" : ", deleted"}
              </small>
            </a>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="nothing">No file of that name.</p>}
    </nav>
  );
}

/** The same on a narrow screen. */
function PickFile({ files, path }: { files: FileEvolved[]; path: string }) {
  const isKnown = files.some((file) => file.path === path);
  return (
    <label class="field pick-file">
      <span>File</span>
      <select
        value={path}
        onChange={(event) => go({ view: "evolution", query: { path: event.currentTarget.value } })}
      >
        {!isKnown && <option value={path}>{path}</option>}
        {files.map((file) => (
          <option key={file.path} value={file.path}>
            {file.path} ({counted(file.revisions, "revision")})
          </option>
        ))}
      </select>
    </label>
  );
}

function Film({ path }: { path: string }) {
  const asked = useAsk<EvolutionAnswer>("get_evolution", { path, limit: REVISIONS_MAX });
  return (
    <Await asked={asked}>
      {(found) => {
        const revisions = [...(found.revisions ?? [])].reverse();
        return revisions.length ? (
          <Player path={path} revisions={revisions} />
        ) : (
          <Empty title={`${path} has no revision`}>It was never changed through Hansard.</Empty>
        );
      }}
    </Await>
  );
}

function Player({ path, revisions }: { path: string; revisions: Revision[] }) {
  const contents = useContents(path, revisions);
  const player = usePlaying({
    first: useMemo(() => opening(revisions), []),
    last: revisions.length - 1,
    lasts: () => STEP_MS,
    isThere: (place) => contents.around(place).content !== undefined,
  });
  const { place, last } = player;
  const at = revisions[place] as Revision;
  const line = Number(route.value.query.line ?? 0) || undefined;
  useEffect(() => contents.want(place), [place, revisions.length, contents.turn]);
  const shown = useRef(at.revision);
  useEffect(() => {
    // A line's number is of one revision.
    const isOther = shown.current !== at.revision;
    shown.current = at.revision;
    refine({ path, revision: at.revision, seq: undefined, ...(isOther && { line: undefined }) });
  }, [at.revision]);
  const askWhy = (asked: number | undefined) => {
    player.pause();
    refine({ line: asked });
  };

  return (
    <div class="player">
      <div class="about">
        <h2>{path}</h2>
        <p>
          Revision {at.revision} of {revisions.length} <Badge of={at.action} />{" "}
          <Lines added={at.added} removed={at.removed} /> <Who actor={at.actor} /> <When at={at.at} />
          {at.source !== "executed" && <Badge of={at.source} />}
          {at.decisions?.map((one) => (
            <Ref key={one} to={one} />
          ))}
        </p>
        <p class="tools">
          {at.session_id && (
            <a href={href({ view: "timeline", query: { session: at.session_id, seq: at.seq } })}>
              Entry s:{at.seq}
            </a>
          )}
          {at.source !== "found" && (
            <a href={href({ view: "undo", query: { entry: `s:${at.seq}` } })}>Undo this change</a>
          )}
          {place < last && (
            <a href={href({ view: "restore", query: { path, point: `s:${at.seq}`, to: "after" } })}>
              Bring this revision back
            </a>
          )}
        </p>
      </div>
      <div class="projected">
        <Screen
          path={path}
          revision={at}
          {...contents.around(place)}
          pace={STEP_MS / player.speed}
          line={line}
          onLine={knows("why") ? askWhy : undefined}
        />
        {line && knows("why") && (
          <Why
            key={`${at.revision} ${line}`}
            path={path}
            line={line}
            revision={at.revision}
            onClose={() => askWhy(undefined)}
          />
        )}
      </div>
      <Transport
        player={player}
        unit="revision"
        said={`Revision ${at.revision}`}
        bars={revisions.map((one) => ({ size: (one.added ?? 0) + (one.removed ?? 0) }))}
      />
    </div>
  );
}

/** Begin where the address says: at a revision, at an entry, else at the first. */
function opening(revisions: Revision[]): number {
  const { revision, seq, line } = route.peek().query;
  if (revision)
    return Math.max(
      0,
      revisions.findIndex((one) => one.revision === Number(revision)),
    );
  // A line that was found is one of what the file holds now.
  if (!seq) return line ? revisions.length - 1 : 0;
  const after = revisions.findLastIndex((one) => one.seq <= Number(seq));
  return Math.max(0, after);
}

/** Read the contents of revisions: the one that is wanted, and its neighbours ahead of time. */
function useContents(path: string, revisions: Revision[]) {
  const reading = useReading();
  const hasText = (one: Revision) => one.sha256 && !one.redacted?.length;
  const want = (place: number) => {
    for (const one of [place, place + 1, place - 1].map((near) => revisions[near]))
      if (one && hasText(one)) reading.want(path, one.revision);
  };
  const read = (one: Revision | undefined) =>
    one && hasText(one) ? reading.of(path, one.revision) : { content: null };
  const around = (place: number): Around => {
    const here = read(revisions[place]);
    return {
      content: here?.content,
      before: read(revisions[place - 1])?.content,
      problem: here?.problem,
    };
  };
  return { turn: reading.turn, want, around };
}
