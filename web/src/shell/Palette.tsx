// The palette: type where to go, what to do, or what to find.

import { useEffect, useState } from "preact/hooks";

import { post } from "../api";
import { lookUp } from "../cards";
import { Dialog } from "../parts/Dialog";
import { placeOf, placeOfRef } from "../parts/found";
import { recents } from "../recents";
import { go, type Place } from "../route";
import type { ProjectListed, RecordRef, Thing, ThingsFound } from "../shapes";
import { ask, knows, project, theme } from "../state";
import { writing } from "../writing";
import { helpOpen, paletteOpen } from "./keys";
import { PLACES } from "./places";

interface Choice {
  key: string;
  label: string;
  about: string;
  run: () => void;
}

const ASK_MS = 120;
/** From how many letters on what a view is about is looked at, too. */
const TOLD_CHARS = 3;

export function Palette() {
  const open = paletteOpen.value;
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState(0);
  const found = useFound(open ? words : "");
  const projects = useProjects(open);
  const seen = useSeen(open);
  useEffect(() => {
    if (open) setWords("");
  }, [open]);
  useEffect(() => setChosen(0), [words]);

  const choices = arranged(words.trim(), { found, projects, seen });
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
        placeholder="A view, an id, something to do, words…"
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

interface Known {
  found: Choice[];
  projects: Choice[];
  seen: Choice[];
}

/** What fits the words, the surest first: an id as it is, then what is called so, then what was found. */
function arranged(words: string, { found, projects, seen }: Known): Choice[] {
  if (!words) return [...seen, ...actions(), ...views(), ...projects];
  const exact = exactly(words);
  const wanted = words.toLowerCase();
  const offered = [...views(), ...actions(), ...projects];
  const named = offered.filter((one) => one.label.toLowerCase().includes(wanted));
  const told = offered.filter(
    (one) => wanted.length >= TOLD_CHARS && one.about.toLowerCase().includes(wanted),
  );
  const all = [...exact, ...named, ...found, ...told, ...everything(words)];
  return all.filter((one, place) => all.findIndex((other) => other.key === one.key) === place);
}

const to = (place: Place) => () => go(place);

/** The thing whose id the words are. */
function exactly(words: string): Choice[] {
  const ref = /^[rdp]\d+$/i.test(words) ? words.toUpperCase() : words.replace(/^S:/, "s:");
  const place = placeOfRef(ref);
  return place ? [{ key: `ref ${ref}`, label: ref, about: "Go there", run: to(place) }] : [];
}

function views(): Choice[] {
  return PLACES.filter((place) => !place.needs || knows(place.needs)).map((place) => ({
    key: place.view,
    label: place.name,
    about: place.about,
    run: to({ view: place.view }),
  }));
}

function actions(): Choice[] {
  const write = (what: "record" | "decision" | "note") => () => (writing.value = { what });
  return [
    { key: "new record", label: "New record", about: "Write", run: write("record") },
    { key: "new decision", label: "New decision", about: "Write", run: write("decision") },
    { key: "new note", label: "New note", about: "Write", run: write("note") },
    { key: "light", label: "Light theme", about: "How the page looks", run: () => (theme.value = "light") },
    { key: "dark", label: "Dark theme", about: "How the page looks", run: () => (theme.value = "dark") },
    { key: "keys", label: "Keys", about: "What the keyboard does", run: () => (helpOpen.value = true) },
  ];
}

function everything(words: string): Choice[] {
  if (!knows("search")) return [];
  const run = to({ view: "search", query: { q: words } });
  return [{ key: "everything", label: `Search everything for “${words}”`, about: "Search", run }];
}

/** What was looked at last, by its title. */
function useSeen(open: boolean): Choice[] {
  const [seen, setSeen] = useState<Choice[]>([]);
  useEffect(() => {
    if (!open) return;
    let isOver = false;
    const refs = recents();
    const choices = (titles: (string | undefined)[]) =>
      refs.flatMap((ref, place): Choice[] => {
        const where = placeOfRef(ref);
        if (!where) return [];
        const id = ref.replace(/^path:/, "");
        return [
          {
            key: `seen ${ref}`,
            label: titles[place] ?? id,
            about: `${id} · looked at lately`,
            run: to(where),
          },
        ];
      });
    setSeen(choices([]));
    void Promise.all(refs.map(lookUp)).then(
      (cards) => !isOver && setSeen(choices(cards.map((one) => one?.title))),
    );
    return () => {
      isOver = true;
    };
  }, [open]);
  return seen;
}

function useProjects(open: boolean): Choice[] {
  const [projects, setProjects] = useState<ProjectListed[]>([]);
  useEffect(() => {
    if (!open) return;
    post<{ projects: ProjectListed[] }>("list_projects", { limit: 100 }).then(
      (listed) => setProjects(listed.projects),
      () => undefined,
    );
  }, [open]);
  return projects
    .filter((one) => one.id !== project.value)
    .map((one) => ({
      key: `project ${one.id}`,
      label: one.name,
      about: `Project ${one.id}`,
      run: to({ project: one.id, view: "overview" }),
    }));
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
    words: [],
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
