"""What starting costs: processor time until a client has its tools, beside others in one run.

A busy machine stretches the time on the wall, so what counts is what the process took of a
processor. `BEFORE=/path/to/src python -m bench start` measures an older checkout beside this one.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import hooks
from bench.table import Cell, print_table
from bench.taken import PYTHON, ROUNDS, processor_s, ran_ms

CLIENTS = Path(__file__).parents[1] / "tests" / "clients"
FILES = "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
ECHO = """
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
serveStdio(() => {
  const server = new McpServer({ name: "echo", version: "1" });
  server.registerTool("echo", { description: "Echo" }, async () => ({ content: [] }));
  return server;
});
"""

COMMANDS = (["--version"], ["--help"], ["projects"], ["records"], ["log"])

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
OPENINGS: dict[str, list[dict[str, Any]]] = {
    "initialize": [
        {"id": 1, "method": "initialize", "params": HANDSHAKE},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ],
    "discover": [
        {"id": 1, "method": "server/discover", "params": {"_meta": META}},
        {"id": 2, "method": "tools/list", "params": {"_meta": META}},
    ],
}
CALL = {"id": 3, "method": "tools/call", "params": {"name": "list_projects", "arguments": {}}}

Taken = tuple[float, float]
"""Milliseconds on a processor and on the wall."""


def servers() -> dict[str, tuple[list[str], dict[str, str]]]:
    """Name the servers there are to be measured, with what each needs in its environment."""
    found: dict[str, tuple[list[str], dict[str, str]]] = {"ours": (PYTHON, {})}
    if before := os.environ.get("BEFORE"):
        found["ours, before"] = (PYTHON, {"PYTHONPATH": before})
    found["Python SDK, one tool"] = ([sys.executable, "-m", "bench.stdio", "bare"], {})
    if (CLIENTS / "node_modules" / "@modelcontextprotocol" / "server").is_dir():
        echo = ["node", "--input-type=module", "-e", ECHO]
        found["TypeScript SDK, one tool"] = (echo, {})
    if (CLIENTS / FILES).is_file():
        found["TypeScript, filesystem server"] = (["node", FILES, "."], {})
    return found


def opened(command: list[str], extra: dict[str, str], messages: list[dict[str, Any]]) -> Taken:
    """Start a server and give what it took until the last of these messages was answered."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"HANSARD_STORE": f"{folder}/store"} | extra,
            cwd=CLIENTS if command[0] == "node" else None,
        )
        assert process.stdin, "its input is a pipe"
        assert process.stdout, "its output is a pipe"
        for message in messages:
            process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
            process.stdin.flush()
            if "id" in message:
                answer = json.loads(process.stdout.readline())
                assert "result" in answer, f"{command}: {answer}"
        took = processor_s(process.pid), time.perf_counter() - began
        process.stdin.close()
        process.wait()
        process.stdout.close()
    return took[0] * 1000, took[1] * 1000


def main() -> None:
    """Measure everything in turn and print the medians."""
    _print_servers()
    _print_commands()
    hooks.main()


def _print_servers() -> None:
    taken: dict[str, dict[str, list[Taken]]] = {}
    for _ in range(ROUNDS):
        bare = ran_ms([sys.executable, "-c", "pass"], {})
        taken.setdefault("bare interpreter", {}).setdefault("initialize", []).append((bare, 0))
        for name, (command, extra) in servers().items():
            rows = taken.setdefault(name, {})
            for opening, messages in OPENINGS.items():
                if opening == "discover" and not name.startswith("ours"):
                    continue
                rows.setdefault(opening, []).append(opened(command, extra, messages))
            if name.startswith("ours"):
                messages = [*OPENINGS["initialize"], CALL]
                rows.setdefault("call", []).append(opened(command, extra, messages))
    table: list[list[Cell]] = [
        [
            name,
            *(_median(rows.get(key), place) for key in OPENINGS for place in (0, 1)),
            *(_median(rows.get("call"), place) for place in (0, 1)),
        ]
        for name, rows in taken.items()
    ]
    head = ["", "initialize", "(wall)", "discover", "(wall)", "first call", "(wall)"]
    print_table("Spawn to tools/list, and to the first call's answer, ms of processor", head, table)


def _median(taken: list[Taken] | None, place: int) -> Cell:
    value = statistics.median(one[place] for one in taken) if taken else 0
    return round(value, 1) or None


def _print_commands() -> None:
    ours = {name: extra for name, (_, extra) in servers().items() if name.startswith("ours")}
    with tempfile.TemporaryDirectory() as folder:
        store = {"HANSARD_STORE": f"{folder}/store"}
        # A store to look into: the first client that asks for something makes it.
        opened(PYTHON, store, [*OPENINGS["initialize"], CALL])
        taken: dict[str, list[list[float]]] = {}
        for _ in range(ROUNDS):
            for arguments in COMMANDS:
                row = [ran_ms([*PYTHON, *arguments], store | extra) for extra in ours.values()]
                taken.setdefault(" ".join(["hansard", *arguments]), []).append(row)
    table: list[list[Cell]] = [
        [name, *(statistics.median(column) for column in zip(*rows, strict=True))]
        for name, rows in taken.items()
    ]
    print_table("A command, ms of processor", ["", *ours], table)


if __name__ == "__main__":
    main()
