"""LangGraph's SQLite checkpoints: what `langgraph-checkpoint-sqlite` keeps, as it is packed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from hansard.engines.sqlite.foreign_database import ForeignDatabase, Row, has_tables, looking_at
from hansard.foreign.items import ForeignFormat, GraphStep, GraphWrite, Item, Skipped

NAME = "langgraph"
TABLES = ("checkpoints", "writes")
CHECKPOINT = (
    "thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "type", "checkpoint",
    "metadata",
)  # fmt: skip
WRITE = (
    "thread_id",
    "checkpoint_ns",
    "checkpoint_id",
    "task_id",
    "idx",
    "channel",
    "type",
    "value",
)
ORDER = ("thread_id", "checkpoint_ns", "checkpoint_id")

Place = tuple[str, str, str]


def fits(path: Path) -> bool:
    """Whether this is a database with checkpoints of threads."""
    return path.is_file() and has_tables(path, *TABLES)


def read(path: Path) -> Iterator[Item]:
    """Read the checkpoints of all threads, oldest first, as their ids sort."""
    with looking_at(path) as database:
        writes = _Writes(database)
        for row in database.rows("checkpoints", CHECKPOINT, ORDER):
            yield _step(row, writes)


def _step(row: Row, writes: "_Writes") -> Item:
    place = _place(row)
    if place is None or not isinstance(row["checkpoint"], bytes):
        return Skipped("a checkpoint", "its ids are no text, or its content is none")
    thread, ns, identifier = place
    parent, kind = row["parent_checkpoint_id"], row["type"]
    return GraphStep(
        f"{thread}/{ns}/{identifier}",
        thread,
        ns,
        identifier,
        parent if isinstance(parent, str) else None,
        kind if isinstance(kind, str) else "msgpack",
        row["checkpoint"],
        _metadata(row["metadata"]),
        tuple(writes.of(place)),
    )


class _Writes:
    """The writes of each checkpoint, read beside the checkpoints, which come in the same order."""

    def __init__(self, database: ForeignDatabase) -> None:
        self._rows = database.rows("writes", WRITE, (*ORDER, "task_id", "idx"))
        self._next: Row | None = next(self._rows, None)

    def of(self, place: Place) -> Iterator[GraphWrite]:
        """Give those of a checkpoint; of one that is not there, they are passed over."""
        while (row := self._next) is not None:
            here = _place(row)
            if here is not None and here > place:
                return
            self._next = next(self._rows, None)
            if here == place and (write := _write(row)):
                yield write


def _write(row: Row) -> GraphWrite | None:
    task, index, channel = row["task_id"], row["idx"], row["channel"]
    kind, value = row["type"], row["value"]
    if not (isinstance(task, str) and isinstance(index, int) and isinstance(channel, str)):
        return None
    content = value if isinstance(value, bytes) else b""
    return GraphWrite(task, index, channel, kind if isinstance(kind, str) else "null", content)


def _place(row: Row) -> Place | None:
    thread, ns, identifier = (row[name] for name in ORDER)
    is_text = all(isinstance(one, str) for one in (thread, ns, identifier))
    return (thread, ns, identifier) if is_text else None


def _metadata(packed: object) -> dict[str, Any]:
    try:
        found = orjson.loads(packed) if isinstance(packed, bytes | str) else {}
    except orjson.JSONDecodeError:
        found = {}
    return found if isinstance(found, dict) else {}


FORMAT = ForeignFormat(
    NAME, "LangGraph's SQLite checkpoints", "the file that SqliteSaver was given", fits, read
)
