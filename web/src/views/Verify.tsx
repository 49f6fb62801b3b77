// Whether the journal is sound, and how much there is of it.

import { useEffect, useState } from "preact/hooks";

import { post } from "../api";
import { useDoing } from "../asking";
import { Badge } from "../parts/Badge";
import { CopyId } from "../parts/Copy";
import { Loading, Wrong } from "../parts/Notice";
import type { Verified } from "../shapes";
import { bytes, counted } from "../words";

export default function Verify() {
  const [found, setFound] = useState<Verified | null>(null);
  const doing = useDoing();
  const check = (quick: boolean) =>
    doing.run(async () => setFound(await post<Verified>("verify", { quick })));
  useEffect(() => check(true), []);
  return (
    <section class="view verify">
      <header class="head">
        <h1>Verify</h1>
        <p class="soft">
          Every entry carries the hash of the one before it. What was changed, cut out or put in between does
          not add up.
        </p>
      </header>
      <p class="tools">
        <button type="button" disabled={doing.busy} onClick={() => check(true)}>
          Check quickly
        </button>
        <button type="button" class="main" disabled={doing.busy} onClick={() => check(false)}>
          Check everything
        </button>
        {doing.busy && <span role="status">Checking…</span>}
      </p>
      {doing.problem && <Wrong problem={doing.problem} />}
      {!found && !doing.problem && <Loading />}
      {found && <Report found={found} />}
    </section>
  );
}

function Report({ found }: { found: Verified }) {
  return (
    <>
      <p class={found.sound ? "verdict is-sound" : "verdict is-broken"} role="status">
        {found.sound ? "The journal is sound." : "Something is not as it should be."}{" "}
        <small>
          {found.quick
            ? "Checked quickly: the chain of hashes, not what is derived from it."
            : "Everything was checked."}
        </small>
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Project</th>
            <th scope="col">Checked</th>
            <th scope="col">Newest entry</th>
            <th scope="col">Hash (a click copies it)</th>
          </tr>
        </thead>
        <tbody>
          {found.projects.map((one) => (
            <tr key={one.project}>
              <td>{one.project === "@catalog" ? "The list of projects" : one.project}</td>
              <td>
                {counted(one.entries, "entry", "entries")}, {counted(one.blobs, "content")}
              </td>
              <td>s:{one.seq}</td>
              <td>
                <CopyId of={one.hash} shown={`${one.hash.slice(0, 8)}…`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.bytes !== undefined && <p class="soft">The store takes {bytes(found.bytes)}.</p>}
      {found.findings.length > 0 && (
        <ul class="findings">
          {found.findings.map((one, place) => (
            <li key={place}>
              <Badge of={one.severity} /> {one.project === "@catalog" ? "The list of projects" : one.project},{" "}
              {one.check}: {one.message}
            </li>
          ))}
        </ul>
      )}
      {found.open_intents.length > 0 && (
        <>
          <h2>Under way</h2>
          <ul>
            {found.open_intents.map((one) => (
              <li key={`${one.project} ${one.seq}`}>
                s:{one.seq} of {one.project}: announced by {one.owner}, no outcome yet
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
