// Where the film of a file plays: lines that stay glide to their new places, new ones light up, what
// goes fades first.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { change, type Line, settle, still } from "../film";
import type { Token } from "../highlight";
import "../styles/film.css";

interface Shown {
  path: string;
  /** The content to show; `null` where there is none. */
  content: string | null;
  /** What the revision before it held, to show what changed where the film begins. */
  before: string | null;
  /** How long a change takes, in milliseconds; 0 shows it at once. */
  pace: number;
  /** The line that is asked about, from 1 on. */
  line?: number | undefined;
  /** Asks about a line; without, lines cannot be asked about. */
  onLine?: ((line: number) => void) | undefined;
}

type Colours = Map<string, Token[]>;

/** Of a longer file only what is near a change is drawn. */
const LINES_DRAWN_MAX = 1_500;
const NEAR = 40;

export function Stage({ path, content, before, pace, line: asked, onLine }: Shown) {
  const [frame, setFrame] = useState<Line[]>([]);
  const colours = useColours(path, content, before);
  const list = useRef<HTMLOListElement>(null);
  const places = useRef(new Map<number, number>());
  const film = useRef<{ path: string; frame: Line[] }>({ path: "", frame: [] });

  useEffect(() => {
    const text = content ?? "";
    const isCut = film.current.path !== path;
    const next = isCut ? opening(before, text) : change(settle(film.current.frame), text);
    film.current = { path, frame: next };
    setFrame(next);
    if (isCut) return;
    const timer = setTimeout(() => {
      // What was removed leaves; what was added stays lit until the next change.
      const kept = next.filter((line) => line.mark !== "removed");
      film.current = { path, frame: kept };
      setFrame(kept);
    }, pace * 0.55);
    return () => clearTimeout(timer);
  }, [path, content]);

  useLayoutEffect(() => {
    if (list.current) glide(list.current, places.current, pace);
  }, [frame]);

  useEffect(() => {
    const changed = list.current?.querySelector(".is-added, .is-removed, .is-moved");
    changed?.scrollIntoView({ block: "nearest", behavior: pace ? "smooth" : "auto" });
  }, [frame]);

  useEffect(() => {
    list.current?.querySelector(".is-asked")?.scrollIntoView({ block: "nearest" });
  }, [asked, frame]);

  const shown = inSight(frame);
  // One stop for the tab key: at the line that is asked about, else at the first.
  const stop = shown.find((line) => line.mark !== "removed" && line.place + 1 === asked) ?? shown[0];
  return (
    <ol
      class={onLine ? "stage is-askable" : "stage"}
      ref={list}
      aria-label={`Lines of ${path}`}
      tabIndex={onLine ? -1 : 0}
      onKeyDown={onLine && walk}
    >
      {shown.map((line) => (
        <li
          key={line.id}
          data-id={line.id}
          class={`is-${line.mark}${line.mark !== "removed" && line.place + 1 === asked ? " is-asked" : ""}`}
          onClick={onLine && line.mark !== "removed" ? () => isClick() && onLine(line.place + 1) : undefined}
        >
          <Numbered line={line} isStop={line === stop} isAskable={onLine !== undefined} />
          <code>
            {line.mark === "added" && <span class="for-ears">added: </span>}
            {line.mark === "removed" && <span class="for-ears">removed: </span>}
            <Coloured text={line.text} tokens={colours.get(line.text)} />
          </code>
        </li>
      ))}
    </ol>
  );
}

/** The number of a line; where lines can be asked about, what is focused to do so. */
function Numbered({ line, isStop, isAskable }: { line: Line; isStop: boolean; isAskable: boolean }) {
  if (!isAskable || line.mark === "removed")
    return (
      <span class="number" aria-hidden="true">
        {line.mark === "removed" ? "−" : line.place + 1}
      </span>
    );
  return (
    <button
      type="button"
      class="number"
      tabIndex={isStop ? 0 : -1}
      aria-label={`Line ${line.place + 1}: why is it there?`}
    >
      {line.place + 1}
    </button>
  );
}

/** Whether a click is one, and not the end of marking some text to copy it. */
function isClick(): boolean {
  return getSelection()?.isCollapsed ?? true;
}

/** Go from line to line with the keys. */
function walk(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !(event.currentTarget instanceof HTMLElement)) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("button.number")];
  const next = stops[stops.indexOf(document.activeElement as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** The first frame: with its changes lit, if there was something before. */
function opening(before: string | null, text: string): Line[] {
  return before === null
    ? still(text)
    : change(still(before), text).filter((line) => line.mark !== "removed");
}

function Coloured({ text, tokens }: { text: string; tokens: Token[] | undefined }) {
  if (!tokens) return <>{text || " "}</>;
  return (
    <>
      {tokens.map((token, place) =>
        token.of ? (
          <span key={place} class={`t-${token.of}`}>
            {token.text}
          </span>
        ) : (
          token.text
        ),
      )}
      {text === "" ? " " : ""}
    </>
  );
}

function inSight(frame: Line[]): Line[] {
  if (frame.length <= LINES_DRAWN_MAX) return frame;
  const near = new Set<number>();
  frame.forEach((line, place) => {
    if (line.mark === "same") return;
    for (let next = place - NEAR; next <= place + NEAR; next += 1) near.add(next);
  });
  return frame.filter((_, place) => near.has(place) || place < NEAR).slice(0, LINES_DRAWN_MAX);
}

/** Let each line that was there before come from where it was. */
function glide(list: HTMLOListElement, places: Map<number, number>, pace: number): void {
  const before = new Map(places);
  places.clear();
  const isStill = pace === 0 || matchMedia("(prefers-reduced-motion: reduce)").matches;
  for (const item of list.children as Iterable<Element> & HTMLCollection) {
    if (!(item instanceof HTMLElement)) continue;
    const id = Number(item.dataset.id);
    const top = item.offsetTop;
    places.set(id, top);
    const was = before.get(id);
    if (isStill || before.size === 0) continue;
    if (was === undefined) {
      item.animate(
        [
          { opacity: 0, transform: "translateX(-12px)" },
          { opacity: 1, transform: "none" },
        ],
        { duration: pace * 0.4, easing: "ease-out" },
      );
    } else if (was !== top) {
      item.animate([{ transform: `translateY(${was - top}px)` }, { transform: "none" }], {
        duration: pace * 0.4,
        easing: "ease-in-out",
      });
    }
  }
}

/** Colour by line text: the same line looks the same in every revision, as far as one can tell. */
function useColours(path: string, content: string | null, before: string | null): Colours {
  const [colours, setColours] = useState<Colours>(new Map());
  const known = useRef<{ path: string; colours: Colours }>({ path, colours: new Map() });
  useEffect(() => {
    if (content === null) return;
    let isOver = false;
    import("../highlight").then(({ highlight }) => {
      if (isOver) return;
      if (known.current.path !== path) known.current = { path, colours: new Map() };
      for (const text of [before ?? "", content]) {
        for (const tokens of highlight(path, text)) {
          known.current.colours.set(tokens.map((token) => token.text).join(""), tokens);
        }
      }
      setColours(new Map(known.current.colours));
    });
    return () => {
      isOver = true;
    };
  }, [path, content]);
  return colours;
}
