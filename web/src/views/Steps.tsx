// The files that going back is about: what becomes of each, whose work that concerns, what clashes.

import { useState } from "preact/hooks";

import { type Decided, nameOf, type Place, placesOf } from "../deciding";
import { Badge, Lines, When } from "../parts/Badge";
import { Choose, type Option } from "../parts/Choose";
import { Diff } from "../parts/Diff";
import { href } from "../route";
import type { BackStep, OthersWork, Side, WentBack } from "../shapes";
import { counted } from "../words";
import "../styles/going.css";

interface Shown {
  plan: WentBack;
  decided: Decided;
  onDecide?: (step: BackStep, sides: Side[]) => void;
  onAgain?: (step: BackStep) => void;
}

/** Files up to which each change is shown at once. */
const OPEN_MAX = 3;

export function Steps({ plan, decided, onDecide, onAgain }: Shown) {
  const isShort = plan.files.filter((file) => file.diff).length <= OPEN_MAX;
  return (
    <>
      <ul class="steps">
        {plan.files.map((step) => (
          <li key={step.path}>
            <Row step={step} isOpen={isShort} />
            {step.path in decided.take && step.action !== "clash" && (
              <p class="soft">
                As you decided.{" "}
                <button type="button" class="quiet" onClick={() => onAgain?.(step)}>
                  Decide again
                </button>
              </p>
            )}
            {step.action === "clash" && onDecide && (
              <Clash key={step.now} step={step} onDecide={(sides) => onDecide(step, sides)} />
            )}
          </li>
        ))}
      </ul>
      {plan.omitted && <p>… and {counted(plan.omitted, "more file")}, done as asked</p>}
    </>
  );
}

const HEADS = /^(?:(?:---|\+\+\+) .*\n)+/;

function Row({ step, isOpen }: { step: BackStep; isOpen: boolean }) {
  const [open, setOpen] = useState(isOpen);
  const reason = step.reason ?? step.code;
  return (
    <>
      <div class="row">
        <Badge of={step.action} text={step.action === "none" ? "unchanged" : step.action} />{" "}
        <code>{step.to ? `${step.path} → ${step.to}` : step.path}</code>
        <Lines added={step.added ?? 0} removed={step.removed ?? 0} />
        <span class="soft">
          {[
            step.to_revision ? `to revision ${step.to_revision}` : "",
            step.mode ? `permissions ${step.mode}` : "",
            reason ?? "",
          ]
            .filter((one) => one)
            .join(", ")}
        </span>
        {step.status && <Badge of={step.status} />}
        {step.diff && (
          <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide" : "Show"} the change
          </button>
        )}
      </div>
      {step.takes_away?.map((one) => (
        <Work key={`${one.by} ${one.first}`} verb="Takes away" one={one} path={step.path} />
      ))}
      {step.keeps?.map((one) => (
        <Work key={`${one.by} ${one.first}`} verb="Keeps" one={one} path={step.path} />
      ))}
      {open && step.diff && <Diff text={step.diff.replace(HEADS, "")} label={`Change of ${step.path}`} />}
    </>
  );
}

/** What somebody else did to a file, and where that is told. */
function Work({ verb, one, path }: { verb: string; one: OthersWork; path: string }) {
  const entry = (ref: string) => (
    <a
      href={href({
        view: "timeline",
        query: { session: one.session_id, path, seq: ref.replace("s:", "") },
      })}
    >
      {ref}
    </a>
  );
  return (
    <p class={verb === "Keeps" ? "work is-kept" : "work is-lost"}>
      {verb} {counted(one.count, "change")} by {nameOf(one.by)}
      {one.first && <> ({entry(one.first)}</>}
      {one.last && one.last !== one.first && <> to {entry(one.last)}</>}
      {one.first && ")"} {one.at ? <When at={one.at} /> : "not recorded yet"}
    </p>
  );
}

const SAID = { mine: "As it is now", theirs: "As it was before", both: "Both" } as const;

/** Ask about each place of a file; once all are chosen, that is what is decided. */
function Clash({ step, onDecide }: { step: BackStep; onDecide: (sides: Side[]) => void }) {
  const places = placesOf(step);
  const [taken, setTaken] = useState<(Side | undefined)[]>([]);
  const left = places.filter((_, number) => !taken[number]).length;
  const take = (number: number) => (side: Side) =>
    setTaken(places.map((_, other) => (other === number ? side : taken[other])));
  return (
    <section class="clash" aria-label={`What clashes in ${step.path}`}>
      {places.map((place, number) => (
        <Choose
          key={place.id}
          id={place.id}
          title={place.title}
          options={optionsOf(place)}
          taken={taken[number]}
          isAnswered={taken[number] !== undefined}
          base={place.base}
          baseSaid="As the change had left it"
          onTake={take(number)}
        />
      ))}
      <p class="tools">
        <button
          type="button"
          disabled={left > 0}
          onClick={() => onDecide(taken.filter((one) => one !== undefined))}
        >
          Decide so
        </button>
        <span class="soft" role="status">
          {left ? `${counted(left, "choice")} left; until then the file is left as it is.` : ""}
        </span>
      </p>
    </section>
  );
}

function optionsOf(place: Place): Option<Side>[] {
  return place.sides.map((take) => ({ take, said: SAID[take], text: take === "both" ? null : place[take] }));
}
