"""One topic's vectors in memory, and the search for the nearest."""

import math
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hansard.embedders.vector_blocks import (
    Block,
    empty,
    hashes_of,
    made,
    merged,
    products,
    signs_of,
)
from hansard.embedders.vectors import VectorChange, unpack
from hansard.kernel.engine import Hit

if TYPE_CHECKING:
    from hansard.embedders.embedder import Vectors

EXACT_ROWS_MAX = 4_000
"""Up to here every vector is compared, which takes a millisecond."""

CANDIDATES_PER_HIT = 10
CANDIDATES_SHARE = 40
"""Beyond that, these are chosen by the signs of their numbers and only they are compared.

So many for each that is to be found, or one of so many of all: of the first sixty of 20,000 texts
so 0.99 are among them (ADR 86).
"""

WEIGHED = (0.25, 0.65)
"""A sign counts once if the query's own number there is larger than so many of its numbers, and
once more if it is larger than so many: what the query hardly says is not compared."""

EQUALS_MAX = 4
"""How many times as many may be compared, if that many are equally likely."""

ECHO_SHARE = 0.5
"""What the nearest count beside the query they are an echo of."""

ECHO_FLOOR = 0.55
"""What is farther than this leads a query astray: a note that nothing is like is lost (ADR 54)."""

CONTRASTED = 60
CONTRASTED_PART = 5
CONTRASTED_MIN = 10
"""What so many of the nearest share is taken off: at most so large a part, and no fewer."""

CONTRASTED_PER_HIT = 4
CONTRASTED_ROWS_MIN = 400
"""How many of the nearest are compared by contrast."""

MANY = 4
"""What has so many vectors tells of several things: a talk, or a text of more than two pages."""

TOGETHER = 3
TOGETHER_SHARPNESS = 20.0
"""So many of its vectors count together, each the more the nearer it is to the nearest."""

TINY = float(np.finfo(np.float32).tiny)

CONTRAST_SHARE = 0.6
"""How much of it is taken off a query that nothing is near to, and off what it is asked of."""

LIKENESS_FLOOR = 0.45
"""Where nothing is so near to a query, what is found is a guess, and guesses are alike (ADR 71)."""

LIKENESS_PART = 5
LIKENESS_MIN = 10
"""What is compared with each other is at most so large a part of all, and no fewer documents."""

TAIL_MIN = 512
TAIL_SHARE = 64
"""What came last is kept apart until it is so many vectors, or one of so many of all."""

GONE = np.iinfo(np.uint16).max
"""How unlike any query is what has gone."""

SEALED_MAX = 32
"""How many blocks may be searched one by one before they are merged."""


