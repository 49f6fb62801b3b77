// Look at what going back would do to every file, decide what clashes, then do it.

import { useEffect, useRef, useState } from "preact/hooks";

import { useDoing } from "../asking";
import { changing, clashing, decide, type Decided, forget, nameOf, overtaken, UNDECIDED } from "../deciding";
import { carryOut, isHome, type Operation, preview, type Scope } from "../going";
import { Loading, Wrong } from "../parts/Notice";
import { href } from "../route";
import type { BackStep, Side, WentBack } from "../shapes";
import { noise } from "../state";
import { counted } from "../words";
import { Steps } from "./Steps";

interface Asked {
  operation: Operation;
  scope: Scope;
  /** Takes the way that keeps what others did, where there is one. */
  onKeep?: (() => void) | undefined;
}

const WORDS = {
  undo: { verb: "Undo", did: "Undone" },
  restore: { verb: "Restore", did: "Restored" },
} as const;

export function GoingBack({ operation, scope, onKeep }: Asked) {
  const [plan, setPlan] = useState<WentBack | null>(null);
  const [done, setDone] = useState<WentBack | null>(null);
  const [decided, setDecided] = useState(UNDECIDED);
  const [met, setMet] = useState<string[]>([]);
  const looking = useDoing();
  const doing = useDoing();
  const key = useRef(noise());
  const look = (with_: Decided) =>
    looking.run(async () => {
      let next = with_;
      let found = await preview(operation, scope, next);
      const late = overtaken(found, next);
      if (late.length) {
        next = forget(next, late);
        found = await preview(operation, scope, next);
      }
      setMet(late);
      setDecided(next);
      setPlan(found);
      key.current = noise();
    });
  const go = (shown: WentBack) =>
    doing.run(async () => setDone(await carryOut(operation, scope, decided, shown, { key: key.current })));
  useEffect(() => {
    if (isHome()) look(UNDECIDED);
  }, []);

  if (looking.problem) return <Wrong problem={looking.problem} again={() => look(decided)} />;
  if (doing.problem && plan) return <Wrong problem={doing.problem} again={() => go(plan)} />;
  if (done) return <Done operation={operation} done={done} />;
  if (!plan)
    return looking.busy || isHome() ? (
      <Loading />
    ) : (
      <p>
        <button type="button" class="main" onClick={() => look(decided)}>
          Show what would change
        </button>
      </p>
    );
  return (
    <>
      <Told operation={operation} plan={plan} onKeep={onKeep} />
      {met.length > 0 && (
        <p class="warned" role="alert">
          {met.join(", ")} was changed meanwhile: decide again.
        </p>
      )}
      <Steps
        plan={plan}
        decided={decided}
        onDecide={(step: BackStep, sides: Side[]) => look(decide(decided, step, sides))}
        onAgain={(step: BackStep) => look(forget(decided, [step.path]))}
      />
      {changing(plan).length > 0 && (
        <p class="tools">
          <button type="button" class="main" disabled={doing.busy || looking.busy} onClick={() => go(plan)}>
            {WORDS[operation].verb} {counted(changing(plan).length, "file")}
          </button>
          <span class="soft">It is recorded like any other change, and can be undone.</span>
        </p>
      )}
    </>
  );
}

/** Say what would happen in all, and whose work would go with it. */
function Told({ operation, plan, onKeep }: { operation: Operation; plan: WentBack } & Pick<Asked, "onKeep">) {
  const [files, open] = [changing(plan).length, clashing(plan).length];
  const whose = [...new Set(plan.files.flatMap((file) => file.takes_away ?? []).map(({ by }) => by))];
  const what = plan.what ?? `to how it stood after ${plan.point}`;
  return (
    <>
      <p role="status">
        {operation === "undo" ? `Undo ${what}: ` : `Back ${what}: `}
        {files || open
          ? [
              files ? `${counted(files, "file")} would change` : "",
              open ? `${counted(open, "file")} must be decided first` : "",
            ]
              .filter((one) => one)
              .join(", ")
          : "nothing would change, the files stand like that already"}
        .
      </p>
      {whose.length > 0 && (
        <p class="warned" role="alert">
          <strong>This takes away what others did:</strong> {whose.map(nameOf).join(", ")}. Each is named
          below.{" "}
          {onKeep && (
            <button type="button" class="quiet" onClick={onKeep}>
              Keep what others did
            </button>
          )}
        </p>
      )}
    </>
  );
}

function Done({ operation, done }: { operation: Operation; done: WentBack }) {
  const entry = /s:\d+/.exec(done.undo ?? "")?.[0];
  const counts = Object.entries(done.counts).filter(([, number]) => number);
  return (
    <>
      <p role="status" class="well">
        {WORDS[operation].did}: {counts.map(([what, number]) => `${number} ${what}`).join(", ") || "nothing"}.
      </p>
      <Steps plan={done} decided={UNDECIDED} />
      {entry && (
        <p>
          <a class="button" href={href({ view: "undo", query: { entry } })}>
            Undo this
          </a>
        </p>
      )}
    </>
  );
}
