// Where one can go, in which project, and how the page looks.

import { useEffect, useState } from "preact/hooks";

import { getIndex, leave, post } from "../api";
import { asProblem } from "../asking";
import { go, href, route } from "../route";
import type { ProjectListed } from "../shapes";
import { index, knows, project, settledHead, shut, type Theme, theme } from "../state";
import { waiting } from "../waiting";
import { helpOpen, paletteOpen } from "./keys";
import { Later } from "./later";
import { type Offered, PLACES } from "./places";
import { Freshness } from "./Shell";

const NEXT: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };

export function Navigation({ open }: { open: boolean }) {
  return (
    <nav id="navigation" class={open ? "side is-open" : "side"} aria-label="Views">
      <div class="brand">
        <span class="mark" aria-hidden="true">
          H
        </span>
        <strong>Hansard</strong>
      </div>
      <Projects />
      <button type="button" class="find" onClick={() => (paletteOpen.value = true)}>
        <span>Search or go to…</span>
        <kbd>/</kbd>
      </button>
      <Group of="Now" />
      <Group of="Work" />
      <Group of="History" />
      <More />
      <Later of="NotSaved" />
      <div class="foot">
        <Freshness />
        <div class="row">
          <button type="button" class="quiet" onClick={() => (theme.value = NEXT[theme.value])}>
            Theme: {theme.value}
          </button>
          <button
            type="button"
            class="quiet"
            onClick={() => (helpOpen.value = true)}
            aria-label="Keyboard help"
          >
            ?
          </button>
        </div>
        <Later of="Self" />
        <div class="row">
          <small>Version {index.value?.version}</small>
          <button type="button" class="quiet" onClick={logOut}>
            Log out
          </button>
        </div>
      </div>
    </nav>
  );
}

const LISTED = () => PLACES.filter((place) => !place.needs || knows(place.needs));

/** Views that belong together; what is reached from one of them is below it while one is there. */
function Group({ of }: { of: Offered["group"] }) {
  const here = route.value.view;
  const places = LISTED().filter((place) => place.group === of);
  const inside = (view: string) => places.filter((place) => place.within === view);
  return (
    <div>
      {of !== "Now" && of !== "More" && <small class="group">{of}</small>}
      <ul aria-label={of}>
        {places
          .filter((place) => !place.within)
          .map((place) => {
            const below = inside(place.view);
            const isHere = [place, ...below].some((one) => one.view === here);
            return (
              <li key={place.view}>
                <To place={place} />
                {isHere && below.length > 0 && (
                  <ul>
                    {below.map((one) => (
                      <li key={one.view}>
                        <To place={one} />
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            );
          })}
      </ul>
    </div>
  );
}

/** What one seldom looks for, one step away. */
function More() {
  const isHere = PLACES.some((place) => place.group === "More" && place.view === route.value.view);
  return (
    <details class="more" open={isHere}>
      <summary>More</summary>
      <Group of="More" />
    </details>
  );
}

function To({ place }: { place: Offered }) {
  const count = place.view === "review" ? (waiting.value?.length ?? 0) : 0;
  return (
    <a
      href={href({ project: project.value, view: place.view })}
      aria-current={route.value.view === place.view ? "page" : undefined}
    >
      {place.name}
      {count > 0 && (
        <span class="count" aria-label={`${count} waiting`}>
          {count}
        </span>
      )}
    </a>
  );
}

/** Be let in no more; what was typed stays in this browser. */
function logOut(): void {
  leave()
    .then(getIndex)
    .catch((error: unknown) => {
      shut.value = asProblem(error);
    });
}

function Projects() {
  const [projects, setProjects] = useState<ProjectListed[]>([]);
  useEffect(() => {
    post<{ projects: ProjectListed[] }>("list_projects", { limit: 1000 }).then(
      (found) => setProjects(found.projects),
      () => undefined,
    );
  }, [settledHead.value]);
  const known = projects.some((one) => one.id === project.value);
  return (
    <label class="projects">
      <span>Project</span>
      <select
        value={project.value}
        onChange={(event) => go({ project: event.currentTarget.value, view: route.value.view })}
      >
        {!known && <option value={project.value}>{project.value}</option>}
        {projects.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
}
