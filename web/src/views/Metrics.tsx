// Metrics over time.

import { useMemo } from "preact/hooks";

import { useAsk } from "../asking";
import { Chart, type Series } from "../parts/Chart";
import { Await, Empty } from "../parts/Notice";
import { refine, route } from "../route";
import type { MetricAnswer, MetricGroup } from "../shapes";
import { clock, day } from "../words";

type Statistic = "mean" | "p50" | "p95" | "min" | "max" | "sum" | "count";

const STATISTICS: Record<Statistic, string> = {
  mean: "Mean",
  p50: "Median (p50)",
  p95: "95 of 100 (p95)",
  min: "Least",
  max: "Most",
  sum: "Sum",
  count: "Samples",
};

export function Metrics() {
  const asked = useAsk<MetricAnswer>("metric_query", {});
  const { name, bucket = "day", stat = "mean" } = route.value.query;
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
              <label>
                <span>Shown</span>
                <select value={stat} onChange={(event) => refine({ stat: event.currentTarget.value })}>
                  {Object.entries(STATISTICS).map(([one, said]) => (
                    <option key={one} value={one}>
                      {said}
                    </option>
                  ))}
                </select>
              </label>
            </div>
            <Metric
              key={`${current.name} ${bucket}`}
              name={current.name}
              bucket={bucket}
              stat={stat in STATISTICS ? (stat as Statistic) : "mean"}
              by={current.dimensions.slice(0, 1)}
            />
          </>
        );
      }}
    </Await>
  );
}

interface Wanted {
  name: string;
  bucket: string;
  by: string[];
  stat: Statistic;
}

function Metric({ name, bucket, by, stat }: Wanted) {
  const asked = useAsk<MetricAnswer>("metric_query", { name, bucket, by, limit: 1000 });
  return (
    <Await asked={asked}>
      {(found) => <Drawn name={name} groups={found.groups ?? []} by={by} bucket={bucket} stat={stat} />}
    </Await>
  );
}

function Drawn({ name, groups, by, bucket, stat }: Wanted & { groups: MetricGroup[] }) {
  const { times, series } = useMemo(() => lined(groups, by, name, stat), [groups, stat]);
  return (
    <section class="panel">
      <h2>
        {name}, {STATISTICS[stat].toLowerCase()} by {bucket}
      </h2>
      <Chart
        label={`${name} over time`}
        times={times}
        series={series}
        said={bucket === "day" ? day : clock}
      />
      <InAll name={name} by={by} />
    </section>
  );
}

/** Over all the time there is, a row for each line of the chart. */
function InAll({ name, by }: { name: string; by: string[] }) {
  const asked = useAsk<MetricAnswer>("metric_query", { name, by, limit: 1000 });
  const columns: Statistic[] = ["count", "mean", "p50", "p95", "max"];
  return (
    <Await asked={asked}>
      {(found) => (
        <table class="statistics">
          <caption class="for-ears">{name} over all the time there is</caption>
          <thead>
            <tr>
              <th scope="col">In all</th>
              {columns.map((one) => (
                <th key={one} scope="col">
                  {one === "count" ? "samples" : one}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(found.groups ?? []).map((group) => (
              <tr key={named(group, by, name)}>
                <th scope="row">{named(group, by, name)}</th>
                {columns.map((one) => (
                  <td key={one}>{number(group[one])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Await>
  );
}

export function number(value: number): string {
  return value.toLocaleString("en-GB", { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 1 });
}

/** What a line is called: the values of its dimensions. */
function named(group: MetricGroup, by: string[], name: string): string {
  return by.map((one) => group.dimensions?.[one] ?? "–").join(" ") || name;
}

/** Turn groups into one line for each value of the dimension. */
function lined(
  groups: MetricGroup[],
  by: string[],
  name: string,
  stat: Statistic,
): { times: number[]; series: Series[] } {
  const times = [...new Set(groups.map((one) => Date.parse(one.start ?? "") / 1000))].sort(
    (one, other) => one - other,
  );
  const places = new Map(times.map((time, place) => [time, place]));
  const lines = new Map<string, (number | null)[]>();
  for (const group of groups) {
    const of = named(group, by, name);
    const values = lines.get(of) ?? times.map(() => null);
    values[places.get(Date.parse(group.start ?? "") / 1000) ?? 0] = group[stat];
    lines.set(of, values);
  }
  return { times, series: [...lines].map(([of, values]) => ({ name: of, values })) };
}
