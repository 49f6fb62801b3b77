"""LangGraph's checkpointers: put, get and list, at equal durability."""

import random
import sqlite3
import statistics
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.sqlite import SqliteSaver

from bench.checkpoints import words
from bench.report.figures import Figure, Section, Subject, in_turn, size_of
from hansard.langgraph import HansardSaver

SIZES = {"1 KB": (1_000, 60), "100 KB": (100_000, 30), "5 MB": (5_000_000, 3)}
"""Of the state, and how often each thing is done in a round."""

LISTED = 20
FIRST_LISTS = 5


def checkpointing() -> Section:
    """Put states that differ in a few bytes, get the latest, list the last twenty."""
    section = Section(
        "langgraph",
        "LangGraph checkpointers",
        "`sqlite` is langgraph-checkpoint-sqlite with `synchronous = FULL`: both are on disk when "
        "`put` returns. `list, first` comes right after a put, each time; `get` and `list` are "
        "asked again while nobody writes. Ours uses what it has in memory for all of them.",
    )
    for size, (length, calls) in SIZES.items():
        section.figures += _at(size, length, calls)
    return section


def _at(size: str, length: int, calls: int) -> list[Figure]:
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        places = {"Hansard": Path(folder, "ours"), "sqlite": Path(folder, "theirs.db")}
        savers: dict[str, BaseCheckpointSaver[Any]] = {
            "Hansard": HansardSaver(places["Hansard"]),
            "sqlite": sqlite_saver(places["sqlite"]),
        }
        graphs = {
            who: Graph(saver, words(random.Random(2), length)) for who, saver in savers.items()
        }
        for graph in graphs.values():
            for _ in range(LISTED):
                graph.put()
        puts = {who: Subject(graph.put) for who, graph in graphs.items()}
        figures += in_turn(f"put {size}", puts, calls=calls)
        figures += [_first_list(f"list, first {size}", who, one) for who, one in graphs.items()]
        for name in ("get", "list"):
            subjects = {who: Subject(getattr(one, name)) for who, one in graphs.items()}
            figures += in_turn(f"{name} {size}", subjects, calls=calls)
        steps = {who: graph.steps for who, graph in graphs.items()}
        for saver in savers.values():
            if isinstance(saver, HansardSaver):
                saver.close()
            elif isinstance(saver, SqliteSaver):
                saver.conn.close()
        figures += [
            Figure(f"kept of a put {size}", who, size_bytes=size_of(place) // steps[who])
            for who, place in places.items()
        ]
    return figures


def _first_list(what: str, who: str, graph: "Graph") -> Figure:
    """Measure a list right after a put, which is not counted; the lists before may be known."""
    walls, cpus = [], []
    for _ in range(FIRST_LISTS):
        graph.put()
        before, began = time.process_time(), time.perf_counter()
        graph.list()
        walls.append(time.perf_counter() - began)
        cpus.append(time.process_time() - before)
    return Figure(what, who, statistics.median(walls) * 1000, statistics.median(cpus) * 1000)


def on_postgres(url: str, peer: str) -> list[Figure]:
    """Measure ours on the server that a peer was measured on, just after it."""
    figures: list[Figure] = []
    with HansardSaver(url) as saver:
        for size, length in (("1 KB", 1_000), ("100 KB", 100_000)):
            graph = Graph(saver, words(random.Random(2), length), thread=size)
            for name in ("put", "get"):
                subject = {"Hansard": Subject(getattr(graph, name))}
                figures += in_turn(f"{peer}: {name} {size}", subject, calls=60)
    return figures


class Graph:
    """A thread that goes on, step by step."""

    def __init__(self, saver: BaseCheckpointSaver[Any], text: str, *, thread: str = "t") -> None:
        """Begin with a state."""
        self._saver = saver
        self._text = text
        self._numbers = count(1)
        self._thread: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
        self._last = self._thread
        self.steps = 0

    def put(self) -> None:
        """Save the next step."""
        self.steps = number = next(self._numbers)
        versions: dict[str, str | int | float] = {"messages": number, "n": number}
        self._last = self._saver.put(
            self._last,
            {
                "v": 4,
                "ts": "2026-01-01T00:00:00+00:00",
                "id": str(uuid6()),
                "channel_values": {"messages": f"{self._text} {number}", "n": number},
                "channel_versions": dict(versions),
                "versions_seen": {"agent": {"messages": number - 1}},
                "updated_channels": ["messages", "n"],
            },
            {"source": "loop", "step": number},
            versions,
        )

    def get(self) -> None:
        """Read the latest."""
        found = self._saver.get_tuple(self._thread)
        assert found is not None, "a thread has lost its latest"

    def list(self) -> None:
        """Read the last few."""
        assert len(list(self._saver.list(self._thread, limit=LISTED))) == LISTED


def sqlite_saver(path: Path) -> SqliteSaver:
    """Open the other saver, as durable as ours."""
    saver = SqliteSaver(sqlite3.connect(path, check_same_thread=False))
    saver.setup()
    saver.conn.execute("PRAGMA synchronous = FULL")
    return saver
