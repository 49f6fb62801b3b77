"""A server over stdio loads what it uses of the SDK, and whoever asks for the rest has it."""

import subprocess
import sys

LOADED = """
import sys
from hansard.mcp import lean
lean.load_only_what_is_used()
import hansard.mcp.stdio
assert "mcp.client" not in sys.modules, "the client was loaded"
assert "mcp.server.mcpserver" not in sys.modules, "the other server was loaded"
"""

ASKED = """
import mcp
from mcp import ClientSession, StdioServerParameters
from mcp.server import MCPServer, Server
from mcp.client.session import ClientSession as same
from mcp.server.lowlevel.server import Server as lowlevel
assert ClientSession is same and Server is lowlevel and mcp.ClientSession is same
assert not hasattr(mcp, "no_such_name")
assert mcp.__spec__.origin == mcp.__file__ and "mcp.client" in sys.modules
"""

TOO_LATE = """
import mcp
before = mcp.ClientSession
from hansard.mcp import lean
lean.load_only_what_is_used()
import mcp.server
assert mcp.ClientSession is before and mcp.server.MCPServer
"""


def run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def test_only_what_is_used_is_loaded_and_the_rest_is_there_for_whoever_asks() -> None:
    run(LOADED + ASKED)


def test_what_is_loaded_already_stays_as_it_is() -> None:
    run(TOO_LATE)
