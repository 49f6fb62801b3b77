"""What our stdio server costs, beside a bare server of the same SDK measured in the same run."""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SPAWNS = 7
CALLS = 500
ROUNDS = 5
"""The two servers take turns this often, so that a busy machine is busy for both."""

BARE = [sys.executable, "-m", "bench.stdio", "bare"]
WITHOUT_CLI = """
import sys
from hansard.app.settings import load
from hansard.app.start import start
from hansard.mcp.stdio import serve
settings = load({})
sys.exit(serve(start(settings), settings))
"""


def ours() -> list[str]:
    """Give the command people use, or as long as that is not there, what it will do."""
    if importlib.util.find_spec("hansard.cli") and importlib.util.find_spec("hansard.cli.main"):
        return [str(Path(sys.executable).with_name("hansard"))]
    return [sys.executable, "-c", WITHOUT_CLI]


class Client:
    """Asks one thing at a time, in the handshake era."""

    def __init__(self, command: list[str], store: str) -> None:
        """Start a server."""
        environment = os.environ | {"HANSARD_STORE": store}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._id = 0

    @property
    def pid(self) -> int:
        """Name the server's process."""
        return self._process.pid

    def open(self) -> None:
        """Do the handshake."""
        info = {"name": "bench", "version": "1"}
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and wait for its result."""
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        assert self._process.stdout, "the server's output is a pipe"
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert answer["id"] == self._id, "answers come one by one"
        result: dict[str, Any] = answer["result"]
        return result

    def close(self, *, within_s: float = 10) -> None:
        """Leave, and wait for the server to do the same."""
        self._process.communicate(timeout=within_s)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin, "the server's input is a pipe"
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


def spawn_s(command: list[str], store: str) -> float:
    """Measure from the start of a process to its list of tools."""
    began = time.perf_counter()
    client = Client(command, store)
    client.open()
    client.ask("tools/list")
    took = time.perf_counter() - began
    client.close()
    return took


def call_times_s(client: Client) -> list[float]:
    """Measure single calls."""
    times = []
    for _ in range(CALLS // ROUNDS):
        began = time.perf_counter()
        client.ask("tools/call", name="list_projects", arguments={})
        times.append(time.perf_counter() - began)
    return times


def main() -> None:
    """Measure both and print how they compare."""
    with tempfile.TemporaryDirectory() as folder:
        commands = {"ours": ours(), "bare": BARE}
        spawns: dict[str, list[float]] = {"ours": [], "bare": []}
        calls: dict[str, list[float]] = {"ours": [], "bare": []}
        for _ in range(SPAWNS):
            for name, command in commands.items():
                spawns[name].append(spawn_s(command, folder))
        clients = {name: Client(command, folder) for name, command in commands.items()}
        for client in clients.values():
            client.open()
            call_times_s(client)
        for _ in range(ROUNDS):
            for name, client in clients.items():
                calls[name] += call_times_s(client)
        for client in clients.values():
            client.close()
    _print("spawn to tools/list", spawns)
    _print("list_projects, p50", calls)


def _print(what: str, times: dict[str, list[float]]) -> None:
    our_ms, bare_ms = (statistics.median(times[name]) * 1000 for name in ("ours", "bare"))
    print(f"stdio  {what:22} {our_ms:9.2f} ms   bare {bare_ms:9.2f} ms   x {our_ms / bare_ms:.2f}")


def bare_server() -> Any:
    """Make a server of one tool with the SDK alone, that answers what ours does when empty."""
    import mcp_types as types
    from mcp.server.lowlevel import Server

    tool = types.Tool(
        name="list_projects", description="List all projects.", input_schema={"type": "object"}
    )
    project = {"id": "default", "name": "default", "tick": 0, "open_sessions": 0, "open_records": 0}
    line = "1 projects\n[default] (tick 0, 0 open records, 0 open sessions) default"

    async def list_tools(_: Any, _page: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool])

    async def call_tool(_: Any, _params: Any) -> types.CallToolResult:
        return types.CallToolResult(
            content=[types.TextContent(text=line)],
            structured_content={"projects": [project], "total": 1},
        )

    return Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)


def serve_bare() -> None:
    """Serve it over stdio."""
    import anyio
    from mcp.server.stdio import stdio_server

    server = bare_server()

    async def serve() -> None:
        async with stdio_server() as (reads, writes):
            await server.run(reads, writes, server.create_initialization_options())

    anyio.run(serve)


if __name__ == "__main__":
    if sys.argv[1:] == ["bare"]:
        serve_bare()
    else:
        main()
