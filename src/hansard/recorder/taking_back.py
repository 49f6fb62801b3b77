"""Telling what a restore took back: in the beats, chapters and sessions whose work it was."""

from collections import Counter
from collections.abc import Sequence

from hansard.kernel.engine import Row
from hansard.kernel.view import Derivation
from hansard.recorder import limits
from hansard.recorder.chapters import count, counted, put_row, row_at
from hansard.recorder.rewinds import Rewind, Span, Standing, in_doubt
from hansard.recorder.tables import FILES, REVISIONS, chapter_of, revision_key, story_place

Place = tuple[str, int]
"""A session, and the place of a beat in its story."""


def rewinds_of(file: Row) -> list[Rewind]:
    """Read what went back in a file's history from its row."""
    return [
        Rewind(number, by, tuple((first, last) for first, last in spans))
        for number, by, spans in file.get("rewinds", ())
    ]


def take_back(derivation: Derivation, file: str, by: int, spans: Sequence[Span]) -> None:
    """Note that a file's latest revision took others back, and tell it where they are told."""
    row = derivation.get(FILES, file)
    assert row is not None, "a file without revisions went back"
    known, new = rewinds_of(row), Rewind(row["number"], by, tuple(spans))
    before, after = Standing(known), Standing([*known, new])
    flips: Counter[Place] = Counter()
    names: dict[Place, int | None] = {}
    for number in in_doubt(known, new):
        was, now = before.undone_by(number), after.undone_by(number)
        place = _told_at(derivation, file, number) if was != now else None
        if place:
            flips[place] += (now is not None) - (was is not None)
            names[place] = now
    for place, number in flips.items():
        _mark(derivation, place, number, names[place])
    kept = [*row.get("rewinds", ()), [new.number, by, [list(span) for span in spans]]]
    derivation.put(FILES, file, row | {"rewinds": kept[-limits.REWINDS_KEPT_MAX :]})


def _told_at(derivation: Derivation, file: str, number: int) -> Place | None:
    revision = derivation.get(REVISIONS, revision_key(file, number))
    told = revision.get("told") if revision else None
    return (told[0], told[1]) if told else None


def _mark(derivation: Derivation, place: Place, more: int, by: int | None) -> None:
    """Say in a beat, and if it was work on a step there too, that some of it was taken back."""
    session, at = place
    beat = row_at(derivation, session, at)
    put_row(derivation, _marked(beat, more, by))
    if beat["type"] == "file":
        head = row_at(derivation, session, story_place(chapter_of(at)))
        put_row(derivation, _marked(head, more, by))
        count(derivation, session, {"undone": more})


def _marked(row: Row, more: int, by: int | None) -> Row:
    row = counted(row, {"undone": more})
    return row | {"undone_by": (by or row["undone_by"]) if row["undone"] else None}
