// The time machine's lever: a slider over the whole journal, above every view while one looks back.

import { useEffect, useState } from "preact/hooks";

import { useAsk } from "../asking";
import { moment } from "../moment";
import { Named } from "../parts/Named";
import { href, refine, route } from "../route";
import type { Timeline } from "../shapes";
import { head } from "../state";
import { moment as inFull, plain, who } from "../words";
import "../styles/past.css";

/** How long the slider rests before the page follows it. */
const REST_MS = 150;
/** Views that show the moment; the others are always of now. */
const SHOWING = new Set(["overview", "records", "timeline", "evolution", "decisions", "past", "movie"]);

export function AsOf() {
  return moment.value ? <Lever /> : null;
}

function Lever() {
  const asked = useAsk<Timeline>("get_timeline", { all_sessions: true, limit: 1 });
  const last = asked.value?.timeline[0];
  const named = Number(/^s:(\d+)$/.exec(moment.value)?.[1] ?? last?.seq ?? head.value);
  const [place, setPlace] = useState(named);
  useEffect(() => setPlace(named), [named]);
  useEffect(() => {
    if (place === named) return;
    const timer = setTimeout(() => refine({ as_of: `s:${place}` }), REST_MS);
    return () => clearTimeout(timer);
  }, [place, named]);
  const to = (next: number) => setPlace(Math.max(1, Math.min(head.value, next)));
  return (
    <section class="as-of" aria-label="As of">
      <p role="status">
        <strong>As of {last ? inFull(last.at) : "then"}</strong>
        {last && (
          <span class="soft">
            {" "}
            after {who(last.actor)}: <Named text={plain(last.content ?? last.summary)} />
          </span>
        )}
        {!SHOWING.has(route.value.view) && <em> This view shows how things are now.</em>}
      </p>
      <div class="lever">
        <button type="button" aria-label="One entry back" onClick={() => to(place - 1)}>
          ◂
        </button>
        <input
          type="range"
          aria-label="As of entry"
          aria-valuetext={last ? `${inFull(last.at)}, entry ${place}` : `Entry ${place}`}
          min={1}
          max={Math.max(1, head.value)}
          value={place}
          onInput={(event) => to(Number(event.currentTarget.value))}
        />
        <button type="button" aria-label="One entry on" onClick={() => to(place + 1)}>
          ▸
        </button>
        <label class="at">
          <span class="for-ears">As of a time</span>
          <input
            type="datetime-local"
            value={last ? local(last.at) : ""}
            onChange={(event) => atTime(event.currentTarget.value)}
          />
        </label>
        {route.value.view !== "past" && (
          <a class="button" href={href({ view: "past" })}>
            What changed since
          </a>
        )}
        <button type="button" class="main" onClick={() => refine({ as_of: undefined })}>
          Back to now
        </button>
      </div>
    </section>
  );
}

function atTime(value: string): void {
  if (value) refine({ as_of: new Date(value).toISOString() });
}

/** A time as the input wants it: by the clock on the wall, without a zone. */
function local(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
