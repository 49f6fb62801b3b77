"""What a person sees who types `hansard` and nothing else."""

WELCOME = """\
Hansard is the official record of what your agents thought, decided and did.
An agent talks to it over MCP; you connect your client once:

  claude mcp add hansard -- hansard

or, for clients that read .mcp.json:

  {"mcpServers": {"hansard": {"command": "hansard"}}}

For clients that connect over HTTP, start it yourself:

  hansard serve

Then look at what they write:

  hansard log --follow    the journal, as it grows
  hansard verify          whether the store is sound
  hansard doctor          what is set up, and where
  hansard --help          everything else"""
