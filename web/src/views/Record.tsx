// One record: what it says, what is around it, how it came to be, and changing it.

import { useEffect, useState } from "preact/hooks";

import { Problem } from "../api";
import { NOW, useAsk, useDoing } from "../asking";
import type { Draft } from "../drafts";
import { claim, drafts } from "../keeping";
import { changeState } from "../onrecord";
import { Badge, When, Who } from "../parts/Badge";
import { Diff } from "../parts/Diff";
import { Closing, Dialog } from "../parts/Dialog";
import { Await, Empty, Loading, Wrong } from "../parts/Notice";
import { Line, Prose } from "../parts/Prose";
import { Ref } from "../parts/Ref";
import { href, refine, route } from "../route";
import { laidAside, layAside } from "../saving";
import type { Activation, Bundle, FullRecord, HistoryEntry, RecordRef, State } from "../shapes";
import { act, ask, noise, project, settledHead } from "../state";
import { bare, kindName } from "../words";
import { writing } from "../writing";
import { Offers } from "./Drafts";
import type { Start } from "./draft";
import { Editor, type Outcome } from "./Editor";
import { Moving } from "./Moving";
import { Others } from "./Others";
import { Resolve } from "./Resolve";
import { Written } from "./Written";
import "../styles/editing.css";

const ARROWS: Record<State, State[]> = {
  OPEN: ["LATER", "RESOLVED", "DISCARDED"],
  LATER: ["OPEN", "DISCARDED"],
  RESOLVED: ["OPEN"],
  DISCARDED: ["OPEN"],
};
const VERBS: Record<State, string> = {
  OPEN: "Reopen",
  LATER: "Put off",
  RESOLVED: "Resolve",
  DISCARDED: "Discard",
};

export function RecordView({ id }: { id: string }) {
  const [editing, setEditing] = useState<Start | null>(null);
  const [written, setWritten] = useState<Outcome | null>(null);
  const [to, setTo] = useState<State | null>(null);
  const [isMoving, setMoving] = useState(false);
  const doing = useDoing();
  // Asked as of the newest entry, so that looking leaves no trace.
  const asked = useAsk<Activation>("activate", settledHead.value ? { id, as_of: NOW, ...WHOLE } : null);
  const last = useLast(asked.value);
  const begin = (draft: Draft | null) =>
    doing.run(async () => {
      const start = await startOf(id, draft);
      setWritten(null);
      setEditing(start);
    });
  useEffect(() => {
    const draft = drafts.value.find((one) => one.id === route.value.query.draft);
    if (draft) refine({ draft: undefined });
    if (draft && !editing) begin(draft);
  }, [route.value.query.draft]);
  if (!last) return asked.problem ? <Wrong problem={asked.problem} again={asked.again} /> : <Loading />;
  const { target } = last.context;
  return (
    <article class="record">
      <header>
        <p class="soft">
          {target.id} · {target.type} <Badge of={target.state} />
        </p>
        {!editing && <h2>{target.title}</h2>}
        {!editing && (
          <p class="tools">
            <button type="button" onClick={() => begin(null)} disabled={doing.busy}>
              Edit
            </button>
            {ARROWS[target.state].map((state) => (
              <button key={state} type="button" class="quiet" onClick={() => setTo(state)}>
                {VERBS[state]}
              </button>
            ))}
            <button type="button" class="quiet" onClick={() => setMoving(true)}>
              Move
            </button>
            <button
              type="button"
              class="quiet"
              onClick={() => (writing.value = { what: "record", parent: id })}
            >
              Add below
            </button>
            <button type="button" class="quiet" onClick={() => (writing.value = { what: "note", about: id })}>
              Note
            </button>
          </p>
        )}
      </header>
      {asked.problem && !asked.problem.passes && <Wrong problem={asked.problem} again={asked.again} />}
      {doing.problem && <Wrong problem={doing.problem} />}
      <Others id={id} />
      {editing ? (
        <Editor
          key={editing.id}
          start={editing}
          latest={target}
          onEnd={(outcome) => {
            void layAside(id);
            setEditing(null);
            setWritten(outcome.written && outcome);
          }}
        />
      ) : (
        <>
          {written && <Written outcome={written} onEnd={() => setWritten(null)} />}
          <Offers record={target} onGoOn={begin} />
          <Body bundle={last.context} />
        </>
      )}
      {to === "RESOLVED" && <Resolve record={target} onEnd={() => setTo(null)} />}
      {to && to !== "RESOLVED" && <Move record={target} to={to} onEnd={() => setTo(null)} />}
      {isMoving && <Moving ids={[id]} onEnd={() => setMoving(false)} />}
      {!editing && <Changes id={id} />}
    </article>
  );
}

const WHOLE = { budget_tokens: 100_000 };

