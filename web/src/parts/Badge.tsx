// Small marks: a state, a kind, who did it, when.

import { actorKind, ago, family, hue, initials, kindName, moment, stateName, who } from "../words";

export function Badge({ of, text = stateName(of) }: { of: string; text?: string }) {
  return <span class={`badge is-${of.toLowerCase()}`}>{text}</span>;
}

export function Kind({ of }: { of: string }) {
  return <span class={`kind of-${family(of)}`}>{kindName(of)}</span>;
}

const COLOURS = 8;
const KINDS: Record<string, string> = { human: "a person", agent: "an agent", system: "Hansard itself" };

/** Who it was: letters in a colour of their own, round for people, and the name. */
export function Who({ actor }: { actor: string }) {
  const kind = actorKind(actor);
  return (
    <span class={`who is-${kind}`} title={`${who(actor)}, ${KINDS[kind] ?? kind}`}>
      <span class={`face hue-${hue(actor, COLOURS)}`} aria-hidden="true">
        {initials(actor)}
      </span>
      {who(actor)}
    </span>
  );
}

export function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={moment(at)}>
      {ago(at)}
    </time>
  );
}

export function Lines({ added = 0, removed = 0 }: { added?: number; removed?: number }) {
  if (!added && !removed) return null;
  return (
    <span class="lines">
      <ins aria-label={`${added} lines added`}>+{added}</ins>{" "}
      <del aria-label={`${removed} lines removed`}>−{removed}</del>
    </span>
  );
}
