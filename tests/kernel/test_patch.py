"""Patches: what follows from another content is made again exactly, and damage is refused."""

import random
import struct

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel import patch

PIECES = st.lists(st.sampled_from([b"the ", b"official ", b"record ", b"\0", b"x" * 700]))
"""Contents made of few pieces, so that two of them have much in common."""


def applied(made: bytes, base: bytes, size: int) -> bytes:
    data = bytearray(base)
    patch.apply(made, data, size)
    return bytes(data)


@given(PIECES, PIECES, PIECES, PIECES)
def test_what_is_cut_out_and_put_in_comes_back(
    head: list[bytes], old: list[bytes], new: list[bytes], tail: list[bytes]
) -> None:
    base, data = (b"".join([*head, *middle, *tail]) for middle in (old, new))

    assert applied(patch.make(data, base), base, len(data)) == data


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_any_content_follows_from_any_other(data: bytes, base: bytes) -> None:
    assert applied(patch.make(data, base), base, len(data)) == data


def test_a_patch_costs_what_was_added() -> None:
    base = b"".join(b"%d," % number for number in range(100_000))

    assert len(patch.make(base + b"one more", base)) < 40
    assert len(patch.make(base[:300_000] + b"!" + base[300_000:], base)) < 40
    assert len(patch.make(base[:1_000], base)) < 40


@pytest.mark.parametrize(
    "harm",
    [
        lambda _: b"",
        lambda made: made[:7],
        lambda made: made[:-1],
        lambda made: b"\xff\xff\xff\xff" + made[4:],
        lambda made: made[:4] + b"\xff\xff\xff\xff" + made[8:],
        lambda made: made[:8] + b"no frame",
        lambda made: made[:8] + zstandard.compress(b"\0" * 100_000_000),
        lambda made: made[:8] + zstandard.compress(b"of another size"),
        lambda made: made + b"\0",
    ],
)
def test_what_is_no_patch_is_refused(harm: object) -> None:
    base, data = b"the official record " * 50, b"the official record " * 51
    harmed = harm(patch.make(data, base))  # type: ignore[operator]

    with pytest.raises(patch.PatchError):
        applied(harmed, base, len(data))


@pytest.mark.parametrize("length", [0, 1, 31, 32, 33, 64, 65, 100, 1_000, 5_000])
def test_all_that_is_the_same_at_both_ends_is_only_counted(length: int) -> None:
    """What is counted short is stored again, and what is counted long is lost."""
    same = bytes(random.Random(length).choices(range(64), k=length))
    changes = [(b"", b"y"), (b"x", b""), (b"x", b"y"), (b"xx", b"yyy")]

    for was, now in changes:
        head, tail = struct.unpack_from("<II", patch.make(same + now + same, same + was + same))
        assert (head, tail) == (length, length)
    assert struct.unpack_from("<II", patch.make(same, same)) == (length, 0)
    assert struct.unpack_from("<II", patch.make(same + b"y", same)) == (length, 0)
    assert struct.unpack_from("<II", patch.make(b"y" + same, b"x" + same)) == (0, length)


@pytest.mark.parametrize("length", [0, 1, patch.PLAIN_BYTES_MAX, patch.PLAIN_BYTES_MAX + 1])
def test_a_short_middle_is_a_frame_that_any_zstd_unpacks(length: int) -> None:
    middle, base = random.Random(length).randbytes(length), b"head" * 100 + b"tail" * 100
    data = base[:400] + middle + base[400:]

    made = patch.make(data, base)

    head = patch.ends(made)[0]
    assert zstandard.ZstdDecompressor().decompress(made[8:]) in data[head:]
    unpacked = bytearray(base)
    patch.apply(made, unpacked, len(data))
    assert bytes(unpacked) == data


@pytest.mark.parametrize("length", [1, patch.PLAIN_BYTES_MAX])
def test_a_short_middle_is_written_down_as_it_is(length: int) -> None:
    base = b"head" * 100

    made = patch.make(base + b"z" * length, base)

    assert made.endswith(b"z" * length)
    assert b"z" * (length + 1) not in patch.make(base + b"z" * 33, base)


@pytest.mark.parametrize("before", [100, 2_000, patch.NEAR_BYTES, patch.NEAR_BYTES + 3_000])
def test_what_repeats_something_just_before_it_costs_little(before: int) -> None:
    chance = random.Random(before)
    base = chance.randbytes(before) + b"|" + chance.randbytes(before)
    near = base[:before][-patch.NEAR_BYTES :][:90]
    data = base[:before] + near + base[before:]

    made = patch.make(data, base)

    assert len(made) < 8 + len(near)
    assert applied(made, base, len(data)) == data


def test_what_is_repeated_from_further_back_is_written_again() -> None:
    chance = random.Random(1)
    base = chance.randbytes(patch.NEAR_BYTES * 2)
    far = base[patch.NEAR_BYTES - 400 : patch.NEAR_BYTES - 100]

    assert len(patch.make(base + far, base)) > len(far)


def test_a_patch_that_an_older_version_made_is_applied() -> None:
    base = b"".join(b"%d," % number for number in range(300))
    made = bytes.fromhex("e80300005a00000028b52ffd204b4d0000103c3e010046121542")

    assert (
        applied(made, base, len(base) + 75)
        == base[:1000] + b"<" + base[200:273] + b">" + base[1000:]
    )


def frame_of_unknown_size(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_content_size=False).compress(data)


@pytest.mark.parametrize(
    ("head", "tail", "frame", "size"),
    [
        (6, 5, zstandard.compress(b""), 11),
        (6, 5, frame_of_unknown_size(b""), 10),
        (3, 3, frame_of_unknown_size(b"new"), 5),
        (3, 3, frame_of_unknown_size(b"new"), 9),
        (0, 11, zstandard.compress(b""), 11),
    ],
)
def test_a_patch_that_counts_more_than_there_is_changes_nothing(
    head: int, tail: int, frame: bytes, size: int
) -> None:
    data = bytearray(b"0123456789")

    with pytest.raises(patch.PatchError):
        patch.apply(struct.pack("<II", head, tail) + frame, data, size)

    assert data == b"0123456789"


@pytest.mark.parametrize(
    ("made", "ends"),
    [(b"", (0, 0)), (b"\7\0\0\0\0\0\0", (0, 0)), (b"\7\0\0\0\5\0\0\0", (7, 5))],
)
def test_the_ends_that_a_patch_leaves_are_known_without_its_base(
    made: bytes, ends: tuple[int, int]
) -> None:
    assert patch.ends(made) == ends
