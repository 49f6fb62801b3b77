// Parts of the frame that the first look can do without: what was typed before and is not saved,
// who looks, and at which moment.

import { signal } from "@preact/signals";

type Parts = typeof import("./Left") &
  typeof import("./Proving") &
  typeof import("./Writing") &
  typeof import("./Held") &
  typeof import("./Palette") &
  typeof import("./Help") &
  typeof import("./AsOf");

const parts = signal<Parts | null>(null);

export async function loadLater(): Promise<void> {
  const [left, proving, writing, held, palette, help, asOf] = await Promise.all([
    import("./Left"),
    import("./Proving"),
    import("./Writing"),
    import("./Held"),
    import("./Palette"),
    import("./Help"),
    import("./AsOf"),
  ]);
  parts.value = { ...left, ...proving, ...writing, ...held, ...palette, ...help, ...asOf };
}

/** Show a part as soon as it is there. */
export function Later({ of }: { of: keyof Parts }) {
  const Part = parts.value?.[of];
  return Part ? <Part /> : null;
}
