// What someone sees who has not been let in, or when nobody answers.

import type { Problem } from "../api";

export function Door({ problem }: { problem: Problem }) {
  const isUnknown = problem.status === 401;
  return (
    <main class="door">
      <h1>{isUnknown ? "This browser has not been let in" : problem.message}</h1>
      {isUnknown ? (
        <>
          <p>The page is for the person at this machine. In a terminal, run</p>
          <pre>hansard open</pre>
          <p>
            or open the address that <code>hansard serve</code> printed when it started. An address works
            once.
          </p>
        </>
      ) : (
        <p>{problem.hint}</p>
      )}
      <button type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </main>
  );
}
