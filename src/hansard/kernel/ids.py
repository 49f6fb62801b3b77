"""Short ids such as R007, unique in the store and counted within each project.

The catalog hands out blocks of numbers; a project takes from its own block in its own transaction.
Numbers may have gaps; none is ever given twice.
"""

from typing import ClassVar

from hansard.kernel.engine import ReadTx, Table, WriteTx
from hansard.kernel.event import Event, Stamp
from hansard.kernel.limits import ID_BLOCK_SIZE
from hansard.kernel.store import CATALOG, Store
from hansard.kernel.view import Derivation, View

VERSION = 1
BLOCKS = Table("id_blocks", version=VERSION)
"""In the catalog, by prefix: the first number no project has been granted."""
NUMBERS = Table("id_numbers", version=VERSION)
"""In a project, by prefix: the next number to give, and where its block ends."""

WITHHELD = Table("id_withheld", version=VERSION)
"""In a project that came from another store, by prefix: where a block begins whose numbers are
another project's here. No view derives it: the journal is the same in both stores."""

LENT_FIRST = 10**9 - ID_BLOCK_SIZE
"""Where provisional numbers begin: the last of nine digits, which no store reaches."""


class IdBlockReserved(Event):
    """The catalog set a block of numbers aside for a project."""

    kind: ClassVar[str] = "kernel.id_block_reserved.v1"

    prefix: str
    first: int
    size: int
    for_project: str


class IdBlockGranted(Event):
    """A project received a block of numbers."""

    kind: ClassVar[str] = "kernel.id_block_granted.v1"

    prefix: str
    first: int
    size: int


class BlockExhaustedError(Exception):
    """The project has no number left; the caller grants a block and repeats the write."""

    def __init__(self, prefix: str) -> None:
        """Say which prefix ran out."""
        super().__init__(prefix)
        self.prefix = prefix


def next_id(tx: ReadTx, prefix: str) -> str:
    """Give the id that the next event of this transaction may take."""
    row = tx.get(NUMBERS, prefix)
    if row is None or row["next"] >= row["until"] or _is_withheld(tx, prefix, row["until"]):
        raise BlockExhaustedError(prefix)
    return f"{prefix}{row['next']:03d}"


def withhold(tx: WriteTx, prefix: str, until: int) -> None:
    """Keep numbers from being taken from the block that ends here: it is another project's."""
    tx.put(WITHHELD, prefix, {"until": until}, seq=tx.head().seq)


def _is_withheld(tx: ReadTx, prefix: str, until: int) -> bool:
    row = tx.get(WITHHELD, prefix)
    return row is not None and row["until"] == until


def taken(derivation: Derivation, prefix: str, identifier: str) -> None:
    """Derive that an id has been given: called by the view of the event that carries it."""
    if not derivation.derives(NUMBERS):
        return
    row = derivation.get(NUMBERS, prefix)
    assert row is not None, f"{identifier} was taken from a block that was never granted"
    derivation.put(NUMBERS, prefix, row | {"next": int(identifier.removeprefix(prefix)) + 1})


def lend(store: Store, tx: WriteTx, prefix: str, stamp: Stamp) -> None:
    """Let a write that will be undone continue, with numbers that nothing has."""
    lent = IdBlockGranted(prefix=prefix, first=LENT_FIRST, size=ID_BLOCK_SIZE)
    store.record(tx, lent, stamp)


def grant(store: Store, project: str, prefix: str, stamp: Stamp) -> None:
    """Give a project a fresh block. A crash in between costs a gap, nothing else."""
    first = store.write(CATALOG, lambda tx: _reserve(store, tx, project, prefix, stamp))
    granted = IdBlockGranted(prefix=prefix, first=first, size=ID_BLOCK_SIZE)
    store.write(project, lambda tx: store.record(tx, granted, stamp))


def _reserve(store: Store, tx: WriteTx, project: str, prefix: str, stamp: Stamp) -> int:
    row = tx.get(BLOCKS, prefix)
    first: int = row["next"] if row else 1
    reserved = IdBlockReserved(prefix=prefix, first=first, size=ID_BLOCK_SIZE, for_project=project)
    store.record(tx, reserved, stamp)
    return first


def _block_reserved(event: IdBlockReserved, derivation: Derivation) -> None:
    derivation.put(BLOCKS, event.prefix, {"next": event.first + event.size})


def _block_granted(event: IdBlockGranted, derivation: Derivation) -> None:
    block = {"next": event.first, "until": event.first + event.size}
    derivation.put(NUMBERS, event.prefix, block)


EVENTS: tuple[type[Event], ...] = (IdBlockReserved, IdBlockGranted)
VIEW = View(
    "ids",
    VERSION,
    (BLOCKS, NUMBERS),
    on={IdBlockReserved: _block_reserved, IdBlockGranted: _block_granted},
    is_shared=True,
)