class _Shelf:
    """A block, and which of its vectors are still those of their documents."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.is_left: NDArray[np.bool_] = np.ones(len(block.hashes), np.bool_)
        self.are_all_left = True
        self._rows_left: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        """Count the vectors, those that are not looked at any more included."""
        return len(self.block.scales)

    def documents(self) -> int:
        """Count the documents that have vectors here."""
        return int((self.is_left & (self.block.counts() > 0)).sum())

    def take_out(self, hashes: NDArray[np.uint64]) -> None:
        """Look no more at what is elsewhere by now."""
        places = self.block.places(hashes)
        if len(places):
            self.is_left[places] = False
            self.are_all_left, self._rows_left = False, None

    def rows_left(self) -> NDArray[np.bool_]:
        """Say which vectors are looked at."""
        if self._rows_left is None:
            counts = self.block.counts()
            self._rows_left = np.repeat(self.is_left, counts)
        return self._rows_left


class VectorIndex:
    """Some documents' vectors, in blocks: those that came last in one that is small and changes.

    A document has as many rows as it has vectors, and is as near as the nearest of them. One of
    many is a little nearer, if others are near as well.
    """

    def __init__(self, dimensions: int, sealed: Sequence[Block] = ()) -> None:
        """Hold vectors of this many numbers; what is in later blocks is no longer in earlier."""
        self.dimensions = dimensions
        self._shelves: list[_Shelf] = []
        for block in sealed:
            self._take_out(block.hashes)
            self._shelves.append(_Shelf(block))
        self._tail = _Shelf(empty(dimensions))
        self._apart = 0
        """Documents that came since and lie with the rest, in memory only."""
        self._count()
        # Held only while memory is looked at or changed, so that a transaction may wait for it.
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Count the documents."""
        return self._documents

    @property
    def is_tail_long(self) -> bool:
        """Whether so much has come that it should be put with the rest."""
        come = self._apart + len(self._tail.block.hashes)
        return come >= max(TAIL_MIN, self._rows // TAIL_SHARE)

    @property
    def tail_rows(self) -> int:
        """Count the vectors that came last."""
        return len(self._tail)

    def tail(self) -> Block:
        """Give what came last."""
        return self._tail.block

    def whole(self) -> Block:
        """Give all there is, as one block."""
        with self._lock:
            return self._merged([*self._shelves, self._tail], with_gone=False)

    def seal(self) -> None:
        """Put what came last with the rest, in memory."""
        with self._lock:
            self._apart += len(self._tail.block.hashes)
            self._shelves.append(self._tail)
            self._tail = _Shelf(empty(self.dimensions))
            self._count()

    def compact(self) -> None:
        """Make one of the blocks, if they are many."""
        with self._lock:
            self._apart = 0
            if len(self._shelves) > SEALED_MAX:
                self._shelves = [_Shelf(self._merged(self._shelves, with_gone=False))]
                self._count()

    def update(self, changes: Sequence[VectorChange]) -> None:
        """Take over what has changed, the last change of a document counting."""
        latest = {change.key: change for change in changes}
        # An embedder that changed its mind about their length: those cannot be compared.
        packed = [
            unpack(change.vectors)
            if change.vectors is not None and change.dimensions == self.dimensions
            else b""
            for change in latest.values()
        ]
        vectors = np.frombuffer(b"".join(packed), np.dtype("<f2")).reshape(-1, self.dimensions)
        width = vectors.itemsize * self.dimensions
        block = made(list(latest), vectors, [len(each) // width for each in packed])
        with self._lock:
            self._take_out(block.hashes)
            self._tail.take_out(block.hashes)
            self._tail = _Shelf(self._merged([self._tail, _Shelf(block)], with_gone=True))
            self._count()

    def _take_out(self, hashes: NDArray[np.uint64]) -> None:
        for shelf in self._shelves:
            shelf.take_out(hashes)

    def _merged(self, shelves: Sequence[_Shelf], *, with_gone: bool) -> Block:
        return merged([(one.block, one.is_left) for one in shelves], with_gone=with_gone)

    def _count(self) -> None:
        self._all = [shelf for shelf in (*self._shelves, self._tail) if len(shelf)]
        self._documents = sum(shelf.documents() for shelf in self._all)
        self._starts = np.cumsum([0, *(len(shelf) for shelf in self._all)])
        self._rows = int(self._starts[-1])

    def nearest(
        self,
        query: "Vectors",
        *,
        limit: int,
        floor: float,
        echoes: int = 0,
        is_contrasted: bool = False,
        taken_off: "Vectors | None" = None,
    ) -> list[Hit]:
        """Find the documents nearest to a query, best first, that are not below the floor.

        What the very nearest have in common says more than the query alone: with so many `echoes`,
        all are asked for once more, and scores are cosines to the query with what it brought. Where
        nothing is so near, what the nearest share only hides which of them was meant: if they are
        to be `contrasted`, what tells them apart is compared. What is `taken_off` the query then is
        what the nearest share, or what is given because the query itself says what that is.
        """
        if not self._documents or query.size != self.dimensions:
            return []
        off = taken_off if taken_off is not None and taken_off.size == self.dimensions else None
        with self._lock:
            rows, scores = self._nearest(query.reshape(-1), limit, echoes, is_contrasted, off)
            # These are best first, whatever is below the floor comes last.
            scores = scores[: np.searchsorted(-scores, -floor, side="right")]
            best = self._best_of_each(rows, scores, limit)
        together = {
            key: _together(each) if len(each) > 1 else each[0] for key, each in best.items()
        }
        ordered = sorted(together, key=lambda key: -together[key])
        return [Hit(key, together[key]) for key in ordered[:limit]]

    def _best_of_each(
        self, rows: NDArray[np.intp], scores: "NDArray[np.float32]", limit: int
    ) -> dict[str, list[float]]:
        """Give the best scores of each document, as far as so many documents need a look."""
        best: dict[str, list[float]] = {}
        for start in range(0, len(scores), limit):
            if len(best) >= limit:
                break
            some = slice(start, start + limit)
            named = self._named(rows[some])
            for (key, has), score in zip(named, scores[some].tolist(), strict=False):
                each = best.setdefault(key, [])
                if not each or (has >= MANY and len(each) < TOGETHER):
                    each.append(score)
        return best

    def _named(self, rows: NDArray[np.intp]) -> Iterable[tuple[str, int]]:
        """Name whose vectors some rows are, one after the other, and say how many these have."""
        shelves = np.searchsorted(self._starts, rows, side="right") - 1
        documents, sizes = np.empty(len(rows), np.intp), np.empty(len(rows), np.intp)
        for number in np.unique(shelves).tolist():
            here, block = np.flatnonzero(shelves == number), self._all[number].block
            found = block.documents_at(rows[here] - self._starts[number])
            documents[here], sizes[here] = found, block.rows[found + 1] - block.rows[found]
        pairs = zip(shelves.tolist(), documents.tolist(), strict=True)
        keys = [self._all[number].block.key(document) for number, document in pairs]
        return zip(keys, sizes.tolist(), strict=True)

    def _floats(self, rows: NDArray[np.intp]) -> "NDArray[np.float32]":
        """Give the vectors of some rows."""
        if len(self._all) == 1:
            return self._all[0].block.floats(rows)
        found: NDArray[np.float32] = np.empty((len(rows), self.dimensions), np.float32)
        shelves = np.searchsorted(self._starts, rows, side="right") - 1
        for number in np.unique(shelves).tolist():
            here = np.flatnonzero(shelves == number)
            found[here] = self._all[number].block.floats(rows[here] - self._starts[number])
        return found

    def _nearest(
        self,
        asked: "NDArray[np.float32]",
        limit: int,
        echoes: int,
        is_contrasted: bool,  # noqa: FBT001 - as it was asked for
        taken_off: "Vectors | None",
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Give the nearest rows, best first, with their scores."""
        rows, scores = self._compared(asked, limit)
        if (near := scores[:echoes] >= ECHO_FLOOR).any():
            echo = self._floats(rows[:echoes][near]).mean(axis=0)
            wider = asked + ECHO_SHARE * echo
            rows, scores = self._compared(wider / np.linalg.norm(wider), limit)
        elif is_contrasted:
            most = max(CONTRASTED_ROWS_MIN, CONTRASTED_PER_HIT * limit)
            rows, scores = self._contrasted(asked, rows[:most], scores[:most], taken_off)
        return rows, scores

    def alike(self, query: "Vectors", keys: Sequence[str]) -> list[list[float]]:
        """Say how like each other documents are, each by its vector that is nearest to a query.

        One without vectors is like none. Empty where that says nothing, as `Meanings` explains.
        """
        if query.size != self.dimensions:
            return []
        with self._lock:
            if not LIKENESS_MIN <= len(keys) <= self._documents // LIKENESS_PART:
                return []
            chosen, nearest = self._nearest_of_each(query.reshape(-1), keys)
        like: list[list[float]] = np.maximum(chosen @ chosen.T, 0.0).tolist()
        return like if nearest >= LIKENESS_FLOOR else []

    def _nearest_of_each(
        self, asked: "NDArray[np.float32]", keys: Sequence[str]
    ) -> "tuple[NDArray[np.float32], float]":
        """Give of each document the nearest vector, or zeros, and how near the very nearest is."""
        chosen: NDArray[np.float32] = np.zeros((len(keys), self.dimensions), np.float32)
        nearest = 0.0
        for place, hashed in enumerate(hashes_of(keys)):
            vectors = self._of(hashed)
            if len(vectors):
                scores = products(vectors, asked)
                best = int(np.argmax(scores))
                chosen[place], nearest = vectors[best], max(nearest, float(scores[best]))
        return chosen, nearest

    def _of(self, hashed: np.uint64) -> "NDArray[np.float32]":
        """Give the vectors of a document."""
        for shelf in reversed(self._all):
            block = shelf.block
            place = int(np.searchsorted(block.hashes, hashed))
            is_there = place < len(block.hashes) and block.hashes[place] == hashed
            if is_there and shelf.is_left[place]:
                return block.floats(slice(block.rows[place], block.rows[place + 1]))
        return np.empty((0, self.dimensions), np.float32)

    def _contrasted(
        self,
        asked: "NDArray[np.float32]",
        rows: NDArray[np.intp],
        scores: "NDArray[np.float32]",
        taken_off: "Vectors | None",
    ) -> tuple[NDArray[np.intp], "NDArray[np.float32]"]:
        """Compare the nearest rows by what tells them apart; scores stay on the same level."""
        count = min(CONTRASTED, self._rows // CONTRASTED_PART, len(rows))
        if count < CONTRASTED_MIN:
            return rows, scores
        vectors = self._floats(rows)
        common = CONTRAST_SHARE * vectors[:count].mean(axis=0)
        off = common if taken_off is None else CONTRAST_SHARE * taken_off.reshape(-1)
        wanted = asked - off
        # Of vectors of length 1, less what is common: no need to take it off each of them.
        shared = products(vectors, common)
        squares = np.maximum(1 - 2 * shared + common @ common, TINY)
        told = products(vectors, wanted) - common @ wanted
        told /= np.sqrt(squares) * max(float(np.linalg.norm(wanted)), TINY)
        told += scores[:count].mean() - told[:count].mean()
        order = np.argsort(-told, kind="stable")
        return rows[order], told[order]

    def _compared(
        self, asked: "NDArray[np.float32]", limit: int
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Give the nearest rows, best first, with their cosines."""
        if self._rows > EXACT_ROWS_MAX:
            least = CANDIDATES_PER_HIT * limit
            rows = self._likely(asked, max(least, self._rows // CANDIDATES_SHARE))
            scores = products(self._floats(rows), asked)
        else:
            rows = np.flatnonzero(np.concatenate([shelf.rows_left() for shelf in self._all]))
            scores = np.concatenate([shelf.block.cosines(asked) for shelf in self._all])[rows]
        order = np.argsort(-scores, kind="stable")
        return rows[order], scores[order]

    def _likely(self, query: "Vectors", limit: int) -> NDArray[np.intp]:
        """Choose the rows whose signs are most like the query's, and those equally like it."""
        sizes = np.abs(query)
        asked = signs_of(query)
        masks = [signs_of(sizes - np.quantile(sizes, part)) for part in WEIGHED]
        unlike = np.zeros(self._rows, np.uint16)
        for start, shelf in zip(self._starts.tolist(), self._all, strict=False):
            here = unlike[start : start + len(shelf)]
            for word, ours in enumerate(shelf.block.signs):
                other = ours ^ asked[word]
                for mask in masks:
                    here += np.bitwise_count(other & mask[word])
            if not shelf.are_all_left:
                here[~shelf.rows_left()] = GONE
        left = np.cumsum(np.bincount(unlike, minlength=GONE + 1)[:GONE])
        enough = np.searchsorted(left, min(limit, left[-1]))
        return np.flatnonzero(unlike <= enough)[: limit * EQUALS_MAX]


def _together(scores: Sequence[float]) -> float:
    """Score a document by its best vectors: a little more than the best, if others are near too."""
    best = scores[0]
    near = sum(math.exp(TOGETHER_SHARPNESS * (score - best)) for score in scores)
    return best + math.log(near) / TOGETHER_SHARPNESS
