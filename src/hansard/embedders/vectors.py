"""The table of vectors: a follower writes it, every process reads it.

Rows are numbered by changes, so that a reader asks only for what is new to it. All of a project's
rows are of one generation, which belongs to one embedder: another one begins another generation.
Nothing here is the truth; without it, the follower starts over.
"""

import base64
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from hansard.kernel.engine import Range, ReadTx, Row, Table, Where, WriteTx

if TYPE_CHECKING:
    from hansard.embedders.embedder import Vectors

VECTORS = Table("vectors", {"topic": "text", "change": "integer"}, (("topic", "change"),))
"""By topic and document: its vectors and the digest of the text they were made of."""

GENERATION = "@generation"
"""The row that says which embedder the others are of, and how many changes there have been."""

NOBODY = ""
"""Who made the vectors of a generation that has none, since all were erased."""

ROWS_PAGE = 1_000

Packed = str
"""Vectors as numbers of 16 bits, in base64; as near as makes no difference to a search."""


@dataclass(frozen=True, slots=True)
class Generation:
    """What all vectors of a project have in common."""

    id: str
    embedder: str
    changes: int


@dataclass(frozen=True, slots=True)
class VectorChange:
    """What a document's vectors are now; `None` if it has none any more."""

    topic: str
    key: str
    text: str | None
    """The digest of the text; `None` if there is none."""
    vectors: Packed | None
    dimensions: int
    change: int = 0
    """Its number; given when it is saved."""


def generation(tx: ReadTx) -> Generation | None:
    """Read which vectors there are; `None` where there are none yet."""
    row = tx.get(VECTORS, GENERATION)
    return Generation(row["id"], row["embedder"], row["changes"]) if row else None


def text_digest(tx: ReadTx, topic: str, key: str) -> str | None:
    """Give the digest of the text that a document's vectors were made of."""
    row = tx.get(VECTORS, _key(topic, key))
    return row["text"] if row else None


def begin(tx: WriteTx, embedder: str, identifier: str) -> Generation:
    """Begin a generation, unless this embedder has one already."""
    current = generation(tx)
    if current and current.embedder == embedder:
        return current
    tx.clear((VECTORS,), ())
    begun = Generation(identifier, embedder, 0)
    _count(tx, begun, 0)
    return begun


def forget(tx: WriteTx) -> None:
    """Erase all, so that nobody who is at work on some of it goes on as if it were there."""
    tx.clear((VECTORS,), ())
    _count(tx, Generation(tx.head().hash, NOBODY, 0), 0)


def save(tx: WriteTx, current: Generation, changes: Sequence[VectorChange]) -> None:
    """Save what has changed, so that every reader sees it."""
    for number, change in enumerate(changes, start=current.changes + 1):
        row: Row = asdict(change) | {"change": number}
        tx.put(VECTORS, _key(change.topic, change.key), row, seq=tx.head().seq)
    _count(tx, current, current.changes + len(changes))


def news(
    tx: ReadTx, topic: str, known: str, after: int
) -> tuple[Generation | None, list[VectorChange]]:
    """Give a page of a topic's changes past a number, if `known` is still the generation.

    Of another generation it is the first page. Less than a whole page means that this was all.
    """
    current = generation(tx)
    if current is None:
        return None, []
    read = after if current.id == known else 0
    if read == current.changes:
        return current, []
    where: Where = {"topic": topic, "change": Range(at_least=read + 1)}
    page = tx.scan(VECTORS, where, order="change", limit=ROWS_PAGE)
    return current, [VectorChange(**found.row) for found in page]


def change_of(tx: ReadTx, topic: str, key: str) -> tuple[Generation | None, VectorChange | None]:
    """Give the last change of a document, with the generation that it is of."""
    row = tx.get(VECTORS, _key(topic, key))
    return generation(tx), VectorChange(**row) if row else None


def pack(vectors: "Vectors") -> Packed:
    """Write vectors down."""
    return base64.b64encode(vectors.astype("<f2").tobytes()).decode()


def unpack(packed: Packed) -> bytes:
    """Read vectors as they were written down, without importing anything to hold them."""
    return base64.b64decode(packed)


def _key(topic: str, key: str) -> str:
    return f"{topic}/{key}"


def _count(tx: WriteTx, current: Generation, changes: int) -> None:
    row: Row = {
        "topic": GENERATION,
        "change": 0,
        "id": current.id,
        "embedder": current.embedder,
        "changes": changes,
    }
    tx.put(VECTORS, GENERATION, row, seq=tx.head().seq)
