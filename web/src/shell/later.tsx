// Parts of the frame that the first look can do without: what was typed before and is not saved,
// and who looks.

import { signal } from "@preact/signals";

type Parts = typeof import("./Left") &
  typeof import("./Proving") &
  typeof import("./Writing") &
  typeof import("./Held") &
  typeof import("./Palette") &
  typeof import("./Help");

const parts = signal<Parts | null>(null);

export async function loadLater(): Promise<void> {
  const [left, proving, writing, held, palette, help] = await Promise.all([
    import("./Left"),
    import("./Proving"),
    import("./Writing"),
    import("./Held"),
    import("./Palette"),
    import("./Help"),
  ]);
  parts.value = { ...left, ...proving, ...writing, ...held, ...palette, ...help };
}

/** Show a part as soon as it is there. */
export function Later({ of }: { of: keyof Parts }) {
  const Part = parts.value?.[of];
  return Part ? <Part /> : null;
}
