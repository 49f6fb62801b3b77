// What somebody sees who opened an address of programs, or one that there is not.

import { Connect } from "../parts/Connect";
import "../styles/connect.css";

export function Astray({ path }: { path: string }) {
  const isMcp = /^\/mcp\/?$/.test(path);
  return (
    <main class="door astray">
      <h1>{isMcp ? "This is the address for agents" : "There is nothing at this address"}</h1>
      <p>
        {isMcp ? (
          "Agents talk MCP here, which a browser does not. Give them the address as their host wants it."
        ) : (
          <>
            <code>{path}</code> is none of Hansard’s addresses. Perhaps a letter is missing.
          </>
        )}
      </p>
      <p>
        <a class="button" href="/">
          Go to the page
        </a>
      </p>
      {isMcp && <Connect below={false} />}
    </main>
  );
}
