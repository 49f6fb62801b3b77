"""Which changes of a file still stand, and which an undo or a restore took back.

What took something back can be taken back itself, and then the first stands again. So each change
that goes back is followed to what it had taken back, as far as that leads.
"""

from collections.abc import Iterator

from hansard.kernel.effect import intent_key
from hansard.kernel.engine import Range, ReadTx, Row, Where
from hansard.kernel.view import Derivation
from hansard.recorder.tables import REVISIONS, UNDONE, revision_key

Turn = tuple[int, int | None]
"""The seq of a change, and that of what takes it back; `None` lets it stand again."""


def undone_key(file: str, seq: int) -> str:
    """Name a change to a file."""
    return f"{file}{intent_key(seq)}"


def taken_back_by(tx: ReadTx, file: str, seq: int) -> int | None:
    """Give the seq of what took a change to a file back; `None` if it stands."""
    row = tx.get(UNDONE, undone_key(file, seq))
    return row["by"] if row else None


def derive_standing(derivation: Derivation, file: str, number: int) -> dict[int, int | None]:
    """Note what a new revision of a file takes back.

    Returns the changes that no longer stand, with what took them back, and those that do again.
    """
    row = _revision(derivation, file, number)
    first: dict[int, bool] = {}
    turned: dict[int, int | None] = {}
    turns: list[Turn] = [(seq, row["seq"]) for seq in _takes_back(derivation, file, row)][::-1]
    while turns:
        seq, by = turns.pop()
        key = undone_key(file, seq)
        stood = derivation.get(UNDONE, key) is None
        if stood == (by is None):
            continue
        first.setdefault(seq, stood)
        turned[seq] = by
        if by is None:
            derivation.delete(UNDONE, key)
        else:
            derivation.put(UNDONE, key, {"by": by})
        turns += _followed(derivation, file, seq, stands=by is None)
    return {seq: by for seq, by in turned.items() if first[seq] != (by is None)}


def _followed(derivation: Derivation, file: str, seq: int, *, stands: bool) -> list[Turn]:
    """Give what changes its standing with a change: what it takes back goes back, or stands again.

    The last one comes first, as the caller takes them from the end: what was taken back from the
    latest on stands again from the earliest on.
    """
    row = row_of(derivation, file, seq)
    backwards = list(_takes_back(derivation, file, row)) if row else []
    if stands:
        return [(each, seq) for each in backwards[::-1]]
    return [(each, None) for each in backwards]


def _takes_back(derivation: Derivation, file: str, row: Row) -> Iterator[int]:
    """Give the seqs of what a revision takes back, the latest first."""
    yield from sorted(row.get("undoes", ()), reverse=True)
    if row.get("back_to") is not None:
        for number in range(row["number"] - 1, row["back_to"], -1):
            yield _revision(derivation, file, number)["seq"]


def row_of(derivation: Derivation, file: str, seq: int) -> Row | None:
    """Give the revision of a file that a change made."""
    where: Where = {"file": file, "seq": Range(at_least=seq, below=seq + 1)}
    found = derivation.scan(REVISIONS, where, limit=1)
    return found[0].row if found else None


def _revision(derivation: Derivation, file: str, number: int) -> Row:
    row = derivation.get(REVISIONS, revision_key(file, number))
    assert row is not None, f"revision {number} of {file} is missing"
    return row
