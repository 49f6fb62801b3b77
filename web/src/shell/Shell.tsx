// The frame around every view: navigation, the project, how fresh things are, dialogs.

import type { FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Empty, Loading } from "../parts/Notice";
import { route } from "../route";
import { connection, head, index, knows, project, shut } from "../state";
import { Door } from "./Door";
import { Help } from "./Help";
import { listen, paletteOpen } from "./keys";
import { Navigation } from "./Navigation";
import { Palette } from "./Palette";
import { PLACES } from "./places";

type View = FunctionComponent;

const VIEWS: Record<string, () => Promise<{ default: View }>> = {
  overview: () => import("../views/Overview"),
  records: () => import("../views/Records"),
  timeline: () => import("../views/Timeline"),
  story: () => import("../views/Story"),
  evolution: () => import("../views/Evolution"),
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

  if (shut.value) return <Door problem={shut.value} />;
  if (!index.value) return <Loading />;
  return (
    <div class="shell">
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
        <Shown key={project.value} />
      </main>
      <Palette />
      <Help />
    </div>
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
    const place = PLACES.find((one) => one.view === name);
    document.title = `${place?.name ?? "Not found"} · ${project.value} · Hansard`;
    if (loaded[name]) return;
    VIEWS[name]?.().then((module) => setLoaded((known) => ({ ...known, [name]: module.default })));
  }, [name]);

  const place = PLACES.find((one) => one.view === name);
  if (!place) return <Empty title="There is no such view">The navigation shows those there are.</Empty>;
  if (place.needs && !knows(place.needs)) {
    return <Empty title={`This server does not offer ${place.name}`}>A newer Hansard may.</Empty>;
  }
  const View = loaded[name];
  // A view that asks before the stream says where the journal ends would have to ask again.
  if (connection.value === "connecting" && !head.value) return <Loading />;
  return View ? <View /> : <Loading />;
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
