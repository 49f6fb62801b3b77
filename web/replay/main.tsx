// One session in one file: its story, its timeline, the films of its files. No server, no network.

import { effect } from "@preact/signals";
import { render } from "preact";

import { Empty } from "../src/parts/Notice";
import { go, href, refine, route } from "../src/route";
import { index, theme } from "../src/state";
import Evolution from "../src/views/Evolution";
import Movie from "../src/views/Movie";
import Story from "../src/views/Story";
import Timeline from "../src/views/Timeline";
import { moment } from "../src/words";
import { recorded } from "./session";
import "../src/styles/base.css";
import "../src/styles/parts.css";
import "../src/styles/views.css";
import "./replay.css";

const { project, session_id: session, left_out: leftOut } = recorded;
const title = recorded.story[0]?.title ?? `Session ${session}`;

const PLACES = {
  story: { name: "Story", View: Story, place: { project, view: "story", id: session } },
  movie: { name: "Movie", View: Movie, place: { project, view: "movie", id: session } },
  timeline: { name: "Timeline", View: Timeline, place: { project, view: "timeline", query: { session } } },
  evolution: { name: "Files", View: Evolution, place: { project, view: "evolution" } },
};

function Replay() {
  const view = route.value.view;
  const View = view in PLACES ? PLACES[view as keyof typeof PLACES].View : Elsewhere;
  return (
    <div class="replay">
      <header>
        <span class="mark" aria-hidden="true">
          H
        </span>
        <strong>{title}</strong>
        <nav aria-label="Views">
          {Object.entries(PLACES).map(([name, { name: label, place }]) => (
            <a key={name} href={href(place)} aria-current={view === name ? "page" : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <button type="button" class="quiet" onClick={turn}>
          {isDark() ? "Light" : "Dark"}
        </button>
      </header>
      <main>
        <View />
      </main>
      <footer>
        <small>
          {project}, written {moment(recorded.exported_at)} by Hansard. {leftOut.join(" ")}
        </small>
      </footer>
    </div>
  );
}

function Elsewhere() {
  return (
    <Empty title="This is not in the file">
      It holds one session: what it names elsewhere is in the store.
    </Empty>
  );
}

function isDark(): boolean {
  return (
    theme.value === "dark" || (theme.value === "auto" && matchMedia("(prefers-color-scheme: dark)").matches)
  );
}

function turn(): void {
  theme.value = isDark() ? "light" : "dark";
}

index.value = { version: "", project, operations: [] };
document.title = title;
effect(() => {
  const { view, id, query } = route.value;
  // There is one session, so each address without it means it.
  if (!(view in PLACES) && view === "overview") go(PLACES.story.place);
  else if ((view === "story" || view === "movie") && !id) go(PLACES[view].place);
  else if (view === "timeline" && query.session !== session) refine({ session });
});
render(<Replay />, document.getElementById("page") as HTMLElement);
