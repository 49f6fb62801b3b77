"""Sketches of values, and how time is cut: pure."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.entities.limits import VALUE_MAX
from hansard.entities.metrics import batch, limits, rules, sketch
from hansard.entities.metrics.times import Bucket, to_iso, to_ms

VALUES = st.lists(st.floats(-VALUE_MAX, VALUE_MAX), min_size=1, max_size=60)


def sketch_of(values: list[float]) -> sketch.Sketch:
    return sketch.sketch_of(values, [sketch.bin_of(value) for value in values])


@given(values=VALUES, share=st.floats(0, 1))
@settings(deadline=None)
def test_a_quantile_is_within_the_stated_error(values: list[float], share: float) -> None:
    found = sketch.quantile(sketch_of(values), share)

    true = sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]
    # What lies nearer to zero than any measurement is zero.
    assert found == pytest.approx(true, rel=sketch.RELATIVE_ERROR * 1.001, abs=1e-299)


@given(values=VALUES, at=st.integers(0, 60))
@settings(deadline=None)
def test_merging_sketches_is_sketching_all_values(values: list[float], at: int) -> None:
    parts = [sketch_of(part) for part in (values[:at], values[at:]) if part]

    whole, merged = sketch_of(values), sketch.merged(parts)

    assert merged | {"sum": 0.0} == whole | {"sum": 0.0}
    assert merged["sum"] == pytest.approx(whole["sum"], rel=1e-9, abs=VALUE_MAX * 1e-12)


def test_a_sketch_is_bounded_whatever_it_is_given() -> None:
    values = [math.exp(step * 0.05) for step in range(-6_000, 6_000)]

    bounded = sketch.merged([sketch_of(values[:7_000]), sketch_of(values[7_000:])])

    assert len(bounded["steps"]) == len(bounded["counts"]) == limits.BINS_MAX
    assert sum(bounded["counts"]) == bounded["count"] == len(values)
    p95 = sketch.quantile(bounded, 0.95)
    assert p95 == pytest.approx(values[int(0.95 * 11_999)], rel=sketch.RELATIVE_ERROR * 1.001)


MOMENTS = st.integers(0, 40 * 86_400_000)


@given(bucket=st.sampled_from([None, "minute", "hour", "day"]), ends=st.tuples(MOMENTS, MOMENTS))
@settings(deadline=None)
def test_pieces_cover_a_time_exactly_and_by_the_coarsest_level(
    bucket: Bucket | None, ends: tuple[int, int]
) -> None:
    since, until = sorted(ends)

    pieces = rules.pieces(bucket, since, until)

    edges = [since, *(piece.stop_ms for piece in pieces)]
    assert [piece.start_ms for piece in pieces] == edges[:-1]
    assert edges[-1] == until
    assert all(earlier < later for earlier, later in pairwise(edges))
    for piece in pieces:
        if piece.level is None:
            assert piece.stop_ms - piece.start_ms < 2 * 3_600_000 or bucket == "minute"
        else:
            size_ms = rules.SIZES_MS[piece.level]
            assert piece.start_ms % size_ms == piece.stop_ms % size_ms == 0
            assert size_ms <= rules.SIZES_MS[bucket or "day"]


def test_a_question_reads_the_coarsest_line_that_can_answer_it() -> None:
    counts = {"model": 3, "tool": 2}

    assert rules.choose_grain(counts, 3, []) == rules.ALL
    assert rules.choose_grain(counts, 3, ["model"]) == rules.grain_of("model")
    assert rules.choose_grain(counts, 3, ["tool"]) == rules.WHOLE
    assert rules.choose_grain(counts, 3, ["model", "tool"]) == rules.WHOLE
    assert rules.choose_grain(counts, 3, ["unknown"]) == rules.WHOLE


SAMPLES = st.builds(
    batch.Sample,
    st.text(min_size=1, max_size=3),
    st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=3),
    st.integers(0, limits.TIME_MS_MAX),
    st.floats(allow_nan=False, allow_infinity=False),
)


@given(samples=st.lists(SAMPLES, min_size=1, max_size=20))
@settings(deadline=None)
def test_a_batch_comes_back_as_it_was(samples: list[batch.Sample]) -> None:
    unpacked = batch.unpack(batch.pack(batch.gather(samples)))

    assert [unpacked.sample(index) for index in range(len(samples))] == samples


@given(at_ms=st.integers(0, limits.TIME_MS_MAX))
@settings(deadline=None)
def test_a_time_is_the_same_in_both_spellings(at_ms: int) -> None:
    assert to_ms(to_iso(at_ms)) == to_ms(at_ms) == at_ms
