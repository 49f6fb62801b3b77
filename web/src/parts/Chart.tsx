// A chart over time, drawn by uPlot in the colours of the page.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { theme } from "../state";

export interface Series {
  name: string;
  values: (number | null)[];
}

const HEIGHT_PX = 260;
const COLOURS = ["--c-file", "--c-record", "--c-decision", "--c-checkpoint", "--c-note", "--c-plan"];

interface Drawn {
  label: string;
  /** Seconds since 1970. */
  times: number[];
  series: Series[];
  /** How a time is said under the chart. */
  said: (at: string) => string;
}

export function Chart({ label, times, series, said }: Drawn) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = element.current;
    if (!box) return;
    const ink = colour(box, "--soft");
    const line = colour(box, "--line");
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const plot = new uPlot(
      {
        width: box.clientWidth,
        height: HEIGHT_PX,
        series: [
          { value: (_, at) => (at === null ? "" : said(new Date(at * 1000).toISOString())) },
          ...series.map((one, place) => ({
            label: one.name,
            stroke: colour(box, COLOURS[place % COLOURS.length] as string),
            width: 2,
            spanGaps: true,
            value: (_: uPlot, value: number | null) =>
              value === null ? "–" : value.toLocaleString("en-GB", { maximumFractionDigits: 2 }),
          })),
        ],
        hooks: { setCursor: [(drawn) => drawn.cursor.idx ?? rest(drawn)] },
        axes: [
          { ...axis, values: (_, marks) => marks.map((mark) => said(new Date(mark * 1000).toISOString())) },
          { ...axis, size: 60 },
        ],
      },
      [times, ...series.map((one) => one.values)],
      box,
    );
    rest(plot);
    const resized = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT_PX }));
    resized.observe(box);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [times, series, theme.value]);
  return <div class="chart" ref={element} role="img" aria-label={label} />;
}

/** Where nobody points, let the legend say the newest of each line. */
function rest(plot: uPlot): void {
  const newest = plot.data.map((values) => {
    const place = Array.from(values).findLastIndex((value) => value !== null && value !== undefined);
    return place < 0 ? null : place;
  });
  plot.setLegend({ idxs: newest }, false);
}

/** Read a colour of the page as a canvas understands it. */
function colour(box: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  box.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
