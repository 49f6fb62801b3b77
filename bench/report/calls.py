"""Calls over stdio: starting, looking, writing, what a server takes of memory."""

import os
import statistics
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from bench import start
from bench.report.figures import Figure, Section, Subject, in_turn, size_of
from bench.stdio import BARE, Client, ours
from bench.taken import processor_s

LOOKS, WRITES = 200, 60
STARTS = 3
KEPT = 300
EMBEDDER_S = 5.0
"""Until then the embedder is loaded, which the first text has it do."""
BLOCK = b"x" * 4096

LIST: dict[str, Any] = {"name": "list_projects", "arguments": {}}
_numbers = count(1)


def starting() -> Section:
    """Measure from the start of a process to its list of tools."""
    section = Section(
        "start",
        "Starting a server",
        "From the start of the process to the answer to `tools/list`.",
    )
    taken: dict[str, list[start.Taken]] = {}
    for _ in range(STARTS):
        for who, (command, extra) in start.servers().items():
            if who != "ours, before":
                taken.setdefault(who, []).append(
                    start.opened(command, extra, start.OPENINGS["initialize"])
                )
    for who, times in taken.items():
        cpu_ms, wall_ms = (statistics.median(column) for column in zip(*times, strict=True))
        section.figures.append(Figure("to tools/list", _who(who), wall_ms, cpu_ms))
    return section


def calling() -> Section:
    """Measure a look and a durable write, beside a bare server and one sync of the disk."""
    section = Section(
        "calls",
        "A call over stdio",
        "`bare SDK` is a low-level server of the same SDK that answers with the same text and does "
        "nothing; `fsync` is 4 KB appended to a file and synced, on the same disk.",
    )
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        clients = {"Hansard": Client(ours(), f"{folder}/store"), "bare SDK": Client(BARE, "")}
        for client in clients.values():
            stack.callback(client.close)
            client.open()
        looks = {
            who: _asking(one, partial(one.ask, "tools/call", **LIST))
            for who, one in clients.items()
        }
        for one in looks.values():
            for _ in range(50):
                one.call()
        section.figures += in_turn("look (list_projects)", looks, calls=LOOKS)
        our = clients["Hansard"]
        _create(our)
        time.sleep(EMBEDDER_S)
        with (Path(folder) / "floor").open("wb", buffering=0) as floor:
            writes = {
                "Hansard": _asking(our, partial(_create, our)),
                "fsync": Subject(partial(_sync, floor.fileno())),
            }
            section.figures += in_turn("durable write (create_record)", writes, calls=WRITES)
        for _ in range(KEPT):
            _create(our)
        stack.close()
        size = size_of(Path(folder) / "store") // (KEPT + 3 * WRITES)
        section.figures.append(Figure("kept of a record", "Hansard", size_bytes=size))
    return section


def memory() -> Section:
    """Measure what servers hold: all resident memory, and what of it is theirs alone."""
    section = Section(
        "memory",
        "Memory of a stdio server",
        "Resident memory, in bytes; `private` leaves out code that processes share. Some seconds "
        "after the handshake, and after 200 records were written and read.",
    )
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        clients = {"Hansard": Client(ours(), f"{folder}/store"), "bare SDK": Client(BARE, "")}
        for client in clients.values():
            stack.callback(client.close)
            client.open()
            client.ask("tools/list")
        time.sleep(8)
        for who, client in clients.items():
            section.figures += _held("at rest", who, client.pid)
        our = clients["Hansard"]
        for _ in range(200):
            record = _create(our)["structuredContent"]["record"]["id"]
            our.ask("tools/call", name="activate", arguments={"id": record})
        section.figures += _held("records in use", "Hansard", our.pid)
    return section


def _held(what: str, who: str, pid: int) -> list[Figure]:
    kinds = {"VmRSS": what, "RssAnon": f"{what}, private"}
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    found = {line.partition(":")[0]: line.split()[1] for line in lines if "kB" in line}
    return [Figure(name, who, size_bytes=int(found[kind]) * 1024) for kind, name in kinds.items()]


def _asking(client: Client, call: Any) -> Subject:
    return Subject(call, partial(processor_s, client.pid), client.pid)


def _create(client: Client) -> dict[str, Any]:
    arguments = {
        "type": "task",
        "title": f"Retry the upload {next(_numbers)}",
        "summary": "It fails at night.",
        "body": "Since May. " * 20,
    }
    answer = client.ask("tools/call", name="create_record", arguments=arguments)
    assert not answer.get("isError"), answer
    return answer


def _sync(descriptor: int) -> None:
    os.write(descriptor, BLOCK)
    os.fsync(descriptor)


def _who(name: str) -> str:
    return {"ours": "Hansard", "Python SDK, one tool": "bare SDK"}.get(name, name)
