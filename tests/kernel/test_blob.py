"""Content by digest: packing loses nothing, and damage is never content."""

from dataclasses import replace
from random import Random

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.blob import (
    REUSED_BYTES_MAX,
    WINDOWS_MAX,
    Blob,
    Digest,
    canonical_json,
    digest_of,
    digests_in,
    is_digest,
    redact,
    seal,
    seal_onto,
    unseal,
    unseal_along,
)
from hansard.kernel.limits import BLOB_BYTES_MAX, BLOB_CHAIN_MAX
from hansard.kernel.problem import BlobDamaged, BlobRedacted


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


def chain_of(length: int) -> dict[Digest, Blob]:
    """Give so many blobs, each a patch of the one before it."""
    data = canonical_json([digest_of(str(number).encode()) for number in range(100)])
    blob = seal(data)
    blobs = {blob.digest: blob}
    for number in range(1, length):
        longer = data + str(number).encode()
        blob = seal_onto(longer, blob, data)
        blobs[blob.digest], data = blob, longer
    return blobs


def test_the_deepest_blob_that_is_made_is_read_and_one_deeper_is_not() -> None:
    blobs = chain_of(BLOB_CHAIN_MAX + 1)
    *_, deepest = blobs.values()

    assert deepest.depth == BLOB_CHAIN_MAX
    assert digest_of(unseal(deepest, blobs.__getitem__)) == deepest.digest
    with pytest.raises(BlobDamaged):
        unseal(replace(deepest, depth=BLOB_CHAIN_MAX + 1), blobs.__getitem__)


@pytest.mark.parametrize("change", [{"depth": 1}, {"depth": 2}, {"codec": "redacted"}])
def test_a_base_that_does_not_lie_beneath_is_refused(change: dict[str, object]) -> None:
    base, blob = chain_of(2).values()

    with pytest.raises(BlobDamaged) as refused:
        unseal(blob, lambda _: replace(base, **change))  # type: ignore[arg-type]

    assert refused.value.details["digest"] == blob.digest


def test_the_blob_that_is_to_blame_is_named() -> None:
    base, middle, last = chain_of(3).values()
    harmed = replace(base, packed=seal(b"something else " * 999).packed)
    blobs = {middle.digest: middle, base.digest: harmed}

    with pytest.raises(BlobDamaged) as refused:
        unseal(last, blobs.__getitem__)

    assert refused.value.details["digest"] == base.digest


def test_content_is_packed_alone_onto_what_it_cannot_rest_on() -> None:
    data = b"the official record " * 50
    base = seal(data)

    assert seal_onto(data, base, data).base is None
    assert seal_onto(data + b"!", redact(base), data).base is None
    assert seal_onto(data + b"!", replace(base, depth=BLOB_CHAIN_MAX), data).base is None
    assert seal_onto(data + b"!", replace(base, depth=BLOB_CHAIN_MAX - 1), data).base
    assert seal_onto(data + b"!", base, data).depth == 1


def test_a_patch_that_gains_nothing_is_not_made() -> None:
    small, other = Random(1).randbytes(300), bytes(range(256)) * 4

    assert seal_onto(small, seal(other), other).base is None


@pytest.mark.parametrize("size", [REUSED_BYTES_MAX, REUSED_BYTES_MAX + 1, 3 * REUSED_BYTES_MAX])
def test_large_and_small_contents_are_packed_in_turns(size: int) -> None:
    for length in (size, 200, size):
        data = b"the official record "[: length % 20] + b"of all " * (length // 7)
        assert unseal(seal(data), alone) == data


def test_a_redacted_blob_is_read_as_what_stands_in_or_not_at_all() -> None:
    blob = seal(b"secret " * 99)

    assert unseal(redact(blob, b"erased"), alone) == b"erased"
    assert (redact(blob).digest, redact(blob).size) == (blob.digest, blob.size)
    with pytest.raises(BlobRedacted):
        unseal(redact(blob), alone)


ONE, OTHER = digest_of(b"one"), digest_of(b"other")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", set()),
        (ONE[:-1], set()),
        (f"see {ONE}.", {ONE}),
        (ONE.upper(), set()),
        (f"{ONE} {OTHER}", {ONE, OTHER}),
    ],
)
def test_digests_are_found_wherever_they_are_mentioned(text: str, found: set[Digest]) -> None:
    assert digests_in(text.encode()) == found


@pytest.mark.parametrize("before", ["0", "00", "f" * 63, "0" * (WINDOWS_MAX - 64)])
def test_a_digest_is_found_within_a_run_that_is_not_too_long(before: str) -> None:
    assert ONE in digests_in(f"{before}{ONE}".encode())
    assert ONE in digests_in(f"{ONE}{before}".encode())


def test_in_a_very_long_run_one_after_the_other_is_looked_at() -> None:
    many = WINDOWS_MAX // 64

    assert digests_in((ONE * many + OTHER).encode()) == {ONE, OTHER}
    assert ONE not in digests_in(f"{'0' * (WINDOWS_MAX - 63)}{ONE}".encode())


@pytest.mark.parametrize(
    ("text", "is_one"),
    [(ONE, True), (ONE[:-1], False), (f"{ONE}0", False), (ONE.upper(), False), ("", False)],
)
def test_what_has_the_form_of_a_digest_is_one(text: str, is_one: bool) -> None:
    assert is_digest(text) is is_one
