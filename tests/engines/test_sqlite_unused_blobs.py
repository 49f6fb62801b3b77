"""What nobody needs is found, and nothing that anything rests on or mentions."""

from collections.abc import Iterator

import pytest

from hansard.engines.sqlite import unused_blobs
from hansard.engines.sqlite.unused_blobs import Sieve, sieve
from hansard.kernel.blob import Digest, digest_of

A, B, C, D, E = sorted(digest_of(bytes([number])) for number in range(5))


@pytest.fixture
def blobs() -> Iterator[Sieve]:
    with sieve() as made:
        yield made


def keep(blobs: Sieve, *digests: Digest, on: Digest | None = None, depth: int = 0) -> None:
    blobs.keep((digest, on, depth, 10) for digest in digests)


def looked_into(blobs: Sieve) -> list[Digest]:
    return [digest for page in blobs.unlooked() for digest in page]


def test_what_is_not_named_may_go_and_what_is_named_stays(blobs: Sieve) -> None:
    keep(blobs, A, B)
    blobs.name([A, C])
    blobs.choose()

    assert blobs.next(-1) == {B: 10}


def test_what_something_that_stays_rests_on_stays_down_to_the_last(blobs: Sieve) -> None:
    keep(blobs, A)
    keep(blobs, B, on=A, depth=1)
    keep(blobs, C, on=B, depth=2)
    keep(blobs, D, on=A, depth=1)
    keep(blobs, E)
    blobs.name([C])
    blobs.choose()

    assert blobs.next(-1) == {D: 10, E: 10}


def test_what_rests_on_another_goes_before_that_and_no_more_than_asked_for(blobs: Sieve) -> None:
    keep(blobs, A, E)
    keep(blobs, B, on=A, depth=1)
    keep(blobs, C, on=B, depth=2)
    blobs.choose()

    assert list(blobs.next(-1)) == [C, B, A, E]
    assert list(blobs.next(2)) == [C, B]
    blobs.gone([C, B])
    assert list(blobs.next(2)) == [A, E]


def test_what_was_deleted_is_told_apart_from_what_nobody_named(blobs: Sieve) -> None:
    keep(blobs, A, B, C)
    blobs.let_go([A, C])
    blobs.name([C])
    blobs.choose()

    assert blobs.next(-1, is_deleted=True) == {A: 10}
    assert blobs.next(-1, is_deleted=False) == {B: 10}
    assert blobs.next(-1) == {A: 10, B: 10}
    assert blobs.deleted([A, B, C]) == [A, C]
    blobs.spare_deleted()
    assert blobs.next(-1) == {B: 10}


def test_all_that_stays_is_looked_into_once_over_pages(
    blobs: Sieve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unused_blobs, "ENTRIES_PAGE", 2)
    keep(blobs, A, B, C, D, E)
    blobs.name([A, B, C])
    blobs.let_go([D])
    blobs.choose()

    assert looked_into(blobs) == [A, B, C, D]
    assert looked_into(blobs) == []


def test_nothing_is_looked_into_where_nothing_unnamed_may_go(blobs: Sieve) -> None:
    keep(blobs, A, B)
    blobs.name([A])
    blobs.let_go([B])
    blobs.choose()

    assert looked_into(blobs) == []


def test_what_is_mentioned_stays_with_what_it_rests_on_and_is_looked_into(blobs: Sieve) -> None:
    keep(blobs, A, D, E)
    keep(blobs, B, on=A, depth=1)
    blobs.name([D])
    blobs.choose()
    seen = []
    for page in blobs.unlooked():
        seen += page
        blobs.spare_unnamed([B] if D in page else [])

    assert sorted(seen) == [A, B, D]
    assert blobs.next(-1) == {E: 10}


def test_a_mention_spares_nothing_that_was_deleted_and_a_need_does(blobs: Sieve) -> None:
    keep(blobs, A, B)
    blobs.let_go([A, B])
    blobs.choose()

    blobs.spare_unnamed([A, B, C])
    assert blobs.next(-1) == {A: 10, B: 10}
    blobs.spare([A, C])
    assert blobs.next(-1) == {B: 10}
