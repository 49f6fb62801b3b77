// What was typed somewhere and is not saved: said when one leaves it, and listed until it is.

import type { Draft } from "../drafts";
import { drafts, editing, left } from "../keeping";
import { href, route } from "../route";
import { project } from "../state";

/** Say that what was typed was not lost by going elsewhere. */
export function Left() {
  const draft = left.value;
  const isThere = route.value.view === "records" && route.value.id === draft?.record;
  return (
    <div role="status">
      {draft && !isThere && (
        <p class="left">
          <span>What you typed in {draft.record} is kept, and not saved yet.</span>
          <a href={goOn(draft)}>Go on</a>
          <button type="button" class="quiet" onClick={() => (left.value = null)}>
            Later
          </button>
        </p>
      )}
    </div>
  );
}

/** List what is not saved yet, except what is being typed. */
export function NotSaved() {
  const own = drafts.value.filter((one) => one.project === project.value && one.id !== editing.value);
  if (!own.length) return null;
  return (
    <section class="unsaved" aria-label="Not saved yet">
      <small>Not saved yet</small>
      <ul>
        {own.map((draft) => (
          <li key={draft.id}>
            <a href={href({ project: project.value, view: "records", id: draft.record })}>
              {draft.record} {draft.title}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function goOn(draft: Draft): string {
  return href({ project: draft.project, view: "records", id: draft.record, query: { draft: draft.id } });
}
