// One entry of a timeline, opened in place: what changed, in full, and what it is about.

import type { ComponentChildren } from "preact";

import { type Asked, useAsk } from "../asking";
import { Who } from "../parts/Badge";
import { Diff } from "../parts/Diff";
import { Named } from "../parts/Named";
import { Loading } from "../parts/Notice";
import { Ref } from "../parts/Ref";
import type { BodyPage, DecisionInContext, Evolution, RecordCompared } from "../shapes";
import { moment, shown } from "../words";
import type { Row } from "./rows";
import "../styles/detail.css";

const [HIGH_PX, LOW_PX] = [320, 190];

/** How high an entry's detail is: a difference needs more room than words do. */
export function detailPx(row: Row | undefined): number {
  return row?.revision || /^record_updated|^conflict/.test(row?.kind ?? "") ? HIGH_PX : LOW_PX;
}

const BODY_CHARS = 4_000;

export function Detail({ row }: { row: Row }) {
  return (
    <div
      class="detail"
      role="region"
      aria-label={`Entry s:${row.seq}`}
      tabIndex={0}
      style={{ height: `${detailPx(row)}px` }}
    >
      <p class="soft">
        {moment(row.at)} <Who actor={row.actor} /> <Named text={entries(row)} />
        {row.cites?.map((one) => (
          <span key={one}>
            {" "}
            cites <Ref to={one} />
          </span>
        ))}
      </p>
      <What row={row} />
    </div>
  );
}

function entries(row: Row): string {
  return row.first_seq ? `Entries s:${row.first_seq} to s:${row.seq}` : `Entry s:${row.seq}`;
}

function What({ row }: { row: Row }) {
  if (row.path && row.kind !== "file_refused") return <FileChanged row={row} path={row.to ?? row.path} />;
  const subject = row.subject ?? "";
  if (row.kind === "record_created") return <RecordBegun row={row} id={subject} />;
  if (/^R\d+$/.test(subject)) return <RecordChanged row={row} id={subject} />;
  if (/^[DP]\d+$/.test(subject)) return <Decided id={subject} row={row} />;
  return <Said row={row} />;
}

/** More about an entry; where it cannot be asked for, as inside some hosts, what the entry itself says. */
function Asking<T>({
  asked,
  row,
  children,
}: {
  asked: Asked<T>;
  row: Row;
  children: (value: T) => ComponentChildren;
}) {
  if (asked.value !== null) return <>{children(asked.value)}</>;
  if (!asked.problem) return <Loading />;
  return (
    <>
      <Said row={row} />
      <p class="soft" role="status">
        {asked.problem.message}.
      </p>
    </>
  );
}

function Said({ row }: { row: Row }) {
  return (
    <p class="said">
      <Named text={row.content ?? row.step ?? row.summary} />
    </p>
  );
}

/** The change of a file; of many in a row, from before the first to after the last. */
function FileChanged({ row, path }: { row: Row; path: string }) {
  const isOne = (row.count ?? 1) === 1;
  const before = useAsk<Evolution>(
    "get_evolution",
    isOne || !row.before ? null : { path, as_of: `s:${(row.first_seq ?? row.seq) - 1}`, limit: 1 },
    false,
  );
  const from = isOne ? (row.revision ?? 1) - 1 : row.before ? revisionBefore(before) : 0;
  const asked = useAsk<Evolution>(
    "get_evolution",
    row.revision && from !== undefined ? { path, from, to: row.revision } : null,
    false,
  );
  if (!row.revision) return <Said row={row} />;
  return (
    <Asking asked={asked} row={row}>
      {(found) =>
        found.diff ? (
          <Diff text={found.diff.replace(HEADS, "")} label={`Change of ${path}`} />
        ) : (
          <p class="soft">Its lines are as they were.</p>
        )
      }
    </Asking>
  );
}

const HEADS = /^(?:(?:---|\+\+\+) .*\n)+/;

/** The revision that a file was at; nothing while that is not known. */
function revisionBefore(asked: Asked<Evolution>): number | undefined {
  if (asked.problem) return 0;
  return asked.value ? (asked.value.revisions?.[0]?.revision ?? 0) : undefined;
}

function RecordBegun({ row, id }: { row: Row; id: string }) {
  const asked = useAsk<BodyPage>("get_record_body", { id, as_of: `s:${row.seq}`, limit: BODY_CHARS }, false);
  return (
    <>
      <Said row={row} />
      <Asking asked={asked} row={row}>
        {(found) => <p class="said soft">{found.text}</p>}
      </Asking>
    </>
  );
}

const FIELDS: Record<string, string> = { parent_id: "parent", resolved_by: "resolved by" };

function RecordChanged({ row, id }: { row: Row; id: string }) {
  const asked = useAsk<RecordCompared>(
    "get_record_diff",
    { id, from: `s:${row.seq - 1}`, to: `s:${row.seq}` },
    false,
  );
  return (
    <Asking asked={asked} row={row}>
      {(found) => {
        const { body, ...fields } = found.diff;
        const changed = Object.entries(fields as Record<string, { old: unknown; new: unknown }>);
        if (!changed.length && !body) return <Said row={row} />;
        return (
          <>
            <dl class="fields">
              {changed.map(([name, value]) => (
                <div key={name}>
                  <dt>{FIELDS[name] ?? name}</dt>
                  <dd>
                    <del>{shown(value.old ?? "none")}</del> <ins>{shown(value.new ?? "none")}</ins>
                  </dd>
                </div>
              ))}
            </dl>
            {body && <Diff text={body.replace(HEADS, "")} label={`Change of ${id}`} />}
          </>
        );
      }}
    </Asking>
  );
}

function Decided({ id, row }: { id: string; row: Row }) {
  const asked = useAsk<DecisionInContext>("get_decision", { decision_id: id, as_of: `s:${row.seq}` }, false);
  return (
    <Asking asked={asked} row={row}>
      {({ decision }) => (
        <>
          <p>
            <Ref to={id} /> <strong>{decision.title}</strong>
          </p>
          <p class="said">
            <Named text={decision.rationale} />
          </p>
          {decision.consequences?.length ? (
            <ul>
              {decision.consequences.map((one) => (
                <li key={one}>
                  <Named text={one} />
                </li>
              ))}
            </ul>
          ) : null}
        </>
      )}
    </Asking>
  );
}
