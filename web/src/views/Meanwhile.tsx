// What happens to a record while one looks at it or edits it: who else is at it, and what they changed.

import { useEffect, useState } from "preact/hooks";

import { useAsk } from "../asking";
import { FIELDS, NAMES, named, textsOf } from "../fields";
import { drafts } from "../keeping";
import { otherOf } from "../others";
import { Diff } from "../parts/Diff";
import { Await } from "../parts/Notice";
import { href } from "../route";
import type { FullRecord } from "../shapes";
import { ago, clock } from "../words";

interface Shown {
  base: FullRecord;
  latest: FullRecord;
  busy: boolean;
  onMerge: () => void;
}

/** Tell that somebody changed what one edits, as soon as it is known. */
export function Meanwhile({ base, latest, busy, onMerge }: Shown) {
  const [isOpen, setOpen] = useState(false);
  const isOvertaken = latest.version > base.version;
  return (
    // It is there from the start, so that what comes is told to those who listen.
    <div class="meanwhile" role="status">
      {isOvertaken && (
        <p class="warned">
          <strong>
            {otherOf(latest.author).subject} changed {named(changedIn(base, latest))}{" "}
            <Ago at={latest.modified} />.
          </strong>{" "}
          What you type stays.{" "}
          <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide" : "See"}
          </button>
          <button type="button" class="quiet" disabled={busy} onClick={onMerge}>
            Merge now
          </button>
        </p>
      )}
      {isOvertaken && isOpen && <Since id={base.id} from={base.version} to={latest.version} />}
    </div>
  );
}

/** Name the fields in which two versions differ. */
export function changedIn(base: FullRecord, latest: FullRecord): string[] {
  const [was, now] = [textsOf(base), textsOf(latest)];
  const others = ["state", "parent_id", "reason", "resolved_by"] as const;
  return [
    ...FIELDS.filter((field) => was[field] !== now[field]),
    ...others.filter((field) => base[field] !== latest[field]),
  ];
}

/** What changed between two versions. */
export function Since({ id, from, to }: { id: string; from: number; to: number }) {
  const asked = useAsk<Compared>("get_record_diff", { id, from: `t:${from}`, to: `t:${to}` }, false);
  return (
    <Await asked={asked}>
      {({ diff: { body, ...fields } }) => (
        <div class="since">
          {Object.entries(fields).map(([field, { old: was, new: now }]) => (
            <p key={field}>
              <b>{NAMES[field] ?? field}</b> <del>{said(was)}</del> <ins>{said(now)}</ins>
            </p>
          ))}
          {body && <Diff text={body.replace(HEADS, "")} label="What changed in the body" />}
        </div>
      )}
    </Await>
  );
}

/** The first lines of a diff, which name versions as programs do. */
const HEADS = /^(?:(?:---|\+\+\+) .*\n)+/;

type Changed = Record<string, { old: unknown; new: unknown }>;

interface Compared {
  diff: Omit<Changed, "body"> & { body?: string };
}

function said(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

const TICK_MS = 5_000;

/** How long ago, to the second while it is fresh. Those who listen are told when, once. */
export function Ago({ at }: { at: string }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((now - new Date(at).getTime()) / 1_000));
  return (
    <>
      <time dateTime={at} aria-hidden="true">
        {seconds < 60 ? `${seconds} s ago` : ago(at, now)}
      </time>
      <span class="for-ears">at {clock(at)}</span>
    </>
  );
}

/** Say that this browser has no room for what is typed, and what could make some. */
export function Unkept({ own }: { own: string }) {
  const oldest = drafts.value.filter((one) => one.id !== own).at(-1);
  return (
    <p class="warned" role="alert">
      This browser has no room to keep what you type: save before you close the page.
      {oldest && (
        <>
          {" "}
          The oldest draft it keeps is of{" "}
          <a href={href({ project: oldest.project, view: "records", id: oldest.record })}>
            {oldest.record}
          </a>, {clock(new Date(oldest.at).toISOString())}: discard it to make room.
        </>
      )}
    </p>
  );
}
