// Going back: what would happen to every file, and doing it.

import { type Asking, post } from "./api";
import { type Decided, seenIn } from "./deciding";
import type { WentBack } from "./shapes";
import { act, index, project } from "./state";

export type Operation = "undo" | "restore";
export type Scope = Record<string, unknown>;

const PAGE = 200;
const DONE_SHOWN = 1_000;

/** Whether one can look without a session, which is needed in another project than the server's. */
export function isHome(): boolean {
  return project.value === index.value?.project;
}

/** Ask what would happen to all files, page by page. */
export async function preview(operation: Operation, scope: Scope, decided: Decided): Promise<WentBack> {
  const look = isHome() ? post<WentBack> : act<WentBack>;
  const asked = { ...scope, ...sent(decided), preview: true, diff: true, limit: PAGE };
  const first = await look(operation, asked);
  const files = [...first.files];
  for (let cursor = first.nextCursor; cursor;) {
    const page = await look(operation, { ...asked, cursor });
    files.push(...page.files);
    cursor = page.nextCursor;
  }
  return { ...first, files };
}

/** Do what was shown, and leave what has changed since. */
export function carryOut(
  operation: Operation,
  scope: Scope,
  { take, expected }: Decided,
  plan: WentBack,
  asking: Asking,
) {
  const asked = { ...scope, ...sent({ take, expected: { ...seenIn(plan), ...expected } }) };
  return act<WentBack>(operation, { ...asked, limit: DONE_SHOWN }, asking);
}

function sent({ take, expected }: Decided): Scope {
  return {
    ...(Object.keys(take).length && { take }),
    ...(Object.keys(expected).length && { expected }),
  };
}
