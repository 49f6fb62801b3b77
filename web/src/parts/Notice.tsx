// What is said when there is nothing, something went wrong, or it takes a moment.

import type { ComponentChildren } from "preact";

import type { Problem } from "../api";
import type { Asked } from "../asking";

export function Loading() {
  return (
    <p class="loading" role="status">
      One moment…
    </p>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
    </div>
  );
}

export function Wrong({ problem, again }: { problem: Problem; again?: () => void }) {
  return (
    <div class="wrong" role="alert">
      <strong>{problem.message}</strong>
      {problem.hint && <p>{problem.hint}.</p>}
      <p>
        <code>{problem.code}</code>
        {again && (
          <button type="button" class="quiet" onClick={again}>
            Try again
          </button>
        )}
      </p>
    </div>
  );
}

/** Show an answer once it is there. */
export function Await<T>({
  asked,
  children,
}: {
  asked: Asked<T>;
  children: (value: T) => ComponentChildren;
}) {
  if (asked.problem) return <Wrong problem={asked.problem} again={asked.again} />;
  if (asked.value === null) return <Loading />;
  return <>{children(asked.value)}</>;
}
