"""The lineage of a workspace's copy: earlier places, each up to when the copy left it.

A copy shares what was recorded where it comes from until then, and nothing that was done there
since: that is another copy's work.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hansard.kernel.engine import Range, ReadTx
from hansard.kernel.problem import StorageUnavailable
from hansard.recorder.gateway import Gateway
from hansard.recorder.history.changes import Made
from hansard.recorder.history.copies import last_copy
from hansard.recorder.history.standing import taken_back_by
from hansard.recorder.tables import COPIES, FILES, REVISIONS, file_id

Stretch = tuple[str, int]
"""A file where it was recorded, and the entry from which on that is no longer this copy's past."""

STILL = sys.maxsize
"""No entry ends it."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """A place, and the places it went on from, the latest first."""

    here: str
    past: Sequence[tuple[str, int]] = ()
    """Each with the entry with which the copy was met: what came before it is shared."""

    def shares(self, workspace: str, seq: int) -> bool:
        """Whether an entry of a place is also of this one."""
        return workspace == self.here or any(
            workspace == place and seq < until for place, until in self.past
        )

    def stretches(self, path: str) -> list[Stretch]:
        """Name a file in all places, this one first."""
        past = [(file_id(place, path), until) for place, until in self.past]
        return [(file_id(self.here, path), STILL), *past]

    def adopted(self, tx: ReadTx, made: Sequence[Made]) -> list[Made]:
        """Treat changes made where this copy comes from as made here."""
        return [self._adopted(tx, one) for one in made]

    def _adopted(self, tx: ReadTx, made: Made) -> Made:
        place = made.workspace
        if place == self.here or not self.shares(place, made.seq):
            return made
        takers = [taken_back_by(tx, file, made.seq) for file in made.files().values()]
        taken = next((by for by in takers if by is not None and self.shares(place, by)), None)
        return replace(made, workspace=self.here, made_in=place, taken_by=taken)


def lineage_of(gateway: Gateway, tx: ReadTx) -> Lineage:
    """Find what this place goes on from, or would with the first write in it."""
    here = gateway.identity
    return Lineage(here, list(_past(gateway, tx, here)))


def known_here(gateway: Gateway, tx: ReadTx, path: str) -> str | None:
    """Name the file whose record counts for a path, if the workspace's folder exists."""
    try:
        return recorded_as(tx, lineage_of(gateway, tx).stretches(path))
    except StorageUnavailable:
        return None


def place_known(gateway: Gateway, tx: ReadTx) -> str:
    """Name the place whose files are looked at: this one, or of a copy yet to be met its origin."""
    lineage = lineage_of(gateway, tx)
    return next((place for place, until in lineage.past if until == STILL), lineage.here)


def recorded_as(tx: ReadTx, stretches: Sequence[Stretch]) -> str:
    """Name the file whose latest record counts; of a copy yet to be met, what it comes from."""
    (here, _), *past = stretches
    if tx.get(FILES, here) is None:
        return next((file for file, until in past if until == STILL), here)
    return here


def is_known(tx: ReadTx, stretches: Sequence[Stretch]) -> bool:
    """Whether anything is recorded of a file that was this copy's."""
    return any(
        tx.scan(REVISIONS, {"file": file, "seq": Range(below=until)}, limit=1)
        for file, until in stretches
    )


def _past(gateway: Gateway, tx: ReadTx, here: str) -> Iterator[tuple[str, int]]:
    row = tx.get(COPIES, here)
    if row is None and (mark := gateway.mark()):
        row = {"parent": last_copy(tx, here, mark), "seq": STILL}
    until, seen = STILL, {here}
    while row and (parent := row["parent"]) and parent not in seen:
        until = min(until, row["seq"])
        yield parent, until
        seen.add(parent)
        row = tx.get(COPIES, parent)
