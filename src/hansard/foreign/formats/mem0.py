"""Memories of mem0: what its `get_all` gives, written into a file; or its database of history."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hansard.engines.sqlite.foreign_database import has_tables, looking_at
from hansard.foreign.items import ForeignFormat, ForeignRecord, Item, Skipped
from hansard.foreign.reading import Row, beginning, inner, json_document, moment, rows, text
from hansard.foreign.wording import as_summary, as_title

NAME = "mem0"
WHOSE = ("user_id", "agent_id", "run_id", "app_id")
HISTORY = ("memory_id", "old_memory", "new_memory", "event", "created_at", "is_deleted", "actor_id")


def fits(path: Path) -> bool:
    """Whether this is an export, or the database of history."""
    if path.is_dir():
        return False
    start = beginning(path)
    is_export = start.lstrip()[:1] in {b"{", b"["} and b'"memory"' in start and b'"hash"' in start
    return is_export or _has_history(path)


def read(path: Path) -> Iterator[Item]:
    """Read the memories that hold; of those that were deleted, nothing."""
    if _has_history(path):
        yield from _from_history(path)
        return
    document: Any = json_document(path)
    found = inner({"x": document}, "x").get("results", document)
    for number, row in enumerate(rows(found), start=1):
        identifier, memory = text(row, "id"), text(row, "memory", "data", "text")
        if identifier is None or memory is None:
            yield Skipped(f"{path.name}: {number}", "a memory without an id or words")
        else:
            yield _record(identifier, memory, row, [])


def _has_history(path: Path) -> bool:
    if not has_tables(path, "history"):
        return False
    with looking_at(path) as database:
        return {"memory_id", "new_memory"} <= set(database.columns("history"))


def _from_history(path: Path) -> Iterator[Item]:
    """Make of each memory what it last was, with what it was before."""
    held: dict[str, tuple[Row, list[str]]] = {}
    with looking_at(path) as database:
        for row in database.rows("history", HISTORY, ("created_at", "memory_id")):
            identifier, memory = text(row, "memory_id"), text(row, "new_memory")
            if identifier is None:
                continue
            before = held.pop(identifier, (row, []))[1]
            if row["event"] == "DELETE" or row["is_deleted"]:
                continue
            if memory is not None:
                held[identifier] = (row, [*before, memory])
    for identifier, (row, versions) in held.items():
        yield _record(identifier, versions[-1], row, versions[:-1])


def _record(identifier: str, memory: str, row: Row, earlier: list[str]) -> ForeignRecord:
    whose = {name: found for name in WHOSE if (found := text(row, name))}
    body = memory
    if earlier:
        body += "\n\nBefore:\n" + "\n".join(f"- {one}" for one in earlier)
    return ForeignRecord(
        identifier,
        "memory",
        as_title(memory),
        as_summary(memory),
        body,
        metadata={**inner(row, "metadata"), **whose},
        at=moment(row.get("updated_at")) or moment(row.get("created_at")),
    )


FORMAT = ForeignFormat(
    NAME, "memories of mem0", "what get_all gives, or ~/.mem0/history.db", fits, read
)
