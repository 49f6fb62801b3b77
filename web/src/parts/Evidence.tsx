// What a decision rests on, opened where it is cited.

import { useState } from "preact/hooks";

import { NOW, useAsk } from "../asking";
import type { Activation, DecisionInContext, Evolution } from "../shapes";
import { Await } from "./Notice";
import { Prose } from "./Prose";
import { Ref } from "./Ref";

const LINES = 60;

export function Evidence({ cited, about }: { cited: string; about?: string | undefined }) {
  const [open, setOpen] = useState(false);
  const Inside = insideOf(cited);
  return (
    <li class="evidence">
      <Ref to={cited} titled={!about} /> {about}{" "}
      {Inside && (
        <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Close" : "Open here"}
          <span class="for-ears"> {cited}</span>
        </button>
      )}
      {open && Inside && (
        <div class="panel">
          <Inside cited={cited} />
        </div>
      )}
    </li>
  );
}

function insideOf(cited: string) {
  if (/^R\d+$/.test(cited)) return Said;
  if (/^[DP]\d+$/.test(cited)) return Decided;
  if (cited.startsWith("path:") && !cited.endsWith("/")) return Written;
  return null;
}

function Said({ cited }: { cited: string }) {
  const asked = useAsk<Activation>("activate", { id: cited, as_of: NOW });
  return (
    <Await asked={asked}>
      {({ context }) => <Prose text={context.target.body || context.target.summary} />}
    </Await>
  );
}

function Decided({ cited }: { cited: string }) {
  const asked = useAsk<DecisionInContext>("get_decision", { decision_id: cited });
  return <Await asked={asked}>{({ decision }) => <Prose text={decision.rationale} />}</Await>;
}

function Written({ cited }: { cited: string }) {
  const path = cited.slice("path:".length);
  const listed = useAsk<Evolution>("get_evolution", { path, limit: 1 });
  const total = listed.value?.total ?? listed.value?.revisions?.at(-1)?.revision;
  const asked = useAsk<Evolution>("get_evolution", total ? { path, revision: total } : null);
  if (listed.problem) return <p class="soft">Nothing is recorded of it.</p>;
  return (
    <Await asked={asked}>
      {({ content = "" }) => {
        const lines = content.split("\n");
        return (
          <>
            <pre tabIndex={0}>{lines.slice(0, LINES).join("\n")}</pre>
            {lines.length > LINES && <p class="soft">… and {lines.length - LINES} more lines</p>}
          </>
        );
      }}
    </Await>
  );
}
