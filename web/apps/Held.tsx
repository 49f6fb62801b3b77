// The answer of `get_evolution` as it is, for hosts in which a view may ask for nothing: files, revisions, and
// the content or the difference if that is what was asked for.

import { Badge, Lines, When, Who } from "../src/parts/Badge";
import { Diff } from "../src/parts/Diff";
import { Empty } from "../src/parts/Notice";
import { textOf } from "../src/parts/reading";
import { Screen } from "../src/parts/Screen";
import type { Evolution, FileEvolved, Revision } from "../src/shapes";
import { counted } from "../src/words";
import { held } from "./api";

export function Held() {
  const answer = held() as Evolution;
  const { path, files = [], revisions = [], total = revisions.length } = answer;
  if (!path && !files.length)
    return <Empty title="No file has been changed yet">The agent's answer names none.</Empty>;
  return (
    <section class="view held">
      <header class="head">
        <h1>{path ?? counted(answer.total ?? files.length, "file")}</h1>
      </header>
      {answer.diff && <Diff text={answer.diff} label={`Change of ${path}`} />}
      {answer.encoding && <Content path={path ?? ""} answer={answer} />}
      {path ? <Revisions of={revisions} /> : <Files of={files} />}
      <More shown={path ? revisions.length : files.length} total={total} unit={path ? "revision" : "file"} />
    </section>
  );
}

function Content({ path, answer }: { path: string; answer: Evolution }) {
  const revision = answer.revisions?.[0] ?? {};
  return <Screen path={path} revision={revision} content={textOf(answer)} before={null} pace={0} />;
}

function Revisions({ of }: { of: Revision[] }) {
  return (
    <ol class="revisions">
      {of.map((one) => (
        <li key={one.revision}>
          <strong>Revision {one.revision}</strong> <Badge of={one.action} />
          <Lines added={one.added} removed={one.removed} /> <Who actor={one.actor} /> <When at={one.at} />
        </li>
      ))}
    </ol>
  );
}

function Files({ of }: { of: FileEvolved[] }) {
  return (
    <ul class="revisions">
      {of.map((one) => (
        <li key={one.path}>
          <span class="path">{one.path}</span>{" "}
          <small>
            {counted(one.revisions, "revision")}
            {one.sha256 ? "" : ", deleted"}
          </small>
        </li>
      ))}
    </ul>
  );
}

/** Say what the answer left out: it was cut for the agent, and a view cannot ask for the next page. */
function More({ shown, total, unit }: { shown: number; total: number; unit: string }) {
  if (total <= shown) return null;
  return (
    <p class="soft">
      The answer holds {shown} of {counted(total, unit)}.
    </p>
  );
}
