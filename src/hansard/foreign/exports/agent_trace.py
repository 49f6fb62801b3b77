"""Agent Trace records (version 0.1.0): which lines of which file came from whom, a line each.

A record is made of each entry that changed a file. Its id follows from the entry's hash, so that
the same entry is the same record in every export.
"""

import uuid
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from hansard import __version__
from hansard.app.application import Application
from hansard.app.keeping.files import made_whole
from hansard.foreign.exports.writing import Export, write_lines
from hansard.kernel import paging
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Entry
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.operation import Caller
from hansard.kernel.origin import happened
from hansard.recorder.contents.changed_lines import unpacked
from hansard.recorder.events import ExternalChangeSeen, FileOpDone, FileOpIntended, FileReported

VERSION = "0.1.0"
NAMESPACE = uuid.UUID("6f1f7c0e-5d0b-5c59-9d3b-6c1b1f1e6a0b")
"""Of the ids: any constant would do, and this one stays."""

KINDS = {FileOpIntended.kind, FileReported.kind, ExternalChangeSeen.kind}
Change = FileOpIntended | FileReported | ExternalChangeSeen

_Changed = tuple[Entry, str | None, bool]
"""An entry, when what it tells of happened, and whether it was done."""


def write(application: Application, _caller: Caller, path: Path) -> dict[str, int]:
    """Write the records into a new file."""
    with made_whole(path) as incoming:
        return {"changes": write_lines(incoming, _lines(application))}


def _lines(application: Application) -> Iterator[bytes]:
    store, project = application.store, application.own_project()

    def read(after: int) -> list[_Changed]:
        return store.read(project, partial(_page, after=after))

    pages = paging.pages(read, lambda one: one[0].seq, 0)
    for entry, when, is_done in chain.from_iterable(pages):
        event = store.kinds.decode(entry)
        if isinstance(event, Change) and is_done and (ranges := _ranges(event)):
            yield orjson.dumps(_record(entry, event, ranges, when or entry.at))


def _page(tx: ReadTx, after: int) -> list[_Changed]:
    entries = tx.entries(after=after, limit=ENTRIES_PAGE, kinds=KINDS)
    return [(one, happened(tx, one.seq), _is_done(tx, one)) for one in entries]


def _is_done(tx: ReadTx, entry: Entry) -> bool:
    """Whether a change was made: of what Hansard did itself, its outcome says so."""
    if entry.kind != FileOpIntended.kind:
        return True
    for one in tx.entries(after=entry.seq, limit=ENTRIES_PAGE, kinds={FileOpDone.kind}):
        if orjson.loads(one.body or b"{}").get("intent") == entry.seq:
            return True
    return False


def _record(entry: Entry, event: Change, ranges: list[dict[str, Any]], at: str) -> dict[str, Any]:
    conversation: dict[str, Any] = {"contributor": _contributor(entry, event), "ranges": ranges}
    if entry.session:
        conversation["url"] = f"hansard://session/{entry.session}"
    return {
        "version": VERSION,
        "id": str(uuid.uuid5(NAMESPACE, entry.hash)),
        "timestamp": at,
        "tool": {"name": "hansard", "version": __version__},
        "files": [
            {"path": getattr(event, "to", None) or event.path, "conversations": [conversation]}
        ],
        "metadata": {
            "dev.hansard": {"seq": entry.seq, "hash": entry.hash, "actor": entry.actor.id}
        },
    }


def _contributor(entry: Entry, event: Change) -> dict[str, str]:
    if isinstance(event, ExternalChangeSeen):
        return {"type": "unknown"}
    return {"type": "human" if entry.actor.kind == "human" else "ai"}


def _ranges(event: Change) -> list[dict[str, Any]]:
    """Give the lines that a change wrote, counted from 1; none of one that only took some away."""
    if event.after is None:
        return []
    if event.regions is not None:
        sides = ((one.new_start + 1, one.new_end) for one in unpacked(event.regions))
        return [{"start_line": start, "end_line": end} for start, end in sides if end >= start]
    is_new = event.before is None and not getattr(event, "before_unknown", False)
    return [{"start_line": 1, "end_line": event.added}] if is_new and event.added else []


EXPORT = Export(
    "agent-trace", "Agent Trace 0.1.0: whose which lines are, a line of JSON each", write
)
