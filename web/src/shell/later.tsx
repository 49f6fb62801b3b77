// Parts of the frame that the first look can do without: what was typed before, and is not saved.

import { signal } from "@preact/signals";

const parts = signal<typeof import("./Left") | null>(null);

export async function loadLater(): Promise<void> {
  parts.value = await import("./Left");
}

/** Show a part as soon as it is there. */
export function Later({ of }: { of: "Left" | "NotSaved" }) {
  const Part = parts.value?.[of];
  return Part ? <Part /> : null;
}
