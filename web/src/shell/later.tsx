// Parts of the frame that the first look can do without: what was typed before and is not saved,
// and who looks.

import { signal } from "@preact/signals";

type Parts = typeof import("./Left") & typeof import("./Proving");

const parts = signal<Parts | null>(null);

export async function loadLater(): Promise<void> {
  const [left, proving] = await Promise.all([import("./Left"), import("./Proving")]);
  parts.value = { ...left, ...proving };
}

/** Show a part as soon as it is there. */
export function Later({ of }: { of: keyof Parts }) {
  const Part = parts.value?.[of];
  return Part ? <Part /> : null;
}
