// The frame around every view: navigation, the project, how fresh things are, dialogs.

import type { FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Empty, Loading } from "../parts/Notice";
import { href, route } from "../route";
import { connection, head, index, knows, project, shut } from "../state";
import { waiting } from "../waiting";
import { Door } from "./Door";
import { Later } from "./later";
import { listen, paletteOpen } from "./keys";
import { Navigation } from "./Navigation";
import { PLACES } from "./places";

type View = FunctionComponent;

const VIEWS: Record<string, () => Promise<{ default: View }>> = {
  overview: () => import("../views/Overview"),
  review: () => import("../views/Review"),
  control: () => import("../views/Control"),
  records: () => import("../views/Records"),
  timeline: () => import("../views/Timeline"),
  story: () => import("../views/Story"),
  movie: () => import("../views/Movie"),
  evolution: () => import("../views/Evolution"),
  past: () => import("../views/Past"),
  undo: () => import("../views/Undo"),
  restore: () => import("../views/Restore"),
  decisions: () => import("../views/Decisions"),
  checkpoints: () => import("../views/Checkpoints"),
  entities: () => import("../views/Entities"),
  search: () => import("../views/Search"),
  verify: () => import("../views/Verify"),
};

export function Shell() {
  const [menu, setMenu] = useState(false);
  useEffect(listen, []);
  useEffect(() => setMenu(false), [route.value]);

  if (!index.value) return shut.value ? <Door problem={shut.value} /> : <Loading />;
  return (
    <>
      {shut.value && <Door problem={shut.value} />}
      {/* What one was typing stays there behind a door that shuts. */}
      <div class="shell" hidden={shut.value !== null}>
        <a class="skip" href="#main" onClick={skip}>
          Skip to the view
        </a>
        <header class="bar">
          <button
            type="button"
            class="quiet menu"
            aria-expanded={menu}
            aria-controls="navigation"
            onClick={() => setMenu(!menu)}
          >
            <span aria-hidden="true">☰</span> Menu
          </button>
          <strong>Hansard</strong>
          <Freshness />
          <button type="button" class="quiet" onClick={() => (paletteOpen.value = true)}>
            Search
          </button>
        </header>
        <Navigation open={menu} />
        <main id="main" tabIndex={-1}>
          <Lost />
          <Later of="Left" />
          <Later of="Held" />
          <Later of="AsOf" />
          <Shown key={project.value} />
        </main>
        <Later of="Palette" />
        <Later of="Help" />
        <Later of="Writing" />
        <Later of="Proving" />
      </div>
    </>
  );
}

function skip(event: Event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** Load the view of the address when it is first looked at. */
function Shown() {
  const name = route.value.view;
  const [loaded, setLoaded] = useState<Record<string, View>>({});
  const wanted = useRef(name);
  wanted.current = name;
  useEffect(() => {
    if (loaded[name]) return;
    VIEWS[name]?.().then((module) => setLoaded((known) => ({ ...known, [name]: module.default })));
  }, [name]);

  const place = PLACES.find((one) => one.view === name);
  const waits = waiting.value?.length ? `(${waiting.value.length}) ` : "";
  useEffect(() => {
    document.title = `${waits}${place?.name ?? "Not found"} · ${project.value} · Hansard`;
  }, [name, waits]);
  if (!place)
    return (
      <Empty title="There is no such view">
        The address names {name || "none"}. <a href={href({ view: "overview" })}>Go to the overview</a>, or
        choose one in the navigation.
      </Empty>
    );
  if (place.needs && !knows(place.needs)) {
    return <Empty title={`This server does not offer ${place.name}`}>A newer Hansard may.</Empty>;
  }
  const View = loaded[name];
  // A view that asks before the stream says where the journal ends would have to ask again.
  if (connection.value === "connecting" && !head.value) return <Loading />;
  return View ? <View /> : <Loading />;
}

/** A thin bar above what stays as it is. */
function Lost() {
  return (
    <div role="status">
      {connection.value === "lost" && (
        <p class="lost">Lost the server, trying again. What you see is as it was; what you type is kept.</p>
      )}
    </div>
  );
}

const SAID = { connecting: "Connecting", live: "Live", lost: "Lost, trying again" } as const;

export function Freshness() {
  return (
    <span class={`freshness is-${connection.value}`} role="status">
      <span class="dot" aria-hidden="true" />
      {SAID[connection.value]}
    </span>
  );
}
