// What someone sees who has not been let in, or when nobody answers.

import { getIndex, type Problem } from "../api";
import { asProblem } from "../asking";
import { index, returned, shut } from "../state";

/** Go on where one was, if one is let in again; a page that shows another store begins anew. */
function tryAgain(problem: Problem): void {
  if (!index.value || problem.code === "STORE_CHANGED") {
    location.reload();
    return;
  }
  getIndex().then((found) => {
    index.value = found;
    shut.value = null;
    returned.value += 1;
  }, asProblem);
}

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
            once. Nothing is lost meanwhile: what was typed here is still here.
          </p>
        </>
      ) : (
        <p>{problem.hint}.</p>
      )}
      <button type="button" onClick={() => tryAgain(problem)}>
        Try again
      </button>
    </main>
  );
}
