// The picture of a film: a revision's lines, or why there are none to show.

import type { Problem } from "../api";
import type { Revision } from "../shapes";
import { bytes } from "../words";
import { Empty, Wrong } from "./Notice";
import { Stage } from "./Stage";
import "../styles/film.css";

/** What a revision holds and what the one before it held: `undefined` while it is on its way, `null` if nothing to show. */
export interface Around {
  content: string | null | undefined;
  before: string | null | undefined;
  /** Why what it holds could not be read. */
  problem?: Problem | undefined;
}

interface Projected extends Around {
  path: string;
  revision: Pick<Revision, "redacted" | "sha256" | "size">;
  pace: number;
  line?: number | undefined;
  onLine?: ((line: number) => void) | undefined;
}

export function Screen({ path, revision, content, before, problem, pace, line, onLine }: Projected) {
  if (problem)
    return (
      <div class="screen">
        <Wrong problem={problem} />
      </div>
    );
  if (content === undefined || before === undefined) return <div class="screen is-waiting" />;
  if (content === null) {
    const why = revision.redacted?.length
      ? `Its content was not recorded, since it holds a secret (${revision.redacted.join(", ")}).`
      : revision.sha256
        ? `It is not text: ${bytes(revision.size ?? 0)}.`
        : "The file was gone then.";
    return (
      <div class="screen">
        <Empty title="Nothing to show">{why}</Empty>
      </div>
    );
  }
  return (
    <div class="screen">
      <Stage path={path} content={content} before={before} pace={pace} line={line} onLine={onLine} />
    </div>
  );
}
