"""Where imported content came from, recorded in the transaction that writes it.

Importing an item is an ordinary write, at the journal's time. An entry beside it names the item,
its source, and when it happened there. So no item is imported twice, even by several imports at
once, and its own time appears wherever it is shown.
"""

from dataclasses import dataclass
from typing import ClassVar

from hansard.kernel.engine import ReadTx, Row, Table
from hansard.kernel.event import Event
from hansard.kernel.problem import Problem
from hansard.kernel.view import Derivation, View

VERSION = 1
TAKEN = Table("taken_over", version=VERSION)
"""By item: what was made of it, and of which content."""

HAPPENED = Table("happened", version=VERSION)
"""By the place of an entry: when that happened, as its source says."""


class AlreadyTakenOver(Problem):
    """This item of another program is here already, unchanged."""

    code, http_status = "ALREADY_TAKEN_OVER", 409
    hint = "Nothing is to be done: the same item is taken over once"


@dataclass(frozen=True, slots=True)
class Origin:
    """An item of another program, as one write imports it."""

    source: str
    """The format it was read in."""
    item: str
    """What distinguishes it from all others, of this source and any other."""
    digest: str
    """The digest of what it held when it was read: an item that has grown is imported again."""
    at: str | None = None
    """When it happened, as its source says."""


class TakenOver(Event):
    """The entries before this one, of the same write, were first made in another program."""

    kind: ClassVar[str] = "kernel.taken_over.v1"

    source: str
    item: str
    digest: str
    at: str | None
    first: int
    """The seq of the first of these entries; the last is right before this one."""
    made: str | None
    """The id of what was made of it, if it has one."""

    def summary(self) -> str:
        """Name the item."""
        when = f", of {self.at[:19]}" if self.at else ""
        return f"Taken over from {self.source}: {self.item}{when}"


def taken(tx: ReadTx, item: str) -> Row | None:
    """Say what was made of an item, if it was imported."""
    return tx.get(TAKEN, item)


def happened(tx: ReadTx, seq: int) -> str | None:
    """Say when what an entry imported happened; `None` for what happened here."""
    row = tx.get(HAPPENED, _place(seq))
    return row["at"] if row else None


def require_not_taken(tx: ReadTx, origin: Origin) -> None:
    """Refuse an item that is here already, just as it is."""
    row = taken(tx, origin.item)
    if row is not None and row["digest"] == origin.digest:
        raise AlreadyTakenOver(f"{origin.item} was taken over before", id=row["made"])


def _taken_over(event: TakenOver, derivation: Derivation) -> None:
    derivation.put(TAKEN, event.item, {"digest": event.digest, "made": event.made})
    for seq in range(event.first, derivation.entry.seq) if event.at else ():
        derivation.put(HAPPENED, _place(seq), {"at": event.at})


def _place(seq: int) -> str:
    return f"{seq:012d}"


EVENTS: tuple[type[Event], ...] = (TakenOver,)
VIEW = View("origins", VERSION, (TAKEN, HAPPENED), on={TakenOver: _taken_over})
