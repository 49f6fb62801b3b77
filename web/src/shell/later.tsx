// Parts of the frame that the first look can do without: what was typed before and is not saved,
// who looks, and at which moment.

import { signal } from "@preact/signals";

type Parts = typeof import("./Left") & typeof import("./Proving") & typeof import("./AsOf");

const parts = signal<Parts | null>(null);

export async function loadLater(): Promise<void> {
  const [left, proving, asOf] = await Promise.all([import("./Left"), import("./Proving"), import("./AsOf")]);
  parts.value = { ...left, ...proving, ...asOf };
}

/** Show a part as soon as it is there. */
export function Later({ of }: { of: keyof Parts }) {
  const Part = parts.value?.[of];
  return Part ? <Part /> : null;
}
