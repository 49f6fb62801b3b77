"""Changes by others to a file, so that nobody's work is removed without saying so."""

from collections.abc import Callable, Collection, Iterator, Sequence

from hansard.kernel import paging
from hansard.kernel.engine import Range, ReadTx, Row, Where
from hansard.kernel.event import Entry
from hansard.recorder.events import WorkspaceSeen
from hansard.recorder.going_back.answers import OUTSIDE, Others
from hansard.recorder.history.lineage import Stretch
from hansard.recorder.history.standing import taken_back_by
from hansard.recorder.results import FROM_OUTSIDE, entry_at
from hansard.recorder.tables import REVISIONS

SAID = frozenset({"executed", "reported"})
"""A short description of what somebody did here."""

IsOwn = Callable[[Row, Entry], bool]


def others_since(tx: ReadTx, stretches: Sequence[Stretch], seq: int, is_own: IsOwn) -> list[Others]:
    """Gather the authors and sessions of changes after an entry that still stand."""
    told: dict[tuple[str, str | None], Others] = {}
    for file, until in reversed(stretches):
        for row in _revisions(tx, file, seq, until):
            entry = entry_at(tx, row["seq"])
            is_copied = entry.kind == WorkspaceSeen.kind
            if is_copied or is_own(row, entry) or taken_back_by(tx, file, row["seq"]):
                continue
            _tell(told, row, entry)
    return list(told.values())


def _revisions(tx: ReadTx, file: str, seq: int, until: int) -> Iterator[Row]:
    """Go through what became of a file after an entry, until another."""
    where: Where = {"file": file, "seq": Range(at_least=seq + 1, below=until)}
    return (found.row for found in paging.rows(tx, REVISIONS, where, order="seq"))


def made_anew(
    tx: ReadTx, stretches: Sequence[Stretch], seq: int, own: Collection[int]
) -> int | None:
    """Name the change by which another file came to a path after the one of an entry had gone.

    What is moved back is the same file. So is, as far as one can tell, what comes and goes from
    outside: a branch that is left and come back to brings it again.
    """
    is_gone = False
    for file, until in reversed(stretches):
        for row in _revisions(tx, file, seq, until):
            if taken_back_by(tx, file, row["seq"]):
                continue
            is_new = row["action"] == "create" and row["source"] in SAID
            if is_gone and is_new and row["seq"] not in own:
                return int(row["seq"])
            is_gone = row["after"] is None
    return None


def unrecorded() -> Others:
    """Describe a change that was noticed just now."""
    return Others(by=OUTSIDE, count=1)


def author_of(row: Row, entry: Entry) -> str:
    """Say who made a revision; the entry only knows who noticed what came from outside."""
    if row["source"] in FROM_OUTSIDE:
        return OUTSIDE
    return str(entry.actor)


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
