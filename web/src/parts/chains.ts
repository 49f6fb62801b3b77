// Where what replaced one another stands: a row each, in columns; where it is narrow, one below the other.

export interface Sized {
  id: string;
  width: number;
  height: number;
}

export interface Laid {
  places: Map<string, { x: number; y: number }>;
  edges: { from: string; to: string; points: { x: number; y: number }[] }[];
  width: number;
  height: number;
}

const GAP = 18;
const BETWEEN = 34;
const INDENT = 22;

/** Lay out chains, each in the order in which its first was named. */
export function layChains(boxes: Sized[], arrows: { from: string; to: string }[], isNarrow: boolean): Laid {
  const known = new Map(boxes.map((box) => [box.id, box]));
  const drawn = arrows.filter((one) => known.has(one.from) && known.has(one.to));
  const depths = depthsOf(boxes, drawn);
  const rows = rowsOf(boxes, drawn, isNarrow);
  const tops = starts(boxes, (box) => rows.get(box.id) ?? 0, "height", GAP);
  const lefts = starts(boxes, (box) => depths.get(box.id) ?? 0, "width", BETWEEN);
  const tall = largest(boxes, (box) => rows.get(box.id) ?? 0, "height");
  const places = new Map(
    boxes.map(({ id, height }) => {
      const [depth, row] = [depths.get(id) ?? 0, rows.get(id) ?? 0];
      const x = isNarrow ? depth * INDENT : (lefts[depth] ?? 0);
      // What stands side by side is in line by its middle.
      return [id, { x, y: (tops[row] ?? 0) + ((tall[row] ?? height) - height) / 2 }];
    }),
  );
  const edges = drawn.map(({ from, to }) => {
    const [a, b] = [known.get(from) as Sized, known.get(to) as Sized];
    const [p, q] = [places.get(from) as Point, places.get(to) as Point];
    return { from, to, points: isNarrow ? down(p, a, q, b) : across(p, a, q, b) };
  });
  return {
    places,
    edges,
    width: Math.max(0, ...boxes.map((box) => (places.get(box.id)?.x ?? 0) + box.width)),
    height: Math.max(0, ...boxes.map((box) => (places.get(box.id)?.y ?? 0) + box.height)),
  };
}

interface Point {
  x: number;
  y: number;
}

function across(p: Point, a: Sized, q: Point, b: Sized): Point[] {
  const [from, to] = [
    { x: p.x + a.width, y: p.y + a.height / 2 },
    { x: q.x, y: q.y + b.height / 2 },
  ];
  const bend = to.x - BETWEEN / 2;
  return [from, { x: bend, y: from.y }, { x: bend, y: to.y }, to];
}

function down(p: Point, a: Sized, q: Point, b: Sized): Point[] {
  const x = p.x + INDENT / 2;
  return [
    { x, y: p.y + a.height },
    { x, y: q.y + b.height / 2 },
    { x: q.x, y: q.y + b.height / 2 },
  ];
}

/** How many came before each, at most; what leads back to itself ends somewhere. */
function depthsOf(boxes: Sized[], arrows: { from: string; to: string }[]): Map<string, number> {
  const depths = new Map(boxes.map(({ id }) => [id, 0]));
  for (let turn = 0; turn < boxes.length; turn++) {
    let moved = false;
    for (const { from, to } of arrows) {
      const depth = (depths.get(from) ?? 0) + 1;
      if (depth <= (depths.get(to) ?? 0) || depth >= boxes.length) continue;
      depths.set(to, depth);
      moved = true;
    }
    if (!moved) break;
  }
  return depths;
}

/** The row of each: that of the one it replaced first, unless another has taken it. */
function rowsOf(
  boxes: Sized[],
  arrows: { from: string; to: string }[],
  isNarrow: boolean,
): Map<string, number> {
  const rows = new Map<string, number>();
  const after = new Set(arrows.map((one) => one.to));
  let next = 0;
  const put = (id: string, row: number) => {
    if (rows.has(id)) return;
    rows.set(id, row);
    next = Math.max(next, row + 1);
    arrows
      .filter((one) => one.from === id)
      .forEach((one, place) => put(one.to, place || isNarrow ? next : row));
  };
  for (const { id } of boxes) if (!after.has(id)) put(id, next);
  for (const { id } of boxes) put(id, next);
  return rows;
}

/** Where each row or column begins, by the largest in those before it. */
function starts(boxes: Sized[], of: (box: Sized) => number, size: "width" | "height", gap: number): number[] {
  let at = 0;
  return largest(boxes, of, size).map((one) => {
    const begins = at;
    at += one + gap;
    return begins;
  });
}

function largest(boxes: Sized[], of: (box: Sized) => number, size: "width" | "height"): number[] {
  const sizes: number[] = [];
  for (const box of boxes) sizes[of(box)] = Math.max(sizes[of(box)] ?? 0, box[size]);
  return sizes;
}
