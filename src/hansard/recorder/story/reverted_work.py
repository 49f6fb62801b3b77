"""Marks work that was taken back in its beats, chapters and sessions."""

from collections import Counter
from collections.abc import Mapping

from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.view import Derivation
from hansard.recorder.history.standing import row_of, taken_back_by
from hansard.recorder.story.chapters import count, counted, put_row, row_at
from hansard.recorder.tables import REVISIONS, chapter_of, story_place

Place = tuple[str, int]
"""A session, and the place of a beat in its story."""


def undone_by(tx: ReadTx, file: str, seq: int) -> int | None:
    """Name the restore or undo that took a change to a file back; `None` if it stands."""
    by = taken_back_by(tx, file, seq)
    if by is None:
        return None
    for found in tx.scan(REVISIONS, {"file": file, "seq": by}, limit=1):
        return int(found.row.get("restore") or by)
    return by


def tell_taken_back(
    derivation: Derivation, file: str, turned: Mapping[int, int | None], by: int
) -> None:
    """Mark, where changes to a file are shown, that they no longer stand, or do again."""
    flips: Counter[Place] = Counter()
    for seq, taker in turned.items():
        row = row_of(derivation, file, seq)
        told = row.get("told") if row else None
        if told:
            flips[told[0], told[1]] += -1 if taker is None else 1
    for place, number in flips.items():
        _mark(derivation, place, number, by)


def _mark(derivation: Derivation, place: Place, more: int, by: int) -> None:
    """Say in a beat, and if it was work on a step there too, that some of it was taken back."""
    session, at = place
    beat = row_at(derivation, session, at)
    put_row(derivation, _marked(beat, more, by))
    if beat["type"] == "file":
        head = row_at(derivation, session, story_place(chapter_of(at)))
        put_row(derivation, _marked(head, more, by))
        count(derivation, session, {"undone": more})


def _marked(row: Row, more: int, by: int) -> Row:
    row = counted(row, {"undone": more})
    if not row["undone"]:
        return row | {"undone_by": None}
    return row | ({"undone_by": by} if more > 0 else {})
