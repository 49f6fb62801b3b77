// Boxes and arrows. The layout is dagre's; we only draw.

import dagre from "@dagrejs/dagre";
import { useMemo } from "preact/hooks";

import { layChains } from "./chains";
import { cut, linesOf } from "./lines";

export interface Box {
  id: string;
  title: string;
  about: string;
  look: string;
  to?: string;
}

export interface Arrow {
  from: string;
  to: string;
  look?: string;
}

interface Drawn {
  boxes: Box[];
  arrows: Arrow[];
  label: string;
  current?: string;
  /** Whether one thing leads down to the next on a narrow screen, where many in a row would be out of sight. */
  turns?: boolean;
  /** Whether each replaces the one before it: rows that begin at the left, or one below the other. */
  chains?: boolean;
}

const WIDTH_MIN = 110;
const WIDTH_MAX = 264;
/** What a character takes, about. */
const CHAR_PX = 8.1;
const LINE_PX = 17;
/** How far a large graph is shrunk to fit before it is scrolled instead. */
const SHRUNK = 0.8;
/** Of a box with a title of one line. */
const HEIGHT = 58;
const MARGIN = 12;
const NARROW = "(max-width: 720px)";

export function Graph({ boxes, arrows, label, current, turns = false, chains = false }: Drawn) {
  const isDown = (turns || chains) && matchMedia(NARROW).matches;
  const layout = useMemo(
    () => (chains ? inChains(boxes, arrows, isDown) : lay(boxes, arrows, isDown)),
    [JSON.stringify([boxes.map((one) => one.id), arrows]), isDown],
  );
  return (
    <div class="graph" tabIndex={0} role="region" aria-label={label}>
      <svg
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        style={{ width: `min(100%, ${layout.width}px)`, minWidth: `${layout.width * SHRUNK}px` }}
        role="group"
        aria-label={label}
      >
        <defs>
          <marker
            id="tip"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="10"
            markerHeight="10"
            markerUnits="userSpaceOnUse"
            orient="auto-start-reverse"
          >
            <path d="M0 0L8 4L0 8z" class="tip" />
          </marker>
        </defs>
        {layout.edges.map((edge) => (
          <path key={edge.key} d={edge.path} class={`arrow ${edge.look}`} marker-end="url(#tip)" />
        ))}
        {boxes.map((box) => {
          const place = layout.places.get(box.id);
          if (!place) return null;
          const inside = (
            <>
              <rect width={widthOf(box)} height={heightOf(box)} rx="8" />
              <text class="title">
                {linesOf(box.title).map((line, at) => (
                  <tspan key={at} x="12" y={24 + at * LINE_PX}>
                    {line}
                  </tspan>
                ))}
              </text>
              <text x="12" y={heightOf(box) - 14} class="about">
                {cut(box.about, ABOUT_CHARS)}
              </text>
              <title>{`${box.title} (${box.about})`}</title>
            </>
          );
          return (
            <g
              key={box.id}
              transform={`translate(${place.x} ${place.y})`}
              class={`box ${box.look}${box.id === current ? " is-current" : ""}`}
            >
              {box.to ? <a href={box.to}>{inside}</a> : inside}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

function lay(boxes: Box[], arrows: Arrow[], isDown: boolean) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: isDown ? "TB" : "LR",
    nodesep: 18,
    ranksep: 28,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Set(boxes.map((box) => box.id));
  for (const box of boxes) graph.setNode(box.id, { width: widthOf(box), height: heightOf(box) });
  const drawn = arrows.filter((arrow) => known.has(arrow.from) && known.has(arrow.to));
  drawn.forEach((arrow, place) => graph.setEdge(arrow.from, arrow.to, {}, String(place)));
  dagre.layout(graph);
  const places = new Map(
    boxes.map((box) => {
      const { x, y } = graph.node(box.id) as { x: number; y: number };
      return [box.id, { x: x - widthOf(box) / 2, y: y - heightOf(box) / 2 }];
    }),
  );
  const edges = drawn.map((arrow, place) => {
    const { points } = graph.edge(arrow.from, arrow.to, String(place)) as {
      points: { x: number; y: number }[];
    };
    return { key: `${arrow.from} ${arrow.to} ${place}`, look: arrow.look ?? "", path: through(points) };
  });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { places, edges, width: Math.max(width, WIDTH_MIN), height: Math.max(height, HEIGHT) };
}

/** Each decision beside, or below, the one it replaced. */
function inChains(boxes: Box[], arrows: Arrow[], isDown: boolean) {
  const sized = boxes.map((box) => ({ id: box.id, width: widthOf(box), height: heightOf(box) }));
  const laid = layChains(sized, arrows, isDown);
  const looks = new Map(arrows.map((one) => [`${one.from} ${one.to}`, one.look ?? ""]));
  const edges = laid.edges.map(({ from, to, points }) => {
    const key = `${from} ${to}`;
    return { key, look: looks.get(key) ?? "", path: through(points.map(inside)) };
  });
  const places = new Map([...laid.places].map(([id, place]) => [id, inside(place)]));
  return { places, edges, width: laid.width + 2 * EDGE, height: laid.height + 2 * EDGE };
}

/** So much room that no line at the edge is cut. */
const EDGE = 2;

function inside({ x, y }: { x: number; y: number }) {
  return { x: x + EDGE, y: y + EDGE };
}

function widthOf(box: Box): number {
  const longest = Math.max(...linesOf(box.title).map((line) => line.length));
  const chars = Math.max(longest, Math.min(box.about.length, ABOUT_CHARS) * 0.84);
  return Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, chars * CHAR_PX + 24));
}

const ABOUT_CHARS = 36;

function heightOf(box: Box): number {
  return HEIGHT + (linesOf(box.title).length - 1) * LINE_PX;
}

function through(points: { x: number; y: number }[]): string {
  return points.map(({ x, y }, place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}
