"""The vectors of one topic in memory, and finding the nearest among them."""

import threading
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hansard.embedders.vectors import VectorChange, unpack
from hansard.kernel.engine import Hit

if TYPE_CHECKING:
    from hansard.embedders.embedder import Vectors

EXACT_ROWS_MAX = 4_000
"""Up to here every vector is compared, which takes a millisecond."""

CANDIDATES_MIN = 400
CANDIDATES_PER_HIT = 4
"""Beyond that, these are chosen by the signs of their numbers and only they are compared.

Among 100,000 texts the nearest ten by signs and by numbers were the same (see ADR 11).
"""

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

CONTRAST_SHARE = 0.6
"""How much of it is taken off a query that nothing is near to, and off what it is asked of."""

LIKENESS_FLOOR = 0.45
"""Where nothing is so near to a query, what is found is a guess, and guesses are alike (ADR 71)."""

LIKENESS_PART = 5
LIKENESS_MIN = 10
"""What is compared with each other is at most so large a part of all, and no fewer documents."""

ROWS_FIRST = 64
WORD_BYTES = 8


class VectorIndex:
    """Some documents' vectors, a row each, in one matrix.

    A document has as many rows as it has vectors, and is as near as the nearest of them.
    """

    def __init__(self, dimensions: int) -> None:
        """Hold vectors of this many numbers."""
        self.dimensions = dimensions
        self._keys: list[str | None] = []
        self._rows: dict[str, list[int]] = {}
        self._free: list[int] = []
        self._matrix: NDArray[np.float16] = np.zeros((ROWS_FIRST, dimensions), np.float16)
        self._signs = _signs(self._matrix)
        # Held only while memory is looked at or changed, so that a transaction may wait for it.
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Count the documents."""
        return len(self._rows)

    def update(self, changes: Sequence[VectorChange]) -> None:
        """Take over what has changed, the last change of a document counting."""
        with self._lock:
            self._update(changes)

    def _update(self, changes: Sequence[VectorChange]) -> None:
        latest = {change.key: change for change in changes}
        for key in latest:
            self._remove(key)
        # An embedder that changed its mind about their length: those cannot be compared.
        packed = {
            key: unpack(change.vectors)
            for key, change in latest.items()
            if change.vectors is not None and change.dimensions == self.dimensions
        }
        made = np.frombuffer(b"".join(packed.values()), np.dtype("<f2"))
        made = made.reshape(-1, self.dimensions)
        rows = self._room(len(made))
        self._matrix[rows] = made
        self._signs[:, rows] = _signs(made)
        free = iter(rows)
        for key, each in packed.items():
            own = list(islice(free, len(each) // (made.itemsize * self.dimensions)))
            self._rows[key] = own
            for row in own:
                self._keys[row] = key

    def nearest(
        self,
        query: "Vectors",
        *,
        limit: int,
        floor: float,
        echoes: int = 0,
        is_contrasted: bool = False,
    ) -> list[Hit]:
        """Find the documents nearest to a query, best first, that are not below the floor.

        What the very nearest have in common says more than the query alone: with so many `echoes`,
        all are asked for once more, and scores are cosines to the query with what it brought. Where
        nothing is so near, what the nearest share only hides which of them was meant: if they are
        to be `contrasted`, what tells them apart is compared.
        """
        if not self._keys or query.size != self.dimensions:
            return []
        with self._lock:
            rows, scores = self._nearest(query.reshape(-1), limit, echoes, is_contrasted)
            best: dict[str, float] = {}
            for row, score in zip(rows, scores, strict=True):
                key = self._keys[row]
                if score < floor or len(best) == limit:
                    break
                if key is not None:
                    best.setdefault(key, float(score))
        return [Hit(key, score) for key, score in best.items()]

    def _nearest(
        self,
        asked: "NDArray[np.float32]",
        limit: int,
        echoes: int,
        is_contrasted: bool,  # noqa: FBT001 - as it was asked for
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Give the nearest rows, best first, with their scores."""
        rows, scores = self._compared(asked, limit)
        if (near := scores[:echoes] >= ECHO_FLOOR).any():
            echo = self._matrix[rows[:echoes][near]].astype(np.float32).mean(axis=0)
            wider = asked + ECHO_SHARE * echo
            rows, scores = self._compared(wider / np.linalg.norm(wider), limit)
        elif is_contrasted:
            most = max(CANDIDATES_MIN, CANDIDATES_PER_HIT * limit)
            rows, scores = self._contrasted(asked, rows[:most], scores[:most])
        return rows, scores

    def alike(self, query: "Vectors", keys: Sequence[str]) -> list[list[float]]:
        """Say how like each other documents are, each by its vector that is nearest to a query.

        One without vectors is like none. Empty where that says nothing, as `Meanings` explains.
        """
        if query.size != self.dimensions:
            return []
        with self._lock:
            if not LIKENESS_MIN <= len(keys) <= len(self._rows) // LIKENESS_PART:
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
        for place, key in enumerate(keys):
            if rows := self._rows.get(key):
                vectors = self._matrix[rows].astype(np.float32)
                scores = _products(vectors, asked)
                best = int(np.argmax(scores))
                chosen[place], nearest = vectors[best], max(nearest, float(scores[best]))
        return chosen, nearest

    def _contrasted(
        self,
        asked: "NDArray[np.float32]",
        rows: NDArray[np.intp],
        scores: "NDArray[np.float32]",
    ) -> tuple[NDArray[np.intp], "NDArray[np.float32]"]:
        """Compare the nearest rows by what tells them apart; scores stay on the same level."""
        count = min(CONTRASTED, len(self._keys) // CONTRASTED_PART, len(rows))
        if count < CONTRASTED_MIN:
            return rows, scores
        vectors = self._matrix[rows].astype(np.float32)
        common = CONTRAST_SHARE * vectors[:count].mean(axis=0)
        apart, wanted = vectors - common, asked - common
        lengths = np.linalg.norm(apart, axis=1) * np.linalg.norm(wanted)
        told = _products(apart, wanted) / np.maximum(lengths, np.finfo(np.float32).tiny)
        told += scores[:count].mean() - told[:count].mean()
        order = np.argsort(-told, kind="stable")
        return rows[order], told[order]

    def _compared(
        self, asked: "NDArray[np.float32]", limit: int
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Give the nearest rows, best first, with their cosines."""
        rows: NDArray[np.intp] = np.arange(len(self._keys))
        if len(rows) > EXACT_ROWS_MAX:
            rows = self._likely(asked, max(CANDIDATES_MIN, CANDIDATES_PER_HIT * limit))
        scores = _products(self._matrix[rows].astype(np.float32), asked)
        order = np.argsort(-scores, kind="stable")
        return rows[order], scores[order]

    def _likely(self, query: "Vectors", limit: int) -> NDArray[np.intp]:
        """Choose the rows whose signs are most like the query's, and those equally like it."""
        count = len(self._keys)
        unlike = np.zeros(count, np.uint16)
        for ours, asked in zip(self._signs, _signs(query.reshape(1, -1)), strict=True):
            unlike += np.bitwise_count(ours[:count] ^ asked)
        enough = np.searchsorted(np.cumsum(np.bincount(unlike)), min(limit, count))
        return np.flatnonzero(unlike <= enough)[: limit * EQUALS_MAX]

    def _remove(self, key: str) -> None:
        rows = self._rows.pop(key, [])
        for row in rows:
            self._keys[row] = None
            self._matrix[row] = 0
        self._free += rows

    def _room(self, count: int) -> list[int]:
        """Find room for so many vectors."""
        rows = [self._free.pop() for _ in range(min(count, len(self._free)))]
        first, more = len(self._keys), count - len(rows)
        if first + more > len(self._matrix):
            added = max(first + more, 2 * len(self._matrix)) - len(self._matrix)
            self._matrix = np.pad(self._matrix, ((0, added), (0, 0)))
            self._signs = np.pad(self._signs, ((0, 0), (0, added)))
        self._keys += [None] * more
        return [*rows, *range(first, first + more)]


def _products(
    vectors: "NDArray[np.float32]", asked: "NDArray[np.float32]"
) -> "NDArray[np.float32]":
    """Multiply each vector with one, on this core.

    As one product of matrix and vector it would be shared among cores, which wait for each other
    longer than it takes: five times the processor time, and more on a busy machine.
    """
    products: NDArray[np.float32] = np.vecdot(vectors, asked)
    return products


def _signs(vectors: NDArray[np.floating]) -> NDArray[np.uint64]:
    """Keep one bit of each number, packed into words: a row for each word, not for each vector.

    So what is compared lies together, which makes comparing five times as fast.
    """
    packed = np.packbits(vectors > 0, axis=1)
    missing = -packed.shape[1] % WORD_BYTES
    words = np.ascontiguousarray(np.pad(packed, ((0, 0), (0, missing)))).view(np.uint64)
    return np.ascontiguousarray(words.T)
