"""Digests of states that follow from one another are those of each alone."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.running_digest import FARTHER, NEAR_END_BYTES, RunningDigest

BLOCK = bytes(range(256)) * (NEAR_END_BYTES * FARTHER // 256 + 5)

changes = st.lists(
    st.tuples(st.floats(0, 1), st.binary(max_size=40), st.integers(0, 6_000)), max_size=8
)


@given(changes)
def test_each_state_has_the_digest_that_it_has_alone(
    made: list[tuple[float, bytes, int]],
) -> None:
    running, data = RunningDigest(), bytearray(BLOCK)
    assert running.of(data) == hashlib.sha256(data).hexdigest()
    for share, put, gone in made:
        place = int(len(data) * share)
        data[place : place + gone] = put
        running.changed_from(place)

        assert running.of(data) == hashlib.sha256(data).hexdigest()


def test_a_state_that_was_not_asked_for_changes_those_after_it() -> None:
    running, data = RunningDigest(), bytearray(BLOCK)
    running.of(data)
    data[10] ^= 1
    running.changed_from(10)
    data[-1] ^= 1
    running.changed_from(len(data) - 1)

    assert running.of(data) == hashlib.sha256(data).hexdigest()


class Counting:
    """SHA-256 that notes how many bytes it is given, copies and all."""

    given = 0

    def __init__(self, real: "hashlib._Hash") -> None:
        self._real = real

    def update(self, data: memoryview) -> None:
        Counting.given += len(data)
        self._real.update(data)

    def copy(self) -> "Counting":
        return Counting(self._real.copy())

    def hexdigest(self) -> str:
        return self._real.hexdigest()


@pytest.mark.parametrize(
    ("from_end", "most"),
    [
        (1, NEAR_END_BYTES),
        (NEAR_END_BYTES - 1, NEAR_END_BYTES),
        (NEAR_END_BYTES + 1, NEAR_END_BYTES * FARTHER),
        (NEAR_END_BYTES * FARTHER - 1, NEAR_END_BYTES * FARTHER),
        (NEAR_END_BYTES * FARTHER + 1, len(BLOCK)),
    ],
)
def test_a_change_is_hashed_from_the_last_place_that_is_remembered_before_it(
    monkeypatch: pytest.MonkeyPatch, from_end: int, most: int
) -> None:
    real, data = hashlib.sha256, bytearray(BLOCK)
    monkeypatch.setattr(hashlib, "sha256", lambda: Counting(real()))
    running = RunningDigest()
    Counting.given = 0
    running.of(data)
    assert Counting.given == len(data)

    for _ in range(2):
        Counting.given = 0
        data[-from_end] ^= 1
        running.changed_from(len(data) - from_end)
        assert running.of(data) == real(data).hexdigest()
        assert Counting.given == most
