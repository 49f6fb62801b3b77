"""Facts about each hit: who is behind it, when, where, and what replaces it.

A search finds by words and meaning; this is read from the tables for what it is about to show, so
nothing here can be stale.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from hansard.app.search_sources import THINGS
from hansard.decisions.git.history import COMMITS
from hansard.decisions.tables import DECISIONS
from hansard.entities.tables import TEXTS
from hansard.kernel.clock import from_text, to_text
from hansard.kernel.engine import Range, ReadTx, Row, Table
from hansard.recorder.going_back.others_changes import author_of
from hansard.recorder.results import entry_at
from hansard.recorder.tables import FILES, REVISIONS, file_id
from hansard.records.views import RECORDS

COMMIT = "commit:"
FIRST_DAY = "0001-01-01"
"""Completes a partial date."""

_TIME = re.compile(
    r"(?P<said>\d{4}(-\d\d(-\d\d(?P<time>T\d\d(:\d\d(:\d\d(\.\d+)?)?)?)?)?)?)"
    r"(?(time)(Z|[+-]\d\d:(?P<minutes>\d\d))?)",
    re.ASCII,
)
PATH = "path:"

TABLES: Mapping[str, Table] = {
    "record": RECORDS,
    "decision": DECISIONS,
    "timeline": THINGS,
    "file": THINGS,
    "checkpoint": THINGS,
    "entity": TEXTS,
    "commit": COMMITS,
}
"""By kind, the table with its rows."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about one thing."""

    author: str | None = None
    at: str | None = None
    session: str | None = None
    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    instead: str | None = None
    """What replaces it."""


def facts(tx: ReadTx, kind: str, identifier: str) -> Facts:
    """Look up what is known about a thing; nothing, if it is gone by now."""
    row = tx.get(TABLES[kind], identifier.removeprefix(COMMIT))
    if row is None:
        return Facts()
    if kind == "record":
        return _of_record(row)
    if kind == "decision":
        return Facts(row["author"], row["at"], row["session"], instead=row.get("superseded_by"))
    if kind == "commit":
        return Facts(row["author"], row["at"], paths=tuple(row["paths"]))
    if kind == "file":
        return _of_file(tx, identifier.removeprefix(PATH), row)
    # The words of a checkpoint are its id and its tags.
    tags = tuple(row["labels"].split()[1:]) if kind == "checkpoint" else ()
    author, at = _entry(tx, row["seq"])
    return Facts(author, at, row["session"], tags=tags)


def _of_file(tx: ReadTx, path: str, met: Row) -> Facts:
    """Say who last changed a file, and when; one that never changed was only noticed."""
    latest: Row | None = None
    for workspace in _workspaces(tx):
        of = {"file": file_id(workspace, path)}
        for found in tx.scan(REVISIONS, of, order="seq", descending=True, limit=1):
            if latest is None or found.row["seq"] > latest["seq"]:
                latest = found.row
    entry = entry_at(tx, latest["seq"] if latest else met["seq"])
    author = author_of(latest, entry) if latest else str(entry.actor)
    return Facts(author, entry.at, entry.session, (path,))


def _workspaces(tx: ReadTx) -> Iterator[str]:
    """Name the workspaces with recorded files, however many files there are."""
    above = ""
    while found := tx.scan(FILES, {"workspace": Range(above)}, order="workspace", limit=1):
        workspace: str = found[0].row["workspace"]
        yield workspace
        above = f"{workspace}\1"


def _of_record(row: Row) -> Facts:
    metadata = row["metadata"] if isinstance(row["metadata"], dict) else {}
    return Facts(
        row["author"],
        row["modified"],
        row["session"],
        paths=_texts(metadata.get("path")) + _texts(metadata.get("paths")),
        tags=_texts(metadata.get("tags")) + _texts(metadata.get("tag")),
        instead=row["resolved_by"],
    )


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _entry(tx: ReadTx, seq: int) -> tuple[str | None, str | None]:
    """Say who made an entry, and when."""
    for entry in tx.entries(after=seq - 1, limit=1):
        return str(entry.actor), entry.at
    return None, None


def is_by(known: Facts, author: str) -> bool:
    """Whether somebody is behind a thing, named as answers show them, or by either part of that."""
    return bool(known.author) and author.casefold() in {
        part.casefold() for part in (known.author or "", *(known.author or "").split(":", 1))
    }


def is_at(known: Facts, path: str) -> bool:
    """Whether a thing is a file, or about one: by its path, its folder's, or a pattern."""
    wanted = path.rstrip("/")
    return any(
        one == wanted or one.startswith(f"{wanted}/") or fnmatchcase(one, path)
        for one in known.paths
    )


def in_utc(text: str) -> str:
    """Give a time, or the beginning of one, as the beginning of how times are kept."""
    told = _TIME.fullmatch(text)
    try:
        kept = to_text(from_text(text + FIRST_DAY[len(text) :])) if told else None
    except ValueError:
        kept = None
    if told is None or kept is None:
        raise ValueError("not an ISO time, such as 2026-01-31T12:00:00Z, nor its beginning")
    # With an offset that is not in whole hours, an hour is not one hour of UTC.
    least = len("2026-05-07T12:00") if int(told["minutes"] or 0) else 0
    return kept[: max(len(told["said"]), least)].removesuffix("Z")


def is_within(known: Facts, since: str | None, until: str | None) -> bool:
    """Whether a thing is from a time; a day means all of it."""
    if not since and not until:
        return True
    at = known.at or ""
    return (
        bool(at)
        and (not since or at[: len(since)] >= since)
        and (not until or at[: len(until)] <= until)
    )
