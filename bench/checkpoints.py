"""What checkpoints cost in bytes and time, beside langgraph-checkpoint-sqlite in the same run.

`python -m bench.checkpoints`. Both savers are durable alike: each put is one sync of the disk.
"""

import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.sqlite import SqliteSaver

from hansard.langgraph import HansardSaver
from hansard.sdk import Hansard

STEPS = 300
STEP_BYTES = 1_000
STEPS_BYTES_MAX = 2_500_000
"""A whole one in twenty, so that no damaged file harms more: some 5 % of keeping each whole."""
CONTEXTS = 100
CONTEXT_BYTES = 100_000
LOADS = 100
WORDS = (
    "agent plan step tool result error file path module function value state data message call"
    " token user output input check test build run fix patch review commit branch merge line code"
    " list item key node edge graph the of and to in a is that for it as was with be by on not"
).split()


@dataclass(slots=True)
class Measured:
    """What one saver took."""

    puts_s: list[float] = field(default_factory=list)
    latest_s: list[float] = field(default_factory=list)
    random_s: list[float] = field(default_factory=list)
    size_bytes: int = 0
    first_bytes: int = 0
    """What the first alone took."""


def main() -> None:
    """Measure and print."""
    for grow in (words, noise):
        measured = steps(partial(grow, random.Random(1), STEP_BYTES))
        print(
            f"\n{STEPS} steps of a state that grows by {STEP_BYTES:,} bytes each: {grow.__name__}"
            f" (all on disk; at most {STEPS_BYTES_MAX:,} bytes)"
        )
        for name, one in measured.items():
            _print(name, one)
    print(f"\n{CONTEXTS} near-identical contexts of {CONTEXT_BYTES:,} bytes, by the library")
    near = contexts()
    _print("ours", near)
    most = int(1.1 * near.first_bytes + 200_000)
    print(f"  the first takes {near.first_bytes:,} bytes, so all may take {most:,}")


def steps(message: Callable[[], str]) -> dict[str, Measured]:
    """Put the same steps into both savers, turn by turn, and get them back."""
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = HansardSaver(Path(folder, "ours")), _sqlite_saver(Path(folder, "theirs.db"))
        savers: dict[str, BaseCheckpointSaver[Any]] = {"ours": ours, "sqlite": theirs}
        measured = {name: Measured() for name in savers}
        configs = {name: _config() for name in savers}
        saved: list[Checkpoint] = []
        for checkpoint in _checkpoints(message):
            for name, saver in savers.items():
                versions = {"messages": checkpoint["channel_versions"]["messages"]}
                began = time.perf_counter()
                configs[name] = saver.put(
                    configs[name], checkpoint, {"source": "loop", "step": len(saved)}, versions
                )
                measured[name].puts_s.append(time.perf_counter() - began)
            saved.append(checkpoint)
        _get(savers, measured, saved)
        ours.close()
        theirs.conn.close()
        measured["ours"].size_bytes = _size(Path(folder, "ours"))
        measured["sqlite"].size_bytes = _size(Path(folder, "theirs.db"))
    return measured


def contexts() -> Measured:
    """Save contexts that differ in a few places, and load them in any order."""
    measured, chance = Measured(), random.Random(3)
    context = {f"key {number}": words(chance, 1_000) for number in range(CONTEXT_BYTES // 1_000)}
    with tempfile.TemporaryDirectory() as folder, Hansard(folder) as hansard:
        saved: dict[str, dict[str, Any]] = {}
        for number in range(CONTEXTS):
            context = context | {f"key {chance.randrange(len(context))}": words(chance, 1_000)}
            context["step"] = str(number)
            began = time.perf_counter()
            done = hansard.checkpoints.save_checkpoint("bench", context)
            measured.puts_s.append(time.perf_counter() - began)
            saved[done.checkpointId] = context
            measured.size_bytes += done.sizeBytes
            measured.first_bytes = measured.first_bytes or done.sizeBytes
        for _ in range(LOADS):
            for times, identifier in (
                (measured.latest_s, list(saved)[-1]),
                (measured.random_s, chance.choice(list(saved))),
            ):
                began = time.perf_counter()
                loaded = hansard.checkpoints.load_checkpoint(identifier)
                times.append(time.perf_counter() - began)
                assert loaded.context == saved[identifier], "a context came back changed"
    return measured


def words(chance: random.Random, size: int) -> str:
    """Make text as agents write it."""
    return " ".join(chance.choices(WORDS, k=size))[:size]


def noise(chance: random.Random, size: int) -> str:
    """Make text that packs to half its size at best: digits and letters of a key or a hash."""
    return chance.randbytes(size // 2).hex()


def _checkpoints(message: Callable[[], str]) -> Iterator[Checkpoint]:
    messages: list[dict[str, str]] = []
    for number in range(1, STEPS + 1):
        messages = [*messages, {"role": "assistant", "id": str(number), "content": message()}]
        yield {
            "v": 4,
            "id": str(uuid6(clock_seq=number)),
            "ts": "2026-01-01T00:00:00.000000+00:00",
            "channel_values": {"messages": messages},
            "channel_versions": {"__start__": 2, "messages": number},
            "versions_seen": {"__input__": {}, "agent": {"messages": number - 1}},
            "updated_channels": ["messages"],
        }


def _get(
    savers: dict[str, BaseCheckpointSaver[Any]],
    measured: dict[str, Measured],
    saved: list[Checkpoint],
) -> None:
    chance = random.Random(4)
    by_id = {checkpoint["id"]: checkpoint for checkpoint in saved}
    for _ in range(LOADS):
        anyone = chance.choice(saved)["id"]
        for name, saver in savers.items():
            for times, identifier in (
                (measured[name].latest_s, None),
                (measured[name].random_s, anyone),
            ):
                began = time.perf_counter()
                found = saver.get_tuple(_config(identifier))
                times.append(time.perf_counter() - began)
                assert found, "a checkpoint is gone"
                assert found.checkpoint == by_id[found.checkpoint["id"]], "one came back changed"


def _config(identifier: str | None = None) -> RunnableConfig:
    named = {"thread_id": "bench", "checkpoint_ns": ""}
    return {"configurable": named if identifier is None else named | {"checkpoint_id": identifier}}


def _sqlite_saver(path: Path) -> SqliteSaver:
    saver = SqliteSaver(sqlite3.connect(path, check_same_thread=False))
    saver.setup()
    saver.conn.execute("PRAGMA synchronous = FULL")
    return saver


def _size(path: Path) -> int:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(one.stat().st_size for one in files if one.is_file())


def _print(name: str, one: Measured) -> None:
    put, latest, anyone = (
        statistics.median(times) * 1_000 for times in (one.puts_s, one.latest_s, one.random_s)
    )
    mean, worst = statistics.fmean(one.puts_s) * 1_000, max(one.random_s) * 1_000
    print(
        f"  {name:8} {one.size_bytes:>12,} bytes   put p50 {put:6.2f} mean {mean:6.2f} ms   "
        f"get latest p50 {latest:6.2f} ms   any {anyone:6.2f} ms, {anyone / latest:.1f} x, "
        f"worst {worst:.2f} ms"
    )


if __name__ == "__main__":
    main()
