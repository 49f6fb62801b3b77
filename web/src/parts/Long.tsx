// A long list of which only what is in sight exists.

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

interface Shown {
  count: number;
  height: (place: number) => number;
  /** Changes when the heights may have. */
  stamp: unknown;
  label: string;
  /** Called with the first and last place in sight. */
  onSight: (first: number, last: number) => void;
  /** A place to bring into sight. */
  look?: number | undefined;
  children: (place: number) => ComponentChildren;
}

const BEYOND = 12;

export function Long({ count, height, stamp, label, onSight, look, children }: Shown) {
  const element = useRef<HTMLDivElement>(null);
  const [, again] = useReducer((turn: number) => turn + 1, 0);
  const options = {
    count,
    getScrollElement: () => element.current,
    estimateSize: height,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    overscan: BEYOND,
    onChange: () => again(0),
  };
  const [virtual] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  useLayoutEffect(() => virtual.measure(), [stamp]);
  useEffect(() => {
    if (look !== undefined && look >= 0) virtual.scrollToIndex(look, { align: "auto" });
  }, [look]);

  const rows = virtual.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => onSight(first, last), [first, last, count]);

  return (
    <div class="long" ref={element} tabIndex={0} role="region" aria-label={label}>
      <div class="all" role="list" style={{ height: `${virtual.getTotalSize()}px` }}>
        {rows.map((row) => (
          <div
            key={row.key}
            class="place"
            role="listitem"
            aria-setsize={count}
            aria-posinset={row.index + 1}
            style={{ height: `${row.size}px`, transform: `translateY(${row.start}px)` }}
          >
            {children(row.index)}
          </div>
        ))}
      </div>
    </div>
  );
}
