// The first page of a project in which nothing happened yet: connect an agent, and see it arrive.

import { useEffect, useState } from "preact/hooks";

import { post } from "../api";
import { useDoing } from "../asking";
import { EXAMPLE, fillExample } from "../example";
import { Connect } from "../parts/Connect";
import { Wrong } from "../parts/Notice";
import { go, href } from "../route";
import type { Activity, ProjectListed } from "../shapes";
import { project } from "../state";
import { who } from "../words";
import { writing } from "../writing";
import "../styles/connect.css";

const LOOK_MS = 2_000;

interface Shown {
  /** What happened here meanwhile, the newest first. */
  activity: Activity[];
  onLook: () => void;
}

export function First({ activity, onLook }: Shown) {
  const doing = useDoing();
  return (
    <div class="first">
      <Hello activity={activity} onLook={onLook} />
      <section class="panel">
        <h2>Connect an agent</h2>
        <Connect />
      </section>
      <section class="panel">
        <h2>Or look around first</h2>
        {doing.problem && <Wrong problem={doing.problem} />}
        <p class="tools">
          <button
            type="button"
            disabled={doing.busy}
            onClick={() =>
              doing.run(async () => {
                await fillExample();
                go({ project: EXAMPLE, view: "overview" });
              })
            }
          >
            Fill with an example
          </button>
          <button type="button" class="quiet" onClick={() => (writing.value = { what: "record" })}>
            Write the first record yourself
          </button>
        </p>
        <p class="soft">The example is a project of its own, beside yours.</p>
      </section>
    </div>
  );
}

function Hello({ activity, onLook }: Shown) {
  const first = activity.at(-1);
  const elsewhere = useElsewhere(!first);
  return (
    <section class={first || elsewhere ? "panel hello is-there" : "panel hello"} role="status">
      <span class="dot" aria-hidden="true" />
      {first ? (
        <p>
          <strong>{who(first.author ?? "") || "Somebody"} is here.</strong> The first entry is written.{" "}
          <button type="button" onClick={onLook}>
            See it
          </button>
        </p>
      ) : elsewhere ? (
        <p>
          <strong>An agent is here,</strong> in the project{" "}
          <a href={href({ project: elsewhere.id, view: "overview" })}>{elsewhere.name}</a>.
        </p>
      ) : (
        <p>
          <strong>Waiting for the first call…</strong> This turns green by itself, as soon as an agent records
          something.
        </p>
      )}
    </section>
  );
}

/** A project that somebody began to work in since this page was opened. */
function useElsewhere(looks: boolean): ProjectListed | null {
  const [found, setFound] = useState<ProjectListed | null>(null);
  useEffect(() => {
    if (!looks) return;
    let before: Map<string, number> | null = null;
    const look = async () => {
      const { projects } = await post<{ projects: ProjectListed[] }>("list_projects", { limit: 1000 });
      const known: Map<string, number> = before ?? new Map(projects.map((one) => [one.id, weight(one)]));
      before = known;
      const grown = projects.find(
        (one) => one.id !== project.value && weight(one) > (known.get(one.id) ?? 0),
      );
      if (grown) setFound(grown);
    };
    const again = () => void look().catch(() => undefined);
    again();
    const timer = setInterval(again, LOOK_MS);
    return () => clearInterval(timer);
  }, [looks]);
  return found;
}

function weight(one: ProjectListed): number {
  return one.tick + one.open_sessions;
}
