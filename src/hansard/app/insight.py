"""Answers that span capabilities, each from a single read of the store.

`since` is what a resumed session must know: what the world did after its checkpoint. It reads
tables by their indexes and never walks the journal, so it costs as much after a hundred thousand
entries as after a hundred: per kind of change, one count over an index and some point reads for
each of the newest few that it shows.
"""

from collections.abc import Mapping
from itertools import islice
from typing import Any, Literal

from hansard.checkpoints.changes_since import (
    FileChangedSince,
    RecordChanged,
    Since,
    SupersededSince,
)
from hansard.decisions.reading import head, stated, still_cites
from hansard.decisions.tables import DECISIONS
from hansard.kernel.engine import Found, Range, ReadTx, Row, Scalar, Where
from hansard.recorder.tables import FILES, REVISIONS, SITTINGS, revision_key
from hansard.records.shapes import STATES
from hansard.records.views import RECORDS
from hansard.sessions.citations import citing

SHOWN_MAX = 20
"""How many of each kind of change are shown, the newest; the others are counted."""

DECISIONS_MAX = 1_000
"""How many of the newest decisions are checked for what they superseded."""

_FOUND = "found"
"""The recorder's word for meeting a file for the first time, which is no change."""


def since(tx: ReadTx, seq: int) -> Since:
    """Say what has changed in a project after an entry: clock, records, files, decisions."""
    [entry] = tx.entries(after=seq - 1, limit=1)
    records, records_total = _records(tx, seq)
    files, files_total = _files(tx, seq)
    decisions, decisions_total = _decisions(tx, seq)
    return Since(
        ticksPassed=tx.head().tick - entry.tick,
        recordsChanged=records,
        recordsTotal=records_total,
        filesChanged=files,
        filesTotal=files_total,
        decisionsSuperseded=decisions,
        decisionsTotal=decisions_total,
    )


def title_of(tx: ReadTx, session: str) -> str | None:
    """Say what a session is called, if somebody gave it a title."""
    sitting = tx.get(SITTINGS, session)
    return sitting["title"] if sitting else None


def blast_radius(tx: ReadTx, identifier: str) -> dict[str, list[str]]:
    """Name what cites something, by kind and the newest first: what a change of it may concern."""
    radius: dict[str, list[str]] = {}
    for row in citing(tx, identifier):
        if _still_cites(tx, row, identifier):
            radius.setdefault(row["kind"], []).append(row["by"])
    return radius


def _still_cites(tx: ReadTx, row: Row, identifier: str) -> bool:
    """Whether it still does: a record can drop a citation, and so can a draft."""
    if row["kind"] == "decisions":
        return still_cites(tx, row["by"], identifier)
    if row["kind"] != "records":
        return True
    record = tx.get(RECORDS, row["by"])
    return record is not None and identifier in record["cites"]


def _records(tx: ReadTx, seq: int) -> tuple[list[RecordChanged], int]:
    newest: list[Found] = []
    total = 0
    for state in STATES:
        later = {"state": state, "modified_seq": Range(at_least=seq + 1)}
        if count := sum(tx.tally(RECORDS, later).values()):
            total += count
            newest += tx.scan(
                RECORDS, later, order="modified_seq", descending=True, limit=SHOWN_MAX
            )
    newest.sort(key=lambda found: -found.row["modified_seq"])
    return [_record(tx, found.row, seq) for found in newest[:SHOWN_MAX]], total


def _record(tx: ReadTx, row: Row, seq: int) -> RecordChanged:
    before = tx.get(RECORDS, row["id"], as_of=seq)
    return RecordChanged(
        id=row["id"],
        title=row["title"],
        state=row["state"],
        how=_how(before, row),
        seq=row["modified_seq"],
        **_who(tx, row["modified_seq"]),
    )


def _how(before: Row | None, now: Row) -> Literal["created", "updated", "transitioned", "moved"]:
    if before is None:
        return "created"
    if before["state"] != now["state"]:
        return "transitioned"
    return "updated" if before["tick"] != now["tick"] else "moved"


def _files(tx: ReadTx, seq: int) -> tuple[list[FileChangedSince], int]:
    later = {"seq": Range(at_least=seq + 1)}
    counts = tx.tally(FILES, later, by="workspace")
    newest: list[Found] = []
    for workspace in counts:
        newest += tx.scan(
            FILES,
            {"workspace": workspace, **later},
            order="seq",
            descending=True,
            limit=SHOWN_MAX,
        )
    newest.sort(key=lambda found: -found.row["seq"])
    shown = [_file(tx, found) for found in newest[:SHOWN_MAX]]
    changed = [one for one in shown if one]
    return changed, sum(counts.values()) - (len(shown) - len(changed))


def _file(tx: ReadTx, found: Found) -> FileChangedSince | None:
    """Show a file by its latest revision; `None` if that only says how it was met."""
    revision = tx.get(REVISIONS, revision_key(found.key, found.row["number"]))
    assert revision is not None, f"{found.row['path']} has no latest revision"
    if revision["source"] == _FOUND:
        return None
    how = "external" if revision["source"] == "external" else revision["action"]
    shown = {"path": found.row["path"], "how": how, "seq": revision["seq"]}
    return FileChangedSince(**shown, **_who(tx, revision["seq"]))


def _decisions(tx: ReadTx, seq: int) -> tuple[list[SupersededSince], int]:
    """Name the decisions that held then and no longer do, each with the one that holds now."""
    known: Where = {"kind": "decision", "status": "superseded", "seq": Range(below=seq + 1)}
    total = _count(tx.tally(DECISIONS, known)) - _count(tx.tally(DECISIONS, known, as_of=seq))
    if not total:
        return [], 0
    made = tx.scan(
        DECISIONS,
        {"kind": "decision", "seq": Range(at_least=seq + 1)},
        order="seq",
        descending=True,
        limit=DECISIONS_MAX,
    )
    replaced = ((new.row, stated(tx, old)) for new in made for old in new.row["supersedes"])
    held = ((new, old) for new, old in replaced if old["seq"] <= seq)
    return [_superseded(tx, new, old) for new, old in islice(held, SHOWN_MAX)], total


def _superseded(tx: ReadTx, new: Row, old: Row) -> SupersededSince:
    named = {"id": old["id"], "title": old["title"], "supersededBy": head(tx, old)}
    return SupersededSince(**named, seq=new["seq"], **_who(tx, new["seq"]))


def _count(tally: Mapping[Scalar | None, int]) -> int:
    return sum(tally.values())


def _who(tx: ReadTx, seq: int) -> dict[str, Any]:
    """Say who made an entry, and in which session."""
    [entry] = tx.entries(after=seq - 1, limit=1)
    return {"by": str(entry.actor), "session": entry.session}
