"""A server over stdio loads what it uses of the SDK, and whoever asks for the rest has it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.processes import environment

LOADED = """
import sys
from hansard.mcp import lazy_sdk
lazy_sdk.load_only_what_is_used()
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
from hansard.mcp import lazy_sdk
lazy_sdk.load_only_what_is_used()
import mcp.server
assert mcp.ClientSession is before and mcp.server.MCPServer
"""


SERVED = """
import sys
from hansard.cli.program import run
code = run([])
sys.stderr.write(f"{code} {'mcp_types' in sys.modules}")
"""

HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"roots": {"listChanged": True}},
    "clientInfo": {"name": "test", "version": "1"},
}
CHAT: tuple[dict[str, Any], ...] = (
    {"id": 1, "method": "initialize", "params": HANDSHAKE},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
    {"id": 3, "method": "tools/call", "params": {"name": "list_projects", "arguments": {}}},
    {"id": 4, "method": "ping"},
)
RESOURCE: dict[str, Any] = {
    "id": 5,
    "method": "resources/read",
    "params": {"uri": "hansard://sessions"},
}


def run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def test_only_what_is_used_is_loaded_and_the_rest_is_there_for_whoever_asks() -> None:
    run(LOADED + ASKED)


def test_what_is_loaded_already_stays_as_it_is() -> None:
    run(TOO_LATE)


@pytest.mark.parametrize(("more", "is_loaded"), [((), False), ((RESOURCE,), True)])
def test_a_chat_of_calls_never_loads_the_sdk(
    tmp_path: Path, more: tuple[dict[str, Any], ...], is_loaded: bool
) -> None:
    said = [json.dumps({"jsonrpc": "2.0", **one}) for one in (*CHAT, *more)]

    ran = subprocess.run(
        [sys.executable, "-c", SERVED],
        input="\n".join(said),
        env=environment({"store": str(tmp_path / "store"), "embedder": "none"}),
        capture_output=True,
        text=True,
        check=True,
    )

    answers = {one["id"]: one for one in map(json.loads, ran.stdout.splitlines())}
    assert {one: "result" in answers[one] for one in answers} == dict.fromkeys(answers, True)
    assert len(answers) == len(said) - 1
    assert ran.stderr.split()[-2:] == ["0", str(is_loaded)]
