"""What somebody else did to a file, so that nobody's work is taken away unsaid."""

from collections.abc import Callable

from hansard.kernel.engine import Range, ReadTx, Row, Where
from hansard.kernel.event import Entry
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.recorder.restored import Others
from hansard.recorder.results import entry_at
from hansard.recorder.standing import taken_back_by
from hansard.recorder.tables import REVISIONS

OUTSIDE = "outside"
"""Who made a change that did not come through Hansard: nobody knows more."""

FROM_OUTSIDE = frozenset({"external", "found"})

IsOwn = Callable[[Row, Entry], bool]


def others_since(tx: ReadTx, file: str, seq: int, is_own: IsOwn) -> list[Others]:
    """Gather by whom and in which session the changes after an entry were that still stand."""
    told: dict[tuple[str, str | None], Others] = {}
    where: Where = {"file": file, "seq": Range(at_least=seq + 1)}
    while page := tx.scan(REVISIONS, where, order="seq", limit=ENTRIES_PAGE):
        for found in page:
            row, entry = found.row, entry_at(tx, found.row["seq"])
            if not is_own(row, entry) and taken_back_by(tx, file, row["seq"]) is None:
                _tell(told, row, entry)
        where = {"file": file, "seq": Range(at_least=page[-1].row["seq"] + 1)}
    return list(told.values())


def unrecorded() -> Others:
    """Tell of a change that was met just now."""
    return Others(by=OUTSIDE, count=1)


def author_of(row: Row, entry: Entry) -> str:
    """Say who made a revision; the entry only knows who noticed what came from outside."""
    if row["source"] in FROM_OUTSIDE:
        return OUTSIDE
    return f"{entry.actor.kind}:{entry.actor.id}"


def _tell(told: dict[tuple[str, str | None], Others], row: Row, entry: Entry) -> None:
    by = author_of(row, entry)
    session = None if by == OUTSIDE else entry.session
    place = f"s:{row['seq']}"
    before = told.get((by, session))
    told[by, session] = Others(
        by=by,
        session_id=session,
        count=before.count + 1 if before else 1,
        first=before.first if before else place,
        last=place,
        at=entry.at,
    )
