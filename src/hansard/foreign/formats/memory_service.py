"""Memories of mcp-memory-service: its export, or its SQLite database."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from hansard.engines.sqlite.foreign_database import has_tables, looking_at
from hansard.foreign.items import ForeignFormat, ForeignRecord, Item, Skipped
from hansard.foreign.reading import Row, beginning, inner, json_document, moment, rows, text
from hansard.foreign.wording import as_summary, as_title

NAME = "mcp-memory-service"
COLUMNS = (
    "content_hash", "content", "tags", "memory_type", "metadata", "created_at", "updated_at",
    "deleted_at",
)  # fmt: skip


def fits(path: Path) -> bool:
    """Whether this is an export, or the database."""
    if path.is_dir():
        return False
    return b'"export_metadata"' in beginning(path) or _is_database(path)


def read(path: Path) -> Iterator[Item]:
    """Read the memories; those that were deleted are passed over."""
    if _is_database(path):
        with looking_at(path) as database:
            for row in database.rows("memories", COLUMNS, ("created_at",)):
                yield _record(path, row)
        return
    document: Any = json_document(path)
    for row in rows(document.get("memories") if isinstance(document, dict) else None):
        yield _record(path, row)


def _is_database(path: Path) -> bool:
    if not has_tables(path, "memories"):
        return False
    with looking_at(path) as database:
        return {"content_hash", "content"} <= set(database.columns("memories"))


def _record(path: Path, row: Row) -> Item:
    identifier, content = text(row, "content_hash"), text(row, "content")
    if identifier is None or content is None:
        return Skipped(path.name, "a memory without a hash or words")
    if row.get("deleted_at") is not None:
        return Skipped(identifier[:12], "it was deleted there")
    return ForeignRecord(
        identifier,
        text(row, "memory_type") or "memory",
        as_title(content),
        as_summary(content),
        content,
        metadata={**_metadata(row), "tags": _tags(row.get("tags"))},
        at=moment(row.get("updated_at")) or moment(row.get("created_at")),
    )


def _tags(told: object) -> list[str]:
    listed = told.split(",") if isinstance(told, str) else told
    tags = listed if isinstance(listed, list) else []
    return [one.strip() for one in tags if isinstance(one, str) and one.strip()]


def _metadata(row: Row) -> Row:
    told = row.get("metadata")
    if isinstance(told, str):
        try:
            told = orjson.loads(told)
        except orjson.JSONDecodeError:
            told = {}
    return inner({"x": told}, "x")


FORMAT = ForeignFormat(
    NAME,
    "memories of mcp-memory-service",
    "its JSON export, or sqlite_vec.db",
    fits,
    read,
)
