// A file as a film: its revisions one after the other, played, paused, or moved through by hand.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { useAsk } from "../asking";
import { Badge, Lines, When, Who } from "../parts/Badge";
import { Icon } from "../parts/Icon";
import { Await, Empty } from "../parts/Notice";
import { Ref } from "../parts/Ref";
import { Stage } from "../parts/Stage";
import { href, refine, route } from "../route";
import type { Evolution as EvolutionAnswer, FileEvolved, Revision } from "../shapes";
import { isTyping } from "../shell/keys";
import { ask, knows } from "../state";
import { bytes, counted } from "../words";
import { Why } from "./Why";

const STEP_MS = 2_200;
const SPEEDS = [0.5, 1, 2, 4];
const REVISIONS_MAX = 1_000;

export default function Evolution() {
  const files = useAsk<EvolutionAnswer>("get_evolution", { limit: 1000 });
  const path = route.value.query.path ?? files.value?.files?.[0]?.path ?? "";
  return (
    <section class="view evolution">
      <header class="head">
        <h1>Evolution</h1>
      </header>
      <Await asked={files}>
        {(found) =>
          !found.files?.length && !path ? (
            <Empty title="No file has been changed yet">
              What agents change with file_op, or report, is shown here as a film.
            </Empty>
          ) : (
            <div class="two">
              <Files files={found.files ?? []} path={path} />
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
  const [place, setPlace] = useState(() => opening(revisions));
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const line = Number(route.value.query.line ?? 0) || undefined;
  const last = revisions.length - 1;
  const at = revisions[Math.min(place, last)] as Revision;
  const { content, before } = useContent(path, revisions, Math.min(place, last));

  const to = (next: number) => setPlace(Math.max(0, Math.min(last, next)));
  const step = (by: number) => setPlace((was) => Math.max(0, Math.min(last, was + by)));
  const play = () => {
    if (!playing && place >= last) setPlace(0);
    setPlaying(!playing);
  };
  useEffect(() => {
    if (!playing) return;
    if (place >= last) {
      setPlaying(false);
      return;
    }
    if (content === undefined) return;
    const timer = setTimeout(() => step(1), STEP_MS / speed);
    return () => clearTimeout(timer);
  }, [playing, place, speed, content === undefined]);
  const shown = useRef(at.revision);
  useEffect(() => {
    // A line's number is of one revision.
    const isOther = shown.current !== at.revision;
    shown.current = at.revision;
    refine({ path, revision: at.revision, seq: undefined, ...(isOther && { line: undefined }) });
  }, [at.revision]);
  const askWhy = (asked: number | undefined) => {
    setPlaying(false);
    refine({ line: asked });
  };
  useKeys({
    play,
    step,
    first: () => to(0),
    last: () => to(last),
    faster: (by) => setSpeed((was) => SPEEDS[SPEEDS.indexOf(was) + by] ?? was),
  });

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
          content={content}
          before={before}
          pace={STEP_MS / speed}
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
      <div class="controls" role="group" aria-label="Player">
        <button type="button" aria-label="First revision" onClick={() => to(0)}>
          <Icon of="first" />
        </button>
        <button type="button" aria-label="Previous revision" onClick={() => step(-1)}>
          <Icon of="back" />
        </button>
        <button type="button" class="main" aria-label={playing ? "Pause" : "Play"} onClick={play}>
          <Icon of={playing ? "pause" : "play"} />
        </button>
        <button type="button" aria-label="Next revision" onClick={() => step(1)}>
          <Icon of="on" />
        </button>
        <button type="button" aria-label="Last revision" onClick={() => to(last)}>
          <Icon of="last" />
        </button>
        <Scrubber revisions={revisions} place={place} to={to} />
        <select
          aria-label="Speed"
          value={String(speed)}
          onChange={(event) => setSpeed(Number(event.currentTarget.value))}
        >
          {SPEEDS.map((one) => (
            <option key={one} value={String(one)}>
              {one}×
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

interface Projected extends Around {
  path: string;
  revision: Revision;
  pace: number;
  line: number | undefined;
  onLine: ((line: number) => void) | undefined;
}

function Screen({ path, revision, content, before, pace, line, onLine }: Projected) {
  if (content === undefined || before === undefined) return <div class="screen is-waiting" />;
  if (content === null) {
    const why = revision.redacted?.length
      ? `Its content was not recorded, since it holds a secret (${revision.redacted.join(", ")}).`
      : revision.sha256
        ? `It is not text: ${bytes(revision.size ?? 0)}.`
        : "The file was gone then.";
    return (
      <div class="screen">
        <Empty title="Nothing to show">{why}</Empty>
      </div>
    );
  }
  return (
    <div class="screen">
      <Stage path={path} content={content} before={before} pace={pace} line={line} onLine={onLine} />
    </div>
  );
}

/** The slider, with a bar for the size of each change. */
function Scrubber({
  revisions,
  place,
  to,
}: {
  revisions: Revision[];
  place: number;
  to: (place: number) => void;
}) {
  const most = Math.max(1, ...revisions.map((one) => one.added + one.removed));
  const drawn = revisions.length <= 200 ? revisions : [];
  return (
    <div class="scrubber">
      <div class="bars" aria-hidden="true">
        {drawn.map((one, index) => (
          <span
            key={one.revision}
            class={index === place ? "is-here" : ""}
            style={{ height: `${12 + (88 * (one.added + one.removed)) / most}%` }}
            onClick={() => to(index)}
          />
        ))}
      </div>
      <input
        type="range"
        aria-label="Revision"
        aria-valuetext={`Revision ${revisions[place]?.revision ?? ""}`}
        min={0}
        max={revisions.length - 1}
        value={place}
        onInput={(event) => to(Number(event.currentTarget.value))}
      />
    </div>
  );
}

interface Keys {
  play: () => void;
  step: (by: 1 | -1) => void;
  first: () => void;
  last: () => void;
  faster: (by: 1 | -1) => void;
}

function useKeys(keys: Keys) {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      // A focused button has its own use for the space bar.
      const isButton = event.target instanceof HTMLButtonElement || event.target instanceof HTMLAnchorElement;
      const acts: Record<string, () => void> = {
        ...(isButton ? {} : { " ": keys.play }),
        ArrowLeft: () => keys.step(-1),
        ArrowRight: () => keys.step(1),
        Home: keys.first,
        End: keys.last,
        "+": () => keys.faster(1),
        "-": () => keys.faster(-1),
      };
      const act = acts[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

/** Begin where the address says: at a revision, at an entry, else at the first. */
function opening(revisions: Revision[]): number {
  const { revision, seq } = route.peek().query;
  if (revision)
    return Math.max(
      0,
      revisions.findIndex((one) => one.revision === Number(revision)),
    );
  if (!seq) return 0;
  const after = revisions.findLastIndex((one) => one.seq <= Number(seq));
  return Math.max(0, after);
}

/** What a revision holds and what the one before it held: `undefined` while it is on its way, `null` if nothing to show. */
interface Around {
  content: string | null | undefined;
  before: string | null | undefined;
}

/** Read a revision's content, and that of its neighbours ahead of time. */
function useContent(path: string, revisions: Revision[], place: number): Around {
  const [known, setKnown] = useState<Record<number, string | null>>({});
  const wanted = useMemo(
    () => [place, place + 1, place - 1].map((one) => revisions[one]).filter((one) => one !== undefined),
    [place, revisions.length],
  );
  useEffect(() => {
    for (const one of wanted) {
      if (known[one.revision] !== undefined) continue;
      const keep = (content: string | null) => setKnown((was) => ({ ...was, [one.revision]: content }));
      if (!one.sha256 || one.redacted?.length) keep(null);
      else {
        ask<EvolutionAnswer>("get_evolution", { path, revision: one.revision }).then(
          (found) => keep(found.encoding === "base64" ? null : (found.content ?? "")),
          () => keep(null),
        );
      }
    }
  }, [wanted]);
  const read = (one: Revision | undefined) => (one ? known[one.revision] : null);
  return { content: read(revisions[place]), before: read(revisions[place - 1]) };
}
