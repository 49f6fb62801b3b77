"""What a person sees who types `hansard` alone."""

import shutil
import sys
from pathlib import Path

WELCOME = """\
Hansard is the official record of what your agents thought, decided and did.
An agent talks to it over MCP; you connect your clients once, in your repository:

  {program} init            finds them, shows what it would write, and asks

or one by one:

  claude mcp add hansard -- {program}
  codex mcp add hansard -- {program}

or, for clients that read .mcp.json (Cursor: .cursor/mcp.json):

  {{"mcpServers": {{"hansard": {{"command": "{program}"}}}}}}

For clients that connect over HTTP, start it yourself:

  {program} serve

Then look at what they write:

  {program} log --follow    the journal, as it grows
  {program} verify          whether the store is sound
  {program} doctor          what is set up, and where
  {program} --help          everything else"""


def welcome() -> str:
    """Say how to begin, with a program that the reader can run as it stands."""
    return WELCOME.format(program=program())


def program() -> str:
    """Give the words that run this program: its name if it is on the path, else where it is."""
    here = Path(sys.executable).with_name("hansard")
    found = shutil.which("hansard")
    return "hansard" if found and here.exists() and here.samefile(found) else str(here)
