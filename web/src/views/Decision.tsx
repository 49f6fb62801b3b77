// One decision or proposal in full, and what a person makes of a proposal.

import { useAsk } from "../asking";
import { Badge, When, Who } from "../parts/Badge";
import { Evidence } from "../parts/Evidence";
import { Await } from "../parts/Notice";
import { Line } from "../parts/Prose";
import { Ref } from "../parts/Ref";
import { go, href } from "../route";
import type { DecisionInContext } from "../shapes";
import { writing } from "../writing";
import { Reasoned } from "./Reasoned";
import { Verdict } from "./Verdict";

export function DecisionView({ id }: { id: string }) {
  const asked = useAsk<DecisionInContext>("get_decision", { decision_id: id });
  return (
    <Await asked={asked}>
      {({ decision, head, evidence, blast_radius: radius }) => (
        <article class="panel decision">
          <p class="soft">
            {decision.id} · {decision.target} <Badge of={decision.status} />{" "}
            {decision.enforcement && <Badge of={decision.enforcement} />}
          </p>
          <h2>{decision.title}</h2>
          {head && (
            <p class="warned">
              This no longer holds. Read{" "}
              <a href={href({ view: "decisions", id: head.id })}>
                {head.id} {head.title}
              </a>{" "}
              instead.
            </p>
          )}
          <Reasoned of={decision} />
          <p class="soft">
            <Who actor={decision.author} /> <When at={decision.at} />
            {decision.accepted_by && (
              <>
                {" "}
                · accepted by <Who actor={decision.accepted_by} />
              </>
            )}
            {decision.reason && (
              <>
                {" "}
                · rejected: <Line text={decision.reason} />
              </>
            )}
          </p>
          {evidence.length > 0 && (
            <section>
              <h3>It rests on</h3>
              <ul>
                {evidence.map((one) => (
                  <Evidence key={one.ref} cited={one.ref} about={one.about} />
                ))}
              </ul>
            </section>
          )}
          <Radius radius={radius ?? {}} />
          {decision.status === "active" && (
            <p class="tools">
              <button
                type="button"
                onClick={() => (writing.value = { what: "decision", replaces: [decision.id] })}
              >
                Replace it
              </button>
            </p>
          )}
          {decision.status === "proposed" && (
            <>
              {!!decision.supersedes?.length && (
                <p>
                  Accepting it replaces{" "}
                  {decision.supersedes.map((one) => (
                    <Ref key={one} to={one} titled />
                  ))}
                  . <a href={href({ view: "review", id: decision.id })}>See both beside each other</a>
                </p>
              )}
              <Verdict proposal={decision} onAccepted={(made) => go({ view: "decisions", id: made })} />
            </>
          )}
        </article>
      )}
    </Await>
  );
}

function Radius({ radius }: { radius: Record<string, string[]> }) {
  const kinds = Object.entries(radius).filter(([, names]) => names.length);
  return (
    <section>
      <h3>What rests on it</h3>
      {kinds.length === 0 ? (
        <p class="soft">Nothing cites it.</p>
      ) : (
        <dl class="facts">
          {kinds.map(([kind, names]) => (
            <div key={kind}>
              <dt>{kind}</dt>
              <dd>
                {names.map((one) => (
                  <Ref key={one} to={one} titled />
                ))}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
