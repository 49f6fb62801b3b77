// How far the journal has come, as far as we have heard.

import { signal } from "@preact/signals";

/** The seq of the newest entry we have heard of. */
export const head = signal(0);
/** The same, once the journal has been quiet for a moment: what live views ask again for. */
export const settledHead = signal(0);

/** Know what was written here, which the stream may tell later: whoever wrote it looks at it at once. */
export function wrote(answer: unknown): void {
  const seq = (answer as { receipt?: { seq?: number } } | null)?.receipt?.seq;
  if (seq) head.value = Math.max(head.peek(), seq);
}
