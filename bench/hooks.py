"""What a hook costs its host: as a command, and as a tool of a server that runs already."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.table import Cell, print_table
from bench.taken import PYTHON, ROUNDS, processor_s, ran_ms

HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "claude-code", "version": "1"},
}

Rows = dict[str, list[list[float]]]
"""By event: what each round took."""


def main() -> None:
    """Measure everything in turn and print the medians."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        work.mkdir()
        subprocess.run(["git", "init", "-q", work], check=True)
        store = {"HANSARD_STORE": f"{folder}/store"}
        run, called = _run(work, store), _called(work, store)
    table: list[list[Cell]] = [
        [name, *_medians(run.get(name), 1), *_medians(called.get(name), 2)] for name in run
    ]
    head = ["", "command", "tool of a running server", "(wall)"]
    print_table("A hook, ms of processor", head, table)


def _medians(rows: list[list[float]] | None, width: int) -> list[Cell]:
    if rows is None:
        return [None] * width
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def _run(work: Path, store: dict[str, str]) -> Rows:
    """Tell events to the command, with no server to wake."""
    taken: Rows = {}
    for number in range(ROUNDS):
        bare = ran_ms([sys.executable, "-c", "pass"], {})
        taken.setdefault("bare interpreter", []).append([bare])
        for name, event in _events(work, f"c{number}").items():
            _change(work, f"{number} {name}")
            used = ran_ms([*PYTHON, "hook", "claude-code"], store, json.dumps(event))
            taken.setdefault(name, []).append([used])
    return taken


def _called(work: Path, store: dict[str, str]) -> Rows:
    """Tell the same to the tool of one server, as a hook that calls it would."""
    taken: Rows = {}
    env = os.environ | store | {"HANSARD_WORKSPACE": str(work)}
    with subprocess.Popen(
        PYTHON, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
    ) as process:
        _ask(process, "initialize", HANDSHAKE)
        _ask(process, "tools/call", {"name": "list_projects", "arguments": {}})
        for number in range(ROUNDS):
            for name, event in _events(work, f"t{number}").items():
                _change(work, f"{number} {name} told")
                used, began = processor_s(process.pid), time.perf_counter()
                _ask(process, "tools/call", {"name": "hook_event", "arguments": event})
                wall = time.perf_counter() - began
                used = processor_s(process.pid) - used
                taken.setdefault(name, []).append([used * 1000, wall * 1000])
        process.communicate()
    return taken


def _ask(process: subprocess.Popen[bytes], method: str, params: dict[str, Any]) -> None:
    assert process.stdin, "its input is a pipe"
    assert process.stdout, "its output is a pipe"
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    process.stdin.write(json.dumps(asked).encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert "result" in answer, answer
    if method == "initialize":
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        process.stdin.write(json.dumps(told).encode() + b"\n")


def _change(work: Path, text: str) -> None:
    (work / "a.txt").write_text(f"{text}\n")


def _events(work: Path, number: str) -> dict[str, dict[str, Any]]:
    """Give what a host tells of a prompt, an edit, and around a command."""
    base: dict[str, Any] = {"session_id": "bench", "cwd": str(work), "tool_use_id": number}
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(work / "a.txt")}}
    shell = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": f"s{number}"}
    told: dict[str, dict[str, Any]] = {
        "a prompt": {"hook_event_name": "UserPromptSubmit", "prompt": "Go on"},
        "an edit": {"hook_event_name": "PostToolUse", "tool_response": {"originalFile": "x\n"}},
        "before a command": {"hook_event_name": "PreToolUse"},
        "after a command": {"hook_event_name": "PostToolUse"},
    }
    tools: dict[str, dict[str, Any]] = {
        "an edit": edit,
        "before a command": shell,
        "after a command": shell,
    }
    return {name: base | tools.get(name, {}) | event for name, event in told.items()}
