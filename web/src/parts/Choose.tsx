// One question with its sides: nothing is chosen before a person chooses it.

import type { ComponentChildren } from "preact";

import "../styles/choosing.css";

export interface Option<T extends string> {
  take: T;
  said: string;
  /** What taking it gives; `null` where that is not shown beside the others. */
  text: string | null;
}

interface Shown<T extends string> {
  /** The same for the same question. */
  id: string;
  title: string;
  options: Option<T>[];
  taken: T | undefined;
  isAnswered: boolean;
  /** What was there before either side; `null` if that is no text. */
  base: string | null;
  baseSaid?: string;
  onTake: (take: T) => void;
  /** What is below the options. */
  children?: ComponentChildren;
}

export function Choose<T extends string>(shown: Shown<T>) {
  const option = ({ take, said, text }: Option<T>) => (
    <label key={take} class={`option of-${take}`}>
      <input
        type="radio"
        name={shown.id}
        checked={shown.taken === take}
        onChange={() => shown.onTake(take)}
      />
      <span>{said}</span>
      {text !== null && (text ? <pre>{text}</pre> : <em class="soft">Nothing</em>)}
    </label>
  );
  const [sides, rest] = [true, false].map((isSide) =>
    shown.options.filter((one) => (one.text !== null) === isSide),
  ) as [Option<T>[], Option<T>[]];
  return (
    <fieldset class={shown.isAnswered ? "question is-answered" : "question"}>
      <legend>{shown.title}</legend>
      {sides.length > 0 && <div class="sides">{sides.map(option)}</div>}
      {rest.length > 0 && <div class="chips">{rest.map(option)}</div>}
      {shown.children}
      {shown.base !== null && (
        <details>
          <summary>{shown.baseSaid ?? "What it was"}</summary>
          {shown.base ? <pre>{shown.base}</pre> : <em class="soft">Nothing</em>}
        </details>
      )}
    </fieldset>
  );
}
