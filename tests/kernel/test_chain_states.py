"""Going down a line of contents: each is what it was, or is left out."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.blob import Blob, seal, seal_onto, unseal
from hansard.kernel.chain_states import ChainStates, chain_states

STATES = [b"a long beginning " * 500 + b"and its end" * number for number in range(1, 7)]
ENDLESS = 1_000_000


def line(states: Sequence[bytes]) -> list[Blob]:
    blobs = [seal(states[0])]
    for before, state in pairwise(states):
        blobs.append(seal_onto(state, blobs[-1], before))
    return blobs


def way(blobs: Sequence[Blob], bytes_max: int = ENDLESS) -> ChainStates:
    by_digest = {blob.digest: blob for blob in blobs}
    return chain_states(blobs[-1], by_digest.__getitem__, bytes_max=bytes_max)


def reached(down: ChainStates, blob: Blob) -> bytes | None:
    data = down.reach(blob.digest)
    return None if data is None else bytes(data)


def test_all_that_lies_beneath_is_reached_one_after_the_other() -> None:
    blobs = line(STATES)
    down = way(blobs)

    assert [reached(down, blob) for blob in reversed(blobs)] == STATES[::-1]


def test_some_are_passed_by_and_where_one_is_one_may_stay() -> None:
    blobs = line(STATES)
    down = way(blobs)

    assert reached(down, blobs[3]) == reached(down, blobs[3]) == STATES[3]
    assert reached(down, blobs[0]) == STATES[0]
    assert blobs[3].digest not in down


def test_what_has_no_room_does_not_lie_below() -> None:
    states = [bytes([65 + number]) * 20_000 + STATES[0] * 9 for number in range(6)]
    blobs = line(states)
    down = way(blobs, bytes_max=50_000)

    assert [blob.digest in down for blob in blobs] == [False, False, False, True, True, True]
    assert reached(down, blobs[3]) == states[3]
    assert down.held_bytes <= len(states[0]) + 50_000


@pytest.mark.parametrize("damaged", range(6))
def test_what_is_not_what_its_digest_says_is_not_given(damaged: int) -> None:
    blobs = line(STATES)
    other = seal(b"something else").digest
    blobs[damaged] = replace(blobs[damaged], digest=other)
    if damaged < 5:
        blobs[damaged + 1] = replace(blobs[damaged + 1], base=other)
    down = way(blobs)

    sound = {blob.digest: reached(down, blob) is not None for blob in reversed(blobs)}

    assert sound == {blob.digest: blob.digest != other for blob in blobs}


@given(st.lists(st.binary(max_size=600), min_size=1, max_size=8), st.data())
def test_what_is_reached_is_what_is_unpacked(states: list[bytes], data: st.DataObject) -> None:
    blobs = line(list(dict.fromkeys(states)))
    by_digest = {blob.digest: blob for blob in blobs}
    chosen = [blob for blob in reversed(blobs) if data.draw(st.booleans())]
    down = way(blobs)

    for blob in chosen:
        if blob.digest in down:
            assert reached(down, blob) == unseal(blob, by_digest.__getitem__)