/** Begin to edit: from what is stored now, or from where a draft began. */
async function startOf(id: string, draft: Draft | null): Promise<Start> {
  const here = project.value;
  const own = draft?.id ?? noise();
  const release = await claim(own);
  if (!release) throw new Problem("DRAFT_OPEN", "This is being edited in another tab", "Go on there", 0);
  try {
    await laidAside(id);
    const now = await act<Activation>("activate", { id, override: true, ...WHOLE });
    const base = draft ? await versionOf(id, draft.base, now.context.target) : now.context.target;
    return { base, draft, id: own, project: here, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Give the version that a draft began with; if this store has it no more, the latest. */
async function versionOf(id: string, version: number, latest: FullRecord): Promise<FullRecord> {
  if (version >= latest.version) return latest;
  const then = await ask<Activation>("activate", { id, as_of: `t:${version}`, ...WHOLE });
  return then.context.target;
}

/** Keep showing the last answer while a newer one is on its way. */
function useLast<T>(value: T | null): T | null {
  const [last, setLast] = useState<T | null>(null);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}

function Body({ bundle }: { bundle: Bundle }) {
  const { target, parent, children } = bundle;
  const below: RecordRef[] = [
    ...(children.open as unknown as RecordRef[]),
    ...(children.open_refs ?? []),
    ...children.other,
  ];
  return (
    <>
      <p class="summary">
        <Line text={target.summary} />
      </p>
      {bundle.warnings?.map((one) => (
        <p key={one.message} class="warned">
          {one.message}
        </p>
      ))}
      <Prose text={target.body} />
      <dl class="facts">
        <Fact name="Written by">
          <Who actor={target.author} />
          <When at={target.modified} />
        </Fact>
        {target.reason && (
          <Fact name="Because">
            <span>
              <Line text={target.reason} />
            </span>
          </Fact>
        )}
        {target.resolved_by && (
          <Fact name="Resolved by">
            <Ref to={target.resolved_by} titled />
          </Fact>
        )}
        {!!target.cites?.length && (
          <Fact name="Cites">
            {target.cites.map((one) => (
              <Ref key={one} to={one} titled />
            ))}
          </Fact>
        )}
        {!!target.related?.length && (
          <Fact name="Related">
            {target.related.map((one) => (
              <Ref key={one} to={one} titled />
            ))}
          </Fact>
        )}
        {parent && (
          <Fact name="Part of">
            <a href={href({ view: "records", id: parent.id })}>
              {parent.id} {parent.title}
            </a>
          </Fact>
        )}
      </dl>
      {below.length > 0 && (
        <section>
          <h3>Below it</h3>
          <ul class="refs">
            {below.map((one) => (
              <li key={one.id}>
                <a href={href({ view: "records", id: one.id })}>
                  <span class="id">{one.id}</span> <strong>{one.title}</strong> <Badge of={one.state} />
                  <small>{bare(one.summary)}</small>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Changes({ id }: { id: string }) {
  const asked = useAsk<{ history: HistoryEntry[]; total: number }>("get_record_history", { id, limit: 100 });
  return (
    <section class="history">
      <h3>History</h3>
      <Await asked={asked}>
        {(found) =>
          found.history.length === 0 ? (
            <Empty title="No change yet" />
          ) : (
            <ol>
              {found.history.map((one) => (
                <li key={one.seq}>
                  <details open={false}>
                    <summary>
                      <span class="kind of-record">{kindName(one.change_type)}</span> {one.summary}{" "}
                      {one.author && <Who actor={one.author} />} <When at={one.timestamp} />
                    </summary>
                    {one.decisions?.length ? (
                      <p>
                        Under{" "}
                        {one.decisions.map((ref) => (
                          <Ref key={ref} to={ref} />
                        ))}
                      </p>
                    ) : null}
                    {one.diff ? (
                      <Diff text={one.diff} label={`Change at s:${one.seq}`} />
                    ) : (
                      <p class="soft">The body stayed as it was.</p>
                    )}
                  </details>
                </li>
              ))}
            </ol>
          )
        }
      </Await>
    </section>
  );
}

function Move({ record, to, onEnd }: { record: FullRecord; to: State; onEnd: () => void }) {
  const [words, setWords] = useState("");
  const doing = useDoing();
  const needsReason = to !== "OPEN";
  const move = (event: Event) => {
    event.preventDefault();
    doing.run(async () => {
      await changeState(record.id, to, needsReason ? { reason: words.trim() } : {});
      onEnd();
    });
  };
  return (
    <Dialog title={`${VERBS[to]} ${record.id}`} open onClose={onEnd}>
      <form onSubmit={move}>
        {needsReason && (
          <label class="field">
            <span>Why?</span>
            <input
              value={words}
              required
              onInput={(event) => setWords(event.currentTarget.value)}
              autofocus
            />
          </label>
        )}
        {doing.problem && <Wrong problem={doing.problem} />}
        <Closing verb={VERBS[to]} busy={doing.busy} onEnd={onEnd} />
      </form>
    </Dialog>
  );
}
