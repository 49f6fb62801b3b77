"""Reading contents, and on the way those that lie beneath them."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise

import pytest

from hansard.engines.memory import MemoryEngine
from hansard.kernel.blob import Blob, Digest, digest_of, redact, seal, seal_onto
from hansard.kernel.content import along, content, original
from hansard.kernel.engine import Engine, Schema, WriteTx
from hansard.kernel.problem import BlobDamaged, BlobRedacted

PROJECT = "default"
STATES = [b"".join(b"line %d of many\n" % n for n in range(200 + more)) for more in range(4)]
DIGESTS = [digest_of(state) for state in reversed(STATES)]
"""The newest first: each is kept as what differs from the one before it."""


@pytest.fixture
def engine() -> Iterator[Engine]:
    with closing(MemoryEngine(Schema((), ()))) as engine:
        yield engine


@pytest.fixture
def chain(engine: Engine) -> list[Blob]:
    blobs = [seal(STATES[0])]
    for before, state in pairwise(STATES):
        blobs.append(seal_onto(state, blobs[-1], before))
    assert [blob.depth for blob in blobs] == [0, 1, 2, 3]
    keep(engine, *blobs)
    return blobs


def keep(engine: Engine, *blobs: Blob) -> None:
    def work(tx: WriteTx) -> None:
        for blob in blobs:
            tx.keep(blob)

    engine.write(PROJECT, work)


def read_along(engine: Engine, digests: Sequence[Digest], bytes_max: int) -> dict[Digest, bytes]:
    return engine.read(PROJECT, lambda tx: along(tx, digests, bytes_max=bytes_max))


@pytest.mark.usefixtures("chain")
def test_what_lies_beneath_is_read_on_the_way(engine: Engine) -> None:
    found = read_along(engine, DIGESTS, sum(map(len, STATES)) + len(STATES[-1]))

    assert found == dict(zip(DIGESTS, reversed(STATES), strict=True))


@pytest.mark.usefixtures("chain")
@pytest.mark.parametrize("count", [1, 2, 3])
def test_no_more_is_read_than_there_is_room_for(engine: Engine, count: int) -> None:
    found = read_along(engine, DIGESTS, count * len(STATES[-1]))

    assert set(found) == set(DIGESTS[:count])


@pytest.mark.usefixtures("chain")
def test_the_first_is_read_however_little_room_there_is(engine: Engine) -> None:
    assert read_along(engine, DIGESTS, 1) == {DIGESTS[0]: STATES[-1]}


def test_an_empty_content_is_read(engine: Engine) -> None:
    keep(engine, seal(b""))

    assert read_along(engine, [digest_of(b"")], 10) == {digest_of(b""): b""}


def test_of_what_is_not_there_nothing_is_given(engine: Engine) -> None:
    assert read_along(engine, DIGESTS, 10) == {}
    with pytest.raises(BlobDamaged, match="missing"):
        engine.read(PROJECT, lambda tx: content(tx, DIGESTS[0]))


def test_what_stands_in_for_erased_content_is_not_the_original(engine: Engine) -> None:
    blob = redact(seal(STATES[0]), b"erased")
    keep(engine, blob)

    assert engine.read(PROJECT, lambda tx: content(tx, blob.digest)) == b"erased"
    with pytest.raises(BlobRedacted):
        engine.read(PROJECT, lambda tx: original(tx, blob.digest))


def test_the_original_is_read_whole(engine: Engine, chain: list[Blob]) -> None:
    assert engine.read(PROJECT, lambda tx: original(tx, chain[-1].digest)) == STATES[-1]
