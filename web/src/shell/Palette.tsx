// The palette: type where to go or what to find.

import { useEffect, useState } from "preact/hooks";

import { Dialog } from "../parts/Dialog";
import { placeOf } from "../parts/found";
import { go, type Place } from "../route";
import type { RecordRef, Thing, ThingsFound } from "../shapes";
import { ask, knows, theme } from "../state";
import { helpOpen, paletteOpen } from "./keys";
import { PLACES } from "./places";

interface Choice {
  key: string;
  label: string;
  about: string;
  run: () => void;
}

const ASK_MS = 120;

export function Palette() {
  const open = paletteOpen.value;
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState(0);
  const found = useFound(open ? words : "");
  useEffect(() => {
    if (open) setWords("");
  }, [open]);
  useEffect(() => setChosen(0), [words]);

  const choices = [...commands(words), ...found];
  const close = () => (paletteOpen.value = false);
  const run = (choice: Choice | undefined) => {
    if (!choice) return;
    close();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) {
      event.preventDefault();
      setChosen((chosen + move + choices.length) % Math.max(choices.length, 1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(choices[chosen]);
    }
  };
  return (
    <Dialog title="Search or go to" open={open} onClose={close} plain>
      <input
        class="ask"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={choices[chosen] ? `choice-${chosen}` : undefined}
        aria-label="Search or go to"
        placeholder="A view, a record, a decision, a file…"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        autofocus
      />
      <ul id="choices" role="listbox" aria-label="Where to go">
        {choices.map((choice, place) => (
          <li
            key={choice.key}
            id={`choice-${place}`}
            role="option"
            aria-selected={place === chosen}
            onMouseMove={() => setChosen(place)}
            onClick={() => run(choice)}
          >
            <span>{choice.label}</span>
            <small>{choice.about}</small>
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p class="nothing">Nothing by that name. Try other words.</p>}
    </Dialog>
  );
}

function commands(words: string): Choice[] {
  const to = (place: Place) => () => go(place);
  const all: Choice[] = [
    ...PLACES.filter((place) => !place.needs || knows(place.needs)).map((place) => ({
      key: place.view,
      label: place.name,
      about: place.about,
      run: to({ view: place.view }),
    })),
    { key: "light", label: "Light theme", about: "How the page looks", run: () => (theme.value = "light") },
    { key: "dark", label: "Dark theme", about: "How the page looks", run: () => (theme.value = "dark") },
    { key: "keys", label: "Keys", about: "What the keyboard does", run: () => (helpOpen.value = true) },
  ];
  const wanted = words.trim().toLowerCase();
  const matching = all.filter((one) => one.label.toLowerCase().includes(wanted));
  if (!wanted) return all;
  const everything: Choice = {
    key: "everything",
    label: `Search everything for “${words.trim()}”`,
    about: "Search",
    run: to({ view: "search", query: { q: words.trim() } }),
  };
  return knows("search") ? [...matching, everything] : matching;
}

function useFound(words: string): Choice[] {
  const [found, setFound] = useState<Choice[]>([]);
  useEffect(() => {
    const query = words.trim();
    setFound([]);
    if (query.length < 2) return;
    const control = new AbortController();
    const later = setTimeout(() => {
      find(query, control.signal).then(
        (things) => setFound(things.map(toChoice)),
        () => undefined,
      );
    }, ASK_MS);
    return () => {
      clearTimeout(later);
      control.abort();
    };
  }, [words]);
  return found;
}

async function find(query: string, signal: AbortSignal): Promise<Thing[]> {
  if (knows("search")) return (await ask<ThingsFound>("search", { query, limit: 8 }, { signal })).results;
  const found = await ask<{ results: RecordRef[] }>("search_records", { query, limit: 8 }, { signal });
  return found.results.map((one) => ({
    kind: "record",
    id: one.id,
    title: one.title,
    snippet: "",
    score: 0,
  }));
}

function toChoice(thing: Thing): Choice {
  const place = placeOf(thing);
  return {
    key: `${thing.kind} ${thing.id}`,
    label: thing.title || thing.id,
    about: `${thing.kind} ${thing.id}`,
    run: () => go(place),
  };
}
