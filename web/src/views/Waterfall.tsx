// A run as a waterfall: each time a node worked as a bar, with what went in and came out.

import { useState } from "preact/hooks";

import { lasting, type Span, type Spent } from "../spans";
import { shown } from "../words";
import "../styles/waterfall.css";

interface Drawn {
  spans: Span[];
  /** When the run began and how long it took. */
  startMs: number;
  spanMs: number;
}

export function Waterfall({ spans, startMs, spanMs }: Drawn) {
  const [open, setOpen] = useState<number | null>(null);
  if (!spans.length) return <p class="soft">No node has worked yet.</p>;
  const whole = Math.max(1, spanMs);
  return (
    <ol class="waterfall" aria-label="What worked when">
      {spans.map((span, place) => (
        <li key={place} class={`is-${span.status}`}>
          <button
            type="button"
            class="span"
            aria-expanded={open === place}
            onClick={() => setOpen(open === place ? null : place)}
          >
            <span class="name">{span.node}</span>
            <span class="track" aria-hidden="true">
              <span
                class="stretch"
                style={{
                  left: `${(100 * (span.startMs - startMs)) / whole}%`,
                  width: `${(100 * (span.endMs - span.startMs)) / whole}%`,
                }}
              />
            </span>
            <span class="took">
              {span.status === "failed" && <em>failed </em>}
              {span.status === "running" && <em>running </em>}
              {lasting(span.endMs - span.startMs)}
            </span>
            <span class="spent">{said(span.spent)}</span>
          </button>
          {open === place && <Inside span={span} />}
        </li>
      ))}
    </ol>
  );
}

/** Tokens and cost in words; empty where nothing was recorded. */
export function said({ tokens, cost }: Spent): string {
  return [
    tokens === undefined ? "" : `${tokens.toLocaleString("en-GB")} tokens`,
    cost === undefined ? "" : `cost ${cost.toLocaleString("en-GB", { maximumFractionDigits: 4 })}`,
  ]
    .filter((one) => one)
    .join(", ");
}

function Inside({ span }: { span: Span }) {
  const parts = [
    ["Input", span.input],
    ["Output", span.output],
    ["Error", span.error],
  ].filter(([, value]) => value !== undefined) as [string, unknown][];
  if (!parts.length) return <p class="soft inside">Nothing was recorded of what went in or came out.</p>;
  return (
    <dl class="inside">
      {parts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <pre tabIndex={0} aria-label={`${name} of ${span.node}`}>
              {shown(value)}
            </pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}
