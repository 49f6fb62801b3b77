// Two versions of one record, question by question. Nothing is chosen before a person chooses it, and
// nothing is written before everything is chosen.

import { useEffect, useRef } from "preact/hooks";

import { named, NAMES, type Texts, textsOf, type Typed, type Update } from "../fields";
import {
  type Answer,
  bodyOf,
  type Choices,
  isAnswered,
  isDecided,
  merging,
  type Piece,
  type Question,
  resolved,
  textOf,
} from "../merging";
import { type Other, otherOf } from "../others";
import { Choose, type Option } from "../parts/Choose";
import type { Conflict, FullRecord } from "../shapes";
import { counted } from "../words";
import { Box } from "./Fields";
import { Ago } from "./Meanwhile";
import { type Saving, Unsaved } from "./Saving";

interface Shown {
  met: { conflict: Conflict; stored: FullRecord };
  base: Texts;
  typed: Typed;
  latest: FullRecord;
  choices: Choices;
  saving: Saving;
  onChoose: (choices: Choices) => void;
  onWrite: (update: Update, version: number) => void;
  onLook: () => void;
  onBack: () => void;
  onTheirs: () => void;
}

export function Merge(shown: Shown) {
  const { conflict, stored } = shown.met;
  const theirs = textsOf(stored);
  const merged = merging(conflict, shown.base, shown.typed, theirs);
  const update = resolved(merged, shown.choices, shown.base, shown.typed, theirs);
  const open = merged.questions.filter((one) => !isAnswered(one, shown.choices)).length;
  const other = otherOf(conflict.other_version.author);
  const choose = (question: Question) => (answer: Answer) =>
    shown.onChoose({ ...shown.choices, [question.key]: answer });
  const ask = (question: Question) => (
    <Ask
      key={question.key}
      question={question}
      other={other}
      answer={shown.choices[question.key]}
      onAnswer={choose(question)}
    />
  );
  return (
    <section class="conflict" aria-label="Conflict">
      <Heading other={other} conflict={conflict} version={conflict.version} />
      {shown.latest.version > conflict.version && <Again shown={shown} />}
      <Alone conflict={conflict} typed={shown.typed} other={other} />
      {merged.questions.filter((one) => one.field !== "body").map(ask)}
      {merged.pieces.some((one) => one.question) && (
        <>
          <h4>Body</h4>
          {merged.pieces.map((piece, place) =>
            piece.question ? ask(piece.question) : <Settled key={place} piece={piece} other={other} />,
          )}
          <details>
            <summary>The body as it will be saved</summary>
            <pre tabIndex={0} aria-label="The body as it will be saved">
              {bodyOf(merged, shown.choices)}
            </pre>
          </details>
        </>
      )}
      <Unsaved saving={shown.saving} />
      <p class="tools">
        <button
          type="button"
          class="main"
          disabled={shown.saving.busy || !isDecided(merged, shown.choices)}
          onClick={() => shown.onWrite(update, conflict.version)}
        >
          Save
        </button>
        <button type="button" onClick={shown.onBack}>
          Back to editing
        </button>
        <button type="button" class="quiet" onClick={shown.onTheirs}>
          Discard my changes
        </button>
        <span class="soft" role="status">
          {open ? `${counted(open, "choice")} left` : "Everything is chosen."}
        </span>
      </p>
    </section>
  );
}

function Heading({ other, conflict, version }: { other: Other; conflict: Conflict; version: number }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [version]);
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        {other.subject} changed this too
      </h3>
      <p class="warned" role="alert">
        <strong>Not saved yet.</strong> {other.subject} changed {named(conflict.changed_fields.theirs)}{" "}
        <Ago at={conflict.other_version.modified} />; you changed {named(conflict.changed_fields.yours)}.
        Choose what to keep.
      </p>
    </>
  );
}

/** Say that it was changed once more, since this was laid out. */
function Again({ shown }: { shown: Shown }) {
  return (
    <p class="warned" role="status">
      {otherOf(shown.latest.author).subject} changed it again <Ago at={shown.latest.modified} />.{" "}
      <button type="button" class="quiet" disabled={shown.saving.busy} onClick={shown.onLook}>
        Show it
      </button>{" "}
      What you have chosen stays.
    </p>
  );
}

/** Name what goes together by itself. */
function Alone({ conflict, typed, other }: { conflict: Conflict; typed: Typed; other: Other }) {
  const { theirs, yours } = conflict.changed_fields;
  const [only, mine] = [
    theirs.filter((one) => !(one in typed)),
    yours.filter((one) => !theirs.includes(one)),
  ];
  return (
    <>
      {only.length > 0 && (
        <p class="soft">
          From {other.name}: {named(only)}.
        </p>
      )}
      {mine.length > 0 && <p class="soft">From you: {named(mine)}.</p>}
    </>
  );
}

interface Asked {
  question: Question;
  other: Other;
  answer: Answer | undefined;
  onAnswer: (answer: Answer) => void;
}

function Ask({ question, other, answer, onAnswer }: Asked) {
  const take = (side: Answer["take"]) =>
    onAnswer(side === "hand" ? { take: side, text: question.both ?? question.mine } : { take: side });
  const both: Option<Answer["take"]>[] =
    question.both === null ? [] : [{ take: "both", said: "Both", text: null }];
  return (
    <Choose
      id={question.key}
      title={titleOf(question)}
      options={[
        { take: "mine", said: "Mine", text: question.mine },
        { take: "theirs", said: other.whose, text: question.theirs },
        ...both,
        { take: "hand", said: "By hand", text: null },
      ]}
      taken={answer?.take}
      isAnswered={isAnswered(question, answer ? { [question.key]: answer } : {})}
      base={question.base}
      onTake={take}
    >
      {answer?.take === "both" && <pre class="chosen">{textOf(question, answer)}</pre>}
      {answer?.take === "hand" && (
        <Box
          name={`${titleOf(question)}, by hand`}
          rows={Math.min(12, answer.text.split("\n").length + 1)}
          text={answer.text}
          onType={(text) => onAnswer({ take: "hand", text })}
        />
      )}
    </Choose>
  );
}

function titleOf({ field, part, lines }: Question): string {
  const name = NAMES[field] ?? field;
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  if (part !== undefined) return `${title}: ${part}`;
  if (!lines) return title;
  const [first, count] = lines;
  return count > 1 ? `${title}, lines ${first} to ${first + count - 1}` : `${title}, line ${first}`;
}

const SHOWN_LINES = 6;

/** A piece of the body that nobody need decide: whose it is, and enough to know where one is. */
function Settled({ piece, other }: { piece: Piece; other: Other }) {
  const said = {
    same: "",
    mine: "From you",
    theirs: `From ${other.name}`,
    both: "From both, alike",
    clash: "",
  }[piece.kind];
  const lines = piece.text.split("\n").length;
  const text = <pre>{piece.text}</pre>;
  if (!piece.text) return said ? <p class="soft settled">{said}: lines taken away</p> : null;
  return (
    <div class={`settled is-${piece.kind}`}>
      {said && <small>{said}</small>}
      {lines > SHOWN_LINES ? (
        <details>
          <summary>{counted(lines, "line")}</summary>
          {text}
        </details>
      ) : (
        text
      )}
    </div>
  );
}
