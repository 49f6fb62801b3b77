// How each host is told of this server: what to run, or what to write where. Pure.

export interface Host {
  id: string;
  name: string;
  /** The file that the text goes into; none if it is a command. */
  file?: string;
  text: string;
}

/** The address of the server that agents connect to. */
export function mcpAddress(origin: string): string {
  return `${origin}/mcp`;
}

/** What to do for each host that can connect by address. */
export function hostsOf(address: string): Host[] {
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  const named = { hansard: { url: address } };
  return [
    { id: "claude-code", name: "Claude Code", text: `claude mcp add --transport http hansard ${address}` },
    {
      id: "codex",
      name: "Codex",
      file: "~/.codex/config.toml",
      text: `[mcp_servers.hansard]\nurl = "${address}"`,
    },
    { id: "cursor", name: "Cursor", file: ".cursor/mcp.json", text: json({ mcpServers: named }) },
    {
      id: "vscode",
      name: "VS Code",
      file: ".vscode/mcp.json",
      text: json({ servers: { hansard: { type: "http", url: address } } }),
    },
    { id: "gemini-cli", name: "Gemini CLI", text: `gemini mcp add --transport http hansard ${address}` },
    {
      id: "windsurf",
      name: "Windsurf",
      file: "~/.codeium/windsurf/mcp_config.json",
      text: json({ mcpServers: { hansard: { serverUrl: address } } }),
    },
    { id: "zed", name: "Zed", file: ".zed/settings.json", text: json({ context_servers: named }) },
  ];
}

/** What does all of it, with the project of the folder and hooks. */
export const INIT = "hansard init";
