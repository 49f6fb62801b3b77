// Metrics over time.

import { useMemo } from "preact/hooks";

import { useAsk } from "../asking";
import { Chart, type Series } from "../parts/Chart";
import { Await, Empty } from "../parts/Notice";
import { refine, route } from "../route";
import type { MetricAnswer, MetricGroup } from "../shapes";
import { clock, counted, day } from "../words";

export function Metrics() {
  const asked = useAsk<MetricAnswer>("metric_query", {});
  const { name, bucket = "day" } = route.value.query;
  return (
    <Await asked={asked}>
      {(found) => {
        const metrics = found.metrics ?? [];
        const current = metrics.find((one) => one.name === name) ?? metrics[0];
        if (!current)
          return <Empty title="No metrics yet">Applications record them with metric_record.</Empty>;
        return (
          <>
            <div class="filters">
              <label>
                <span>Metric</span>
                <select
                  value={current.name}
                  onChange={(event) => refine({ name: event.currentTarget.value })}
                >
                  {metrics.map((one) => (
                    <option key={one.name} value={one.name}>
                      {one.name}
                    </option>
                  ))}
                </select>
              </label>
              <label>
                <span>By</span>
                <select value={bucket} onChange={(event) => refine({ bucket: event.currentTarget.value })}>
                  {["minute", "hour", "day"].map((one) => (
                    <option key={one}>{one}</option>
                  ))}
                </select>
              </label>
            </div>
            <Metric
              key={`${current.name} ${bucket}`}
              name={current.name}
              bucket={bucket}
              by={current.dimensions.slice(0, 1)}
            />
          </>
        );
      }}
    </Await>
  );
}

function Metric({ name, bucket, by }: { name: string; bucket: string; by: string[] }) {
  const asked = useAsk<MetricAnswer>("metric_query", { name, bucket, by, limit: 1000 });
  return (
    <Await asked={asked}>
      {(found) => <Drawn name={name} groups={found.groups ?? []} by={by} bucket={bucket} />}
    </Await>
  );
}

function Drawn({
  name,
  groups,
  by,
  bucket,
}: {
  name: string;
  groups: MetricGroup[];
  by: string[];
  bucket: string;
}) {
  const { times, series } = useMemo(() => lined(groups, by, name), [groups]);
  const last = groups.at(-1);
  return (
    <section class="panel">
      <h2>{name}, mean</h2>
      <Chart
        label={`${name} over time`}
        times={times}
        series={series}
        said={bucket === "day" ? day : clock}
      />
      {last && (
        <p class="soft">
          Latest, {last.start ? day(last.start) : ""}: mean {last.mean.toFixed(2)}, from {last.min} to{" "}
          {last.max}, {counted(last.count, "sample")}
        </p>
      )}
    </section>
  );
}

/** Turn groups into one line for each value of the dimension. */
function lined(groups: MetricGroup[], by: string[], name: string): { times: number[]; series: Series[] } {
  const times = [...new Set(groups.map((one) => Date.parse(one.start ?? "") / 1000))].sort(
    (one, other) => one - other,
  );
  const places = new Map(times.map((time, place) => [time, place]));
  const lines = new Map<string, (number | null)[]>();
  for (const group of groups) {
    const of = by.map((one) => group.dimensions[one] ?? "–").join(" ") || name;
    const values = lines.get(of) ?? times.map(() => null);
    values[places.get(Date.parse(group.start ?? "") / 1000) ?? 0] = group.mean;
    lines.set(of, values);
  }
  return { times, series: [...lines].map(([of, values]) => ({ name: of, values })) };
}
