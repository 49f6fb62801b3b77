// Text that people and agents wrote, as Markdown. What reads it comes with the first text that needs it.

import { signal } from "@preact/signals";

type Reader = typeof import("./Markdown");

const reader = signal<Reader | null>(null);
let isAsked = false;

function load(): void {
  if (isAsked) return;
  isAsked = true;
  void import("./Markdown").then((module) => {
    reader.value = module;
  });
}

/** A text of several paragraphs. */
export function Prose({ text }: { text: string }) {
  load();
  const Read = reader.value?.Markdown;
  return <div class={Read ? "prose is-read" : "prose"}>{Read ? <Read text={text} /> : text}</div>;
}

/** A text of one line: a summary, a reason. */
export function Line({ text }: { text: string }) {
  load();
  const Read = reader.value?.MarkdownLine;
  return <>{Read ? <Read text={text} /> : text}</>;
}
