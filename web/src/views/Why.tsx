// Why a line is there: which entry wrote it, in which session and step, at whose word, on what grounds.

import type { ComponentChildren } from "preact";

import { useAsk } from "../asking";
import { When, Who } from "../parts/Badge";
import { Await } from "../parts/Notice";
import { Ref } from "../parts/Ref";
import { href } from "../route";
import type { Behind, Why as WhyAnswer, WrittenLines } from "../shapes";
import "../styles/why.css";

interface Shown {
  path: string;
  line: number;
  revision: number;
  onClose: () => void;
}

export function Why({ path, line, revision, onClose }: Shown) {
  const asked = useAsk<WhyAnswer>("why", { path, line, at: revision }, false);
  return (
    <aside class="why" aria-label={`Why line ${line} is there`}>
      <header>
        <h3>Why is line {line} there?</h3>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      <div aria-live="polite">
        <Await asked={asked}>
          {(found) => (
            <>
              {found.lines.map((one) => (
                <Written key={one.first_line} one={one} />
              ))}
            </>
          )}
        </Await>
      </div>
    </aside>
  );
}

function Written({ one }: { one: WrittenLines }) {
  return (
    <>
      {one.text && <pre tabIndex={0}>{one.text}</pre>}
      <p>{said(one)}</p>
      <dl>
        <Fact name="Entry">
          <Entry one={one} />
        </Fact>
        <Fact name="Session">
          {one.session_id && (
            <a href={href({ view: "story", id: one.session_id })}>{one.session_title ?? one.session_id}</a>
          )}
        </Fact>
        <Fact name="Step">{one.index !== undefined && `${one.index + 1}. ${one.step ?? ""}`}</Fact>
        <Fact name="Asked">{one.prompt && <q>{one.prompt.text}</q>}</Fact>
        <Fact name="Records">{one.records && <Grounds all={one.records} />}</Fact>
        <Fact name="Decisions">{one.decisions && <Grounds all={one.decisions} />}</Fact>
        <Fact name="Cites">
          {one.cites?.map((ref) => (
            <span key={ref}>
              <Ref to={ref} />{" "}
            </span>
          ))}
        </Fact>
        <Fact name="Git">{one.commit && <Commit {...one.commit} />}</Fact>
      </dl>
      {one.note && <p class="soft">{one.note}.</p>}
      {one.seq && one.source !== "found" && (
        <p class="tools">
          <a href={href({ view: "undo", query: { entry: `s:${one.seq}` } })}>Undo this change</a>
        </p>
      )}
    </>
  );
}

/** A fact with its name; nothing if there is none. */
function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (!children) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function said(one: WrittenLines): ComponentChildren {
  if (one.source === "unrecorded") return "It was changed from outside since the last record of the file.";
  if (one.source === "found") return "It was there before Hansard first met the file.";
  const when = one.at && <When at={one.at} />;
  if (one.source === "external") return <>It came from outside, and was noticed {when}.</>;
  return (
    <>
      <Who actor={one.actor ?? ""} /> wrote it {when}
      {one.source === "reported" && ", as the host reported"}.
    </>
  );
}

/** The entry that wrote the line, and what that then was. */
function Entry({ one }: { one: WrittenLines }) {
  if (!one.seq) return null;
  const then = `line ${one.line} of ${one.path}`;
  return (
    <>
      <a href={href({ view: "timeline", query: { session: one.session_id, seq: one.seq } })}>s:{one.seq}</a>
      {one.revision && (
        <>
          ,{" "}
          <a href={href({ view: "evolution", query: { path: one.path, seq: one.seq, line: one.line } })}>
            revision {one.revision}
          </a>
        </>
      )}{" "}
      <span class="soft">then {then}</span>
    </>
  );
}

const HOW: Record<string, string> = {
  cited: "cited",
  active: "open in the session then",
  governs: "governs the file now",
  "cited in the session": "cited in the session",
};

function Grounds({ all }: { all: Behind[] }) {
  return (
    <ul>
      {all.map((one) => (
        <li key={one.id}>
          <Ref to={one.id} /> {one.title}{" "}
          <span class="soft">
            {HOW[one.how] ?? one.how}
            {one.status ? `, now ${one.status.toLowerCase()}` : ""}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Commit({ id, author, at, summary }: NonNullable<WrittenLines["commit"]>) {
  return (
    <>
      <code>{id.slice(0, 10)}</code> {summary}{" "}
      <span class="soft">
        {author}, <When at={at} />
      </span>
    </>
  );
}
