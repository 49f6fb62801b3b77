// A session as a page one reads: chapters are plan steps, paragraphs are what was done.

import { useState } from "preact/hooks";

import { useAsk, useDoing } from "../asking";
import { Badge, When } from "../parts/Badge";
import { Named } from "../parts/Named";
import { Await, Empty, Wrong } from "../parts/Notice";
import { href, route } from "../route";
import type { Beat, Chapter, SessionList, Story as StoryAnswer } from "../shapes";
import { ask, knows } from "../state";
import { clock, counted, moment, plain, who } from "../words";

const BUDGET_TOKENS = 20_000;

export default function Story() {
  const session = route.value.id;
  return session ? <Told key={session} session={session} /> : <Sessions />;
}

function Sessions() {
  const asked = useAsk<SessionList>("list_sessions", { limit: 200 });
  return (
    <section class="view">
      <header class="head">
        <h1>Stories</h1>
      </header>
      <Await asked={asked}>
        {(found) =>
          found.sessions.length === 0 ? (
            <Empty title="No session yet">
              Each session of an agent becomes a story, from its first call on.
            </Empty>
          ) : (
            <ul class="cards">
              {found.sessions.map((one) => (
                <li key={one.session_id}>
                  <a class="card" href={href({ view: "story", id: one.session_id })}>
                    <h2>{one.title ?? one.session_id}</h2>
                    <p>
                      <Badge of={one.status} /> <When at={one.created} />
                    </p>
                    <p class="soft">
                      {one.edits
                        ? `${counted(one.edits, "edit")} in ${counted(one.files, "file")}`
                        : "No file was changed"}
                    </p>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Await>
    </section>
  );
}

function Told({ session }: { session: string }) {
  const asked = useAsk<StoryAnswer>("get_story", { session_id: session, budget_tokens: BUDGET_TOKENS });
  const [rest, setRest] = useState<StoryAnswer[]>([]);
  const doing = useDoing();
  return (
    <Await asked={asked}>
      {(story) => {
        const next = (rest.at(-1) ?? story).nextCursor;
        const readOn = () =>
          doing.run(async () => {
            const more = await ask<StoryAnswer>("get_story", {
              session_id: session,
              budget_tokens: BUDGET_TOKENS,
              cursor: next,
            });
            setRest([...rest, more]);
          });
        return (
          <article class="story">
            <header>
              <p class="tools">
                <a href={href({ view: "story" })}>All stories</a>
                <a href={href({ view: "timeline", query: { session } })}>Timeline</a>
                {(story.totals.edits ?? 0) > 0 && knows("get_evolution") && (
                  <a href={href({ view: "movie", id: session })}>Movie</a>
                )}
                <button type="button" class="quiet" onClick={() => print()}>
                  Print
                </button>
              </p>
              <h1>{story.title ?? `Session ${session}`}</h1>
              {story.user_message && <blockquote>{story.user_message}</blockquote>}
              <Totals totals={story.totals} />
            </header>
            {[story, ...rest].flatMap((part, turn) =>
              part.chapters.map((chapter, place) => (
                <ChapterTold key={`${turn}.${place}`} chapter={chapter} session={session} />
              )),
            )}
            {doing.problem && <Wrong problem={doing.problem} />}
            {next && (
              <button type="button" disabled={doing.busy} onClick={readOn}>
                Read on
              </button>
            )}
          </article>
        );
      }}
    </Await>
  );
}

function Totals({ totals }: { totals: Record<string, number> }) {
  const { files = 0, edits = 0, added = 0, removed = 0, failed = 0, external = 0 } = totals;
  if (!edits && !failed && !external) return null;
  return (
    <p class="soft">
      {counted(edits, "edit")} in {counted(files, "file")}, {counted(added, "line")} added and {removed}{" "}
      removed
      {failed ? `; ${counted(failed, "operation")} failed` : ""}
      {external ? `; ${counted(external, "change")} from outside` : ""}
    </p>
  );
}

function ChapterTold({ chapter, session }: { chapter: Chapter; session: string }) {
  const isStep = chapter.index !== undefined;
  const revision = chapter.plan_revision ?? 0;
  const plan = revision > 1 ? `Plan ${revision}, step` : "Step";
  return (
    <section class={chapter.status === "planned" ? "chapter is-planned" : "chapter"}>
      <h2>
        {isStep && (
          <span class="number">
            {plan} {(chapter.index ?? 0) + 1}
          </span>
        )}
        {isStep ? chapter.title : revision ? "Between the steps" : "Before any plan"}
      </h2>
      {chapter.status === "planned" && chapter.beats.length === 0 && <p class="soft">Planned, not begun.</p>}
      <ul class="beats">
        {chapter.beats.map((beat) => (
          <li key={beat.first_seq} class={`beat of-${beat.type}`}>
            <time dateTime={beat.first_at} title={moment(beat.first_at)}>
              {clock(beat.first_at)}
            </time>
            <BeatTold beat={beat} session={session} />
          </li>
        ))}
      </ul>
      {isStep && chapter.edits > 0 && (
        <p class="tools">
          <a href={href({ view: "undo", query: { session, step: chapter.index } })}>Undo this step</a>{" "}
          <a href={href({ view: "restore", query: { session, step: chapter.index } })}>
            Bring back what was before this step
          </a>
        </p>
      )}
    </section>
  );
}

function BeatTold({ beat }: { beat: Beat; session: string }) {
  if (beat.type === "note") {
    return (
      <p>
        <strong>{beat.label}</strong>{" "}
        <q>
          <Named text={beat.text ?? ""} />
        </q>{" "}
        <span class="soft">{who(beat.author ?? "")}</span>
      </p>
    );
  }
  if (beat.type === "event") {
    const texts = beat.texts ?? [];
    const rest = (beat.count ?? 0) - texts.length;
    return (
      <p>
        <Named text={texts.map(plain).join("; ") + (rest > 0 ? ` and ${rest} more` : "")} />
      </p>
    );
  }
  if (beat.type === "restore") {
    return (
      <p>
        {beat.text}: {counted(beat.edits ?? 0, "file")}
        {undone(beat)}
      </p>
    );
  }
  if (beat.type === "folder") {
    return (
      <p>
        <code>{beat.path}</code> {counted(beat.files ?? 0, "file")} {did(beat)}
        {undone(beat)}
      </p>
    );
  }
  return (
    <p>
      {beat.type === "outside" && <span class="soft">From outside: </span>}
      <a href={href({ view: "evolution", query: { path: beat.path, seq: beat.last_seq } })}>
        <code>{beat.path}</code>
      </a>{" "}
      {did(beat)}
      {undone(beat)}
    </p>
  );
}

/** That a beat was taken back, wholly or in part. */
function undone(beat: Beat): string {
  const all = (beat.edits ?? 0) + (beat.external ?? 0);
  if (!beat.undone) return "";
  const part = beat.undone < all ? `${beat.undone} of ${all} ` : "";
  return ` (${part}undone by s:${beat.undone_by})`;
}

/** What was done to a file, in words. */
function did(beat: Beat): string {
  const verbs: Record<string, string> = { create: "was created", delete: "was deleted", move: "was moved" };
  const parts = Object.entries(beat.actions ?? {}).map(([action, times]) =>
    action === "edit" ? `was edited ${times === 1 ? "once" : `${times} times`}` : (verbs[action] ?? action),
  );
  const lines = beat.added || beat.removed ? ` (+${beat.added ?? 0} −${beat.removed ?? 0})` : "";
  if (beat.failed) parts.push(`failed ${counted(beat.failed, "time")} (${beat.codes?.join(", ") ?? ""})`);
  const from = beat.moved_from ? `, from ${beat.moved_from}` : "";
  return parts.join(", ") + lines + from;
}
