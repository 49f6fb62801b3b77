"""Digests of states that follow from one another are those of each alone."""

import hashlib

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
