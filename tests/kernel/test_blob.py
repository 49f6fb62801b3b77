"""Content by digest: packing loses nothing, and damage is never content."""

from dataclasses import replace

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.blob import (
    Blob,
    Digest,
    canonical_json,
    digest_of,
    seal,
    seal_onto,
    unseal,
    unseal_along,
)
from hansard.kernel.limits import BLOB_BYTES_MAX, BLOB_CHAIN_MAX
from hansard.kernel.problem import BlobDamaged


def alone(_: Digest) -> Blob:
    raise AssertionError("a blob that stands alone needs no other")


@given(st.binary(max_size=5_000))
def test_what_is_sealed_is_unsealed_the_same(data: bytes) -> None:
    assert unseal(seal(data), alone) == data


@given(st.binary(min_size=200, max_size=2_000), st.binary(max_size=50))
def test_a_delta_is_unsealed_the_same(data: bytes, edit: bytes) -> None:
    base = seal(data)
    blob = seal_onto(data + edit, base, data)

    assert unseal(blob, {base.digest: base}.__getitem__) == data + edit


def test_text_is_packed_and_noise_is_not() -> None:
    text = b"what was decided stays decided. " * 100

    assert len(seal(text).packed) < len(text) / 5
    assert seal(digest_of(b"").encode()).codec == "raw"


def test_a_small_change_of_a_large_text_costs_little() -> None:
    lines: list[str] = [digest_of(str(number).encode()) for number in range(2_000)]
    before = "\n".join(lines).encode()
    lines[1_000] = "changed"
    after = "\n".join(lines).encode()

    blob = seal_onto(after, seal(before), before)

    assert blob.base == digest_of(before)
    assert len(blob.packed) < 500


def test_chains_of_deltas_are_bounded() -> None:
    data = canonical_json([digest_of(str(number).encode()) for number in range(500)])
    blobs = {(blob := seal(data)).digest: blob}
    for number in range(3 * BLOB_CHAIN_MAX):
        longer = data + str(number).encode()
        blob = seal_onto(longer, blob, data)
        blobs[blob.digest], data = blob, longer

    assert max(one.depth for one in blobs.values()) == BLOB_CHAIN_MAX
    assert unseal(blob, blobs.__getitem__) == data


def _bomb(blob: Blob) -> Blob:
    return replace(blob, packed=zstandard.compress(b"\0" * 100_000_000))


@pytest.mark.fault("damaged blob")
@pytest.mark.holds("ALL-06.43")
@pytest.mark.parametrize(
    "harm",
    [
        lambda blob: replace(blob, packed=blob.packed[:-1]),
        lambda blob: replace(blob, packed=b""),
        lambda blob: replace(blob, packed=bytes([*blob.packed[:-3], 0, 0, 0])),
        lambda blob: replace(blob, packed=b"not zstandard at all"),
        lambda blob: replace(blob, size=blob.size + 1),
        lambda blob: replace(blob, size=2**40),
        lambda blob: replace(blob, depth=BLOB_CHAIN_MAX + 1),
        lambda blob: replace(blob, packed=seal(b"something else " * 100).packed),
        lambda blob: replace(blob, codec="raw", packed=b"x" * blob.size),
        lambda blob: replace(blob, base=blob.digest, depth=0),
        _bomb,
    ],
)
def test_damage_is_refused_and_never_returned(harm: object) -> None:
    blob = seal(b"the official record " * 100)

    with pytest.raises(BlobDamaged):
        unseal(harm(blob), lambda _: blob)  # type: ignore[operator]


@given(st.dictionaries(st.text(), st.integers(-(2**63), 2**63 - 1) | st.text() | st.booleans()))
def test_canonical_json_does_not_depend_on_the_order_of_keys(value: dict[str, object]) -> None:
    backwards = dict(reversed(value.items()))

    assert canonical_json(value) == canonical_json(backwards)
    assert canonical_json({"a": 1}) != canonical_json({"a": 1.0})


def test_a_blob_larger_than_any_may_be_is_refused_before_it_is_inflated() -> None:
    size = BLOB_BYTES_MAX + 1
    # Of this one all is as it claims; what it lacks is a limit.
    packed = zstandard.ZstdCompressor().compress(bytes(size))
    bomb = Blob(digest_of(bytes(size)), size, "zstd", packed)
    assert len(packed) < size / 1_000

    with pytest.raises(BlobDamaged, match="larger"):
        unseal(bomb, alone)


def test_a_patch_that_grows_beyond_any_blob_is_refused() -> None:
    base = seal(b"small")
    grown = replace(seal_onto(b"small and more", base, b"small"), size=BLOB_BYTES_MAX + 1)

    with pytest.raises(BlobDamaged, match="larger"):
        unseal(grown, {base.digest: base}.__getitem__)


DATA = b"what was decided stays decided. " * 20


@pytest.mark.parametrize(
    "change",
    [
        {"codec": "zstd"},
        {"base": None},
        {"depth": 0},
        {"depth": BLOB_CHAIN_MAX + 1},
        {"size": BLOB_BYTES_MAX + 1},
        {"size": len(DATA)},
    ],
)
def test_a_patch_that_is_not_what_it_says_is_refused(change: dict[str, object]) -> None:
    base = seal(DATA)
    blob = seal_onto(DATA + b"more", base, DATA)
    assert blob.codec == "patch"

    with pytest.raises(BlobDamaged):
        unseal(replace(blob, **change), {base.digest: base}.__getitem__)  # type: ignore[arg-type]


def test_what_lies_beneath_is_given_along_as_far_as_it_is_wanted_and_proved() -> None:
    base = seal(DATA)
    blob = seal_onto(DATA + b"more", base, DATA)
    known = {base.digest: base}.__getitem__
    both = {base.digest: DATA, blob.digest: DATA + b"more"}

    assert unseal_along(blob, known, set(both)) == both
    assert unseal_along(blob, known, {base.digest}) == {base.digest: DATA}
    assert unseal_along(blob, known, set()) == {}
    assert unseal_along(replace(blob, codec="redacted"), known, set(both)) == {}
    other = digest_of(b"other")
    assert unseal_along(replace(blob, digest=other), known, {base.digest, other}) == {
        base.digest: DATA
    }


@pytest.mark.parametrize(("length", "codec"), [(0, "raw"), (40, "raw"), (2_000, "zstd")])
def test_what_is_too_short_to_gain_is_not_packed(length: int, codec: str) -> None:
    assert seal(b"a" * length).codec == codec
