// One decision or proposal in full, and what a person makes of a proposal.

import { useState } from "preact/hooks";

import { useAsk, useDoing } from "../asking";
import { Badge, When, Who } from "../parts/Badge";
import { Await, Wrong } from "../parts/Notice";
import { Ref } from "../parts/Ref";
import { asPerson } from "../proving";
import { go, href } from "../route";
import type { DecisionInContext, DecisionShown } from "../shapes";
import { act } from "../state";

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
          <div class="prose">{decision.rationale}</div>
          {!!decision.consequences?.length && (
            <ul>
              {decision.consequences.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          )}
          <p class="soft">
            <Who actor={decision.author} /> <When at={decision.at} />
            {decision.accepted_by && (
              <>
                {" "}
                · accepted by <Who actor={decision.accepted_by} />
              </>
            )}
            {decision.reason && <> · rejected: {decision.reason}</>}
          </p>
          {evidence.length > 0 && (
            <section>
              <h3>It rests on</h3>
              <ul>
                {evidence.map((one) => (
                  <li key={one.ref}>
                    <Ref to={one.ref} /> {one.about}
                  </li>
                ))}
              </ul>
            </section>
          )}
          <Radius radius={radius ?? {}} />
          {decision.status === "proposed" && <Review proposal={decision} />}
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
                  <Ref key={one} to={one} />
                ))}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function Review({ proposal }: { proposal: DecisionShown }) {
  const [reason, setReason] = useState("");
  const doing = useDoing();
  const accept = () =>
    doing.run(async () => {
      const made = await asPerson((asking) =>
        act<{ decision_id: string }>("accept_proposal", { proposal_id: proposal.id }, asking),
      );
      go({ view: "decisions", id: made.decision_id });
    });
  const reject = () =>
    doing.run(async () => {
      const why = reason.trim() && { reason: reason.trim() };
      await asPerson((asking) => act("reject_proposal", { proposal_id: proposal.id, ...why }, asking));
    });
  return (
    <section class="review" aria-label="Review">
      <h3>Your decision</h3>
      {!!proposal.supersedes?.length && (
        <p>
          Accepting it replaces{" "}
          {proposal.supersedes.map((one) => (
            <Ref key={one} to={one} />
          ))}
          .
        </p>
      )}
      {doing.problem && <Wrong problem={doing.problem} />}
      <label class="field">
        <span>Why, if you reject it</span>
        <input value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <p class="tools">
        <button type="button" class="main" disabled={doing.busy} onClick={accept}>
          Accept
        </button>
        <button type="button" disabled={doing.busy} onClick={reject}>
          Reject
        </button>
      </p>
    </section>
  );
}
