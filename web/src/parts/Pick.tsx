// Choosing a record by words of it, or by its id.

import { useEffect, useId, useState } from "preact/hooks";

import type { RecordList, RecordRef } from "../shapes";
import { ask } from "../state";
import { Badge } from "./Badge";

const ASK_MS = 150;
const SHOWN = 8;

interface Shown {
  label: string;
  chosen: RecordRef | null;
  onChoose: (record: RecordRef | null) => void;
  /** What cannot be chosen. */
  except?: string[];
  required?: boolean;
}

export function Pick({ label, chosen, onChoose, except = [], required = false }: Shown) {
  const [words, setWords] = useState("");
  const [place, setPlace] = useState(0);
  const id = useId();
  const { records, of } = useFound(chosen ? null : words);
  const found = records.filter((one) => !except.includes(one.id));
  const isCurrent = of === words;
  // Enter means what the words find, also where that is still on its way.
  const [entered, setEntered] = useState<string | null>(null);
  useEffect(() => {
    if (entered === null || !isCurrent) return;
    setEntered(null);
    if (entered === words && found[0]) onChoose(found[0]);
  }, [entered, isCurrent]);
  if (chosen) {
    return (
      <div class="field pick">
        <span>{label}</span>
        <p class="row">
          <span class="chosen">
            <span class="id">{chosen.id}</span> {chosen.title}
          </span>
          <button type="button" class="quiet" onClick={() => onChoose(null)}>
            Choose another
          </button>
        </p>
      </div>
    );
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const one = found[place];
    if (event.key === "Enter" && !isCurrent) setEntered(words);
    else if (step) setPlace((place + step + found.length) % Math.max(found.length, 1));
    else if (event.key === "Enter" && one) onChoose(one);
    else return;
    event.preventDefault();
  };
  return (
    <div class="field pick">
      <label for={`${id}-words`}>{label}</label>
      <input
        id={`${id}-words`}
        type="text"
        role="combobox"
        autocomplete="off"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-found`}
        aria-activedescendant={found[place] ? `${id}-${place}` : undefined}
        placeholder="Words of it, or its id"
        required={required}
        value={words}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-found`} role="listbox" aria-label={`${label}: found`}>
        {found.map((one, at) => (
          <li
            key={one.id}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === place}
            onMouseMove={() => setPlace(at)}
            onClick={() => onChoose(one)}
          >
            <span class="id">{one.id}</span> {one.title} <Badge of={one.state} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Found {
  records: RecordRef[];
  /** The words that found them, which may be earlier ones; `null` while nothing was asked. */
  of: string | null;
}

const NOTHING: Found = { records: [], of: null };

/** The records that words find; without words those that are open. */
function useFound(words: string | null): Found {
  const [found, setFound] = useState(NOTHING);
  useEffect(() => {
    if (words === null) return;
    const control = new AbortController();
    const show = (records: RecordRef[]) => setFound({ records, of: words });
    const later = setTimeout(
      () => void find(words.trim(), control.signal).then(show, () => undefined),
      ASK_MS,
    );
    return () => {
      clearTimeout(later);
      control.abort();
    };
  }, [words]);
  return words === null ? NOTHING : found;
}

async function find(words: string, signal: AbortSignal): Promise<RecordRef[]> {
  if (!words) {
    const open = await ask<RecordList>("list_records", { states: ["OPEN"], limit: SHOWN }, { signal });
    return open.records ?? [];
  }
  if (/^r\d+$/i.test(words)) {
    const one = await ask<RecordRef>("get_record_ref", { id: words.toUpperCase() }, { signal }).catch(
      () => null,
    );
    if (one) return [one];
  }
  return (await ask<{ results: RecordRef[] }>("search_records", { query: words, limit: SHOWN }, { signal }))
    .results;
}
