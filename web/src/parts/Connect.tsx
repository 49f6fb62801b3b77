// How to connect an agent: one command for everything, or a snippet for each host.

import { useState } from "preact/hooks";

import { hostsOf, INIT, mcpAddress } from "../connecting";
import { Copy } from "./Copy";
import "../styles/connect.css";

export function Connect({ below = true }: { below?: boolean }) {
  const Heading = below ? "h3" : "h2";
  const address = mcpAddress(location.origin);
  const hosts = hostsOf(address);
  const [id, setId] = useState(hosts[0]?.id);
  const host = hosts.find((one) => one.id === id);
  return (
    <>
      <Heading>All hosts on this machine at once</Heading>
      <p>In the folder of your repository. It shows each change, and asks:</p>
      <Copy text={INIT} label="the command for all hosts" />
      <Heading>Or one of them, by address</Heading>
      <Copy text={address} label="the address" />
      <div class="chips" role="group" aria-label="Hosts">
        {hosts.map((one) => (
          <button
            key={one.id}
            type="button"
            class="chip"
            aria-pressed={one.id === id}
            onClick={() => setId(one.id)}
          >
            {one.name}
          </button>
        ))}
      </div>
      {host && (
        <>
          <p class="soft">
            {host.file ? (
              <>
                In <code>{host.file}</code>:
              </>
            ) : (
              "In a terminal:"
            )}
          </p>
          <Copy key={host.id} text={host.text} label={`what ${host.name} needs`} />
        </>
      )}
      <p class="soft">
        Where tokens are needed, <code>hansard token create</code> makes one; the host sends it as{" "}
        <code>Authorization: Bearer …</code>
      </p>
    </>
  );
}
