"""Blocks of vectors, the same in memory and on disk: 8-bit numbers, and signs.

A block has some documents, each once, in the order of their keys' hashes, so that one is found by
halving and nothing is built to find it by. A document without vectors is one that has gone.
"""

import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = bytes | memoryview | mmap

WORD_BITS = 64
LARGEST = 127
"""What the largest number of a vector becomes; the others are parts of it."""

AT_HAND = 256
ALIGNED = 64
_HEAD = struct.Struct("<8sQIIIIQQII")
_MAGIC = b"hansvecs"


class NoBlockError(ValueError):
    """What was read is no block, or not what was written."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A change that a block has, by which its rows are known again."""

    key: str
    text: str | None
    change: int


@dataclass(frozen=True, slots=True)
class Block:
    """Some documents with their vectors."""

    hashes: NDArray[np.uint64]
    """Of the documents' keys; these rise."""
    rows: NDArray[np.uint32]
    """Where each document's vectors begin, and where the last one's end."""
    ends: NDArray[np.uint32]
    """Where each document's key begins in `names`, and where the last one ends."""
    names: Bytes
    numbers: NDArray[np.int8]
    scales: NDArray[np.float32]
    """What a row's numbers are multiplied by."""
    signs: NDArray[np.uint64]
    """One bit of each number: a row for each word of them, so that what is compared is together."""

    def key(self, document: int) -> str:
        """Name a document."""
        return bytes(memoryview(self.names)[self.ends[document] : self.ends[document + 1]]).decode()

    def counts(self) -> NDArray[np.intp]:
        """Say how many vectors each document has."""
        return (self.rows[1:] - self.rows[:-1]).astype(np.intp)

    def floats(self, rows: "NDArray[np.intp] | slice") -> NDArray[np.float32]:
        """Give some vectors as they are compared."""
        vectors: NDArray[np.float32] = self.numbers[rows].astype(np.float32)
        vectors *= self.scales[rows, None]
        return vectors

    def documents_at(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Say whose vectors some rows are."""
        return np.searchsorted(self.rows, rows, side="right") - 1

    def cosines(self, asked: NDArray[np.float32]) -> NDArray[np.float32]:
        """Compare all vectors with one, as few at a time as a core keeps at hand."""
        found: NDArray[np.float32] = np.empty(len(self.scales), np.float32)
        for start in range(0, len(found), AT_HAND):
            some = slice(start, start + AT_HAND)
            found[some] = products(self.numbers[some].astype(np.float32), asked)
        found *= self.scales
        return found

    def places(self, hashes: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Say which documents have these hashes, as far as it has them."""
        if not len(self.hashes):
            return np.empty(0, np.intp)
        places = np.searchsorted(self.hashes, hashes)
        places[places == len(self.hashes)] = 0
        found: NDArray[np.intp] = places[self.hashes[places] == hashes]
        return found


def products(vectors: NDArray[np.float32], asked: NDArray[np.float32]) -> NDArray[np.float32]:
    """Multiply each vector with one, on this core.

    As one product of matrix and vector it would be shared among cores, which wait for each other
    longer than it takes: five times the processor time, and more on a busy machine.
    """
    made: NDArray[np.float32] = np.vecdot(vectors, asked)
    return made


def hashes_of(keys: Sequence[str]) -> NDArray[np.uint64]:
    """Hash keys, in their order; every process gives the same."""
    packed = b"".join(blake2b(key.encode(), digest_size=8).digest() for key in keys)
    return np.frombuffer(packed, "<u8")


def empty(dimensions: int) -> Block:
    """Make a block of nothing."""
    return made([], np.empty((0, dimensions), np.float16), [])


def made(keys: Sequence[str], vectors: NDArray[np.floating], counts: Sequence[int]) -> Block:
    """Make a block of documents, each key once, and of so many of the vectors for each."""
    scales = np.abs(vectors).max(axis=1, initial=0).astype(np.float32) / LARGEST
    divided = vectors / np.where(scales > 0, scales, 1)[:, None]
    unordered = _Unordered(
        [key.encode() for key in keys],
        hashes_of(keys),
        np.array(counts, np.intp),
        np.rint(divided).astype(np.int8),
        scales,
        _signs(vectors),
    )
    return unordered.ordered()


def merged(parts: "Sequence[tuple[Block, NDArray[np.bool_]]]", *, with_gone: bool) -> Block:
    """Join what is left of some blocks; no document is left in two of them.

    Those that have gone are named for as long as there are older blocks that have them.
    """
    names: list[bytes] = []
    chosen: list[tuple[Block, NDArray[np.intp], NDArray[np.intp]]] = []
    for block, is_left in parts:
        counts = block.counts()
        left = np.flatnonzero(is_left if with_gone else is_left & (counts > 0))
        whole, ends = bytes(block.names), block.ends.tolist()
        names += [whole[ends[one] : ends[one + 1]] for one in left.tolist()]
        rows = _spread(block.rows[left].astype(np.intp), counts[left])
        chosen.append((block, left, rows))
    return _Unordered(
        names,
        np.concatenate([block.hashes[left] for block, left, _ in chosen]),
        np.concatenate([block.counts()[left] for block, left, _ in chosen]),
        np.concatenate([block.numbers[rows] for block, _, rows in chosen]),
        np.concatenate([block.scales[rows] for block, _, rows in chosen]),
        np.concatenate([block.signs[:, rows] for block, _, rows in chosen], axis=1),
    ).ordered()


@dataclass(frozen=True, slots=True)
class _Unordered:
    """What a block is made of, in any order of its documents."""

    names: Sequence[bytes]
    hashes: NDArray[np.uint64]
    counts: NDArray[np.intp]
    numbers: NDArray[np.int8]
    scales: NDArray[np.float32]
    signs: NDArray[np.uint64]

    def ordered(self) -> Block:
        order = np.argsort(self.hashes, kind="stable")
        starts, counts = np.cumsum(self.counts) - self.counts, self.counts[order]
        rows = _spread(starts[order], counts)
        names = [self.names[one] for one in order.tolist()]
        return Block(
            self.hashes[order],
            _edges(counts),
            _edges(np.array([len(name) for name in names], np.intp)),
            b"".join(names),
            np.ascontiguousarray(self.numbers[rows]),
            self.scales[rows],
            np.ascontiguousarray(self.signs[:, rows]),
        )


def encoded(block: Block, after: int, until: int, witness: Witness) -> bytes:
    """Write a block down, with the numbers of the changes that it covers."""
    told = json.dumps([witness.key, witness.text, witness.change]).encode()
    names = bytes(block.names)
    parts = (block.signs, block.hashes, block.scales, block.rows, block.ends, block.numbers)
    body = b"".join([*(part.tobytes() for part in parts), names, told])
    head = _HEAD.pack(
        _MAGIC,
        len(body),
        zlib.crc32(body),
        len(block.hashes),
        len(block.scales),
        len(names),
        after,
        until,
        len(told),
        0,
    )
    head = head[:-4] + struct.pack("<I", zlib.crc32(head[:-4]))
    return (head + bytes(ALIGNED - len(head)) + body).ljust(_aligned(ALIGNED + len(body)), b"\0")


@dataclass(frozen=True, slots=True)
class WrittenBlock:
    """A block that was read, with what was written beside it."""

    block: Block
    after: int
    until: int
    witness: Witness
    end: int
    """Where the next one begins."""


def decoded(buffer: Bytes, dimensions: int, start: int) -> Iterator[WrittenBlock]:
    """Read the blocks from a place on, without copying them; ends at what is not whole."""
    view = memoryview(buffer)
    while start < len(view):
        try:
            found = _decoded(view, dimensions, start)
        except (NoBlockError, struct.error, ValueError):
            return
        yield found
        start = found.end


def _decoded(view: memoryview, dimensions: int, start: int) -> WrittenBlock:
    head = view[start : start + _HEAD.size]
    magic, length, checksum, documents, rows, named, after, until, told, own = _HEAD.unpack(head)
    body = view[start + ALIGNED : start + ALIGNED + length]
    if magic != _MAGIC or own != zlib.crc32(head[:-4]) or len(body) != length:
        raise NoBlockError
    if zlib.crc32(body) != checksum:
        raise NoBlockError
    parts = _Parts(body)
    block = Block(
        signs=parts.take("<u8", words_of(dimensions), rows),
        hashes=parts.take("<u8", documents),
        scales=parts.take("<f4", rows),
        rows=parts.take("<u4", documents + 1),
        ends=parts.take("<u4", documents + 1),
        numbers=parts.take("i1", rows, dimensions),
        names=parts.bytes(named),
    )
    witness = Witness(*json.loads(bytes(parts.bytes(told))))
    return WrittenBlock(block, after, until, witness, start + _aligned(ALIGNED + length))


class _Parts:
    """What lies one after the other in a body."""

    def __init__(self, body: memoryview) -> None:
        self._body = body
        self._place = 0

    def take(self, kind: str, *shape: int) -> NDArray[Any]:
        count = int(np.prod(shape))
        found: NDArray[Any] = np.frombuffer(self._body, kind, count, self._place).reshape(shape)
        self._place += found.nbytes
        return found

    def bytes(self, length: int) -> memoryview:
        self._place += length
        return self._body[self._place - length : self._place]


def words_of(dimensions: int) -> int:
    """Say how many words the signs of a vector take."""
    return -(-dimensions // WORD_BITS)


def signs_of(vector: NDArray[np.floating]) -> NDArray[np.uint64]:
    """Give the words of one vector's signs."""
    return _signs(vector.reshape(1, -1))[:, 0]


def _signs(vectors: NDArray[np.floating]) -> NDArray[np.uint64]:
    """Keep one bit of each number, packed into words: a row for each word, not for each vector.

    So what is compared lies together, which makes comparing five times as fast.
    """
    packed = np.packbits(vectors > 0, axis=1)
    missing = -packed.shape[1] % (WORD_BITS // 8)
    words = np.ascontiguousarray(np.pad(packed, ((0, 0), (0, missing)))).view(np.uint64)
    return np.ascontiguousarray(words.T)


def _spread(starts: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Give all rows of documents that begin there and have so many."""
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before, counts) + np.arange(int(counts.sum()))


def _edges(lengths: NDArray[np.intp]) -> NDArray[np.uint32]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)


def _aligned(length: int) -> int:
    return -(-length // ALIGNED) * ALIGNED
