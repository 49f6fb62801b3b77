"""The samples themselves, read page by page and one by one."""

from typing import Any

import pytest

from hansard.entities.contract import EntityNotFound
from hansard.entities.metrics.contract import MetricAnswer
from hansard.kernel.problem import InvalidInput
from tests.entities.asking import Asking


def asked(at: Asking, **arguments: Any) -> MetricAnswer:
    return at.ask(MetricAnswer, "metric_query", raw=True, **arguments)


@pytest.fixture
def measured(entities_of: Asking) -> Asking:
    """A project with three batches, in which samples of two names lie, and one entity."""
    for batch in range(3):
        samples = [
            {
                "name": "ms" if number % 2 else "other",
                "value": batch * 10 + number,
                "at": f"2026-01-0{batch + 1}T00:00:0{number}Z",
                "dimensions": {"model": "a" if number == 1 else "b"},
            }
            for number in range(6)
        ]
        entities_of.app.call("metric_record", {"samples": samples}, entities_of.caller)
    entities_of.create("metric", {"name": "ms", "value": 99})
    return entities_of


@pytest.mark.holds("ENT-metric-6")
@pytest.mark.parametrize("limit", [1, 2, 4, 100])
def test_samples_are_read_page_by_page(measured: Asking, limit: int) -> None:
    seen: list[float] = []
    cursor: dict[str, Any] = {}
    while True:
        page = asked(measured, name="ms", limit=limit, **cursor)
        assert page.samples
        assert page.total == 10
        assert len(page.samples) <= limit
        seen += [one.value for one in page.samples]
        if page.nextCursor is None:
            break
        cursor = {"cursor": page.nextCursor}

    assert sorted(seen) == sorted([1, 3, 5, 11, 13, 15, 21, 23, 25, 99])
    assert [one for one in seen if one != 99] == sorted(one for one in seen if one != 99)


@pytest.mark.holds("ENT-metric-6")
def test_samples_are_those_of_the_time_and_dimensions_asked_for(measured: Asking) -> None:
    times = {"since": "2026-01-02T00:00:01Z", "until": "2026-01-03T00:00:03Z"}

    page = asked(measured, name="ms", **times)
    of_a = asked(measured, name="ms", where={"model": "a"})

    assert page.samples
    assert of_a.samples
    assert [one.value for one in page.samples] == [11, 13, 15, 21]
    assert page.total == 4
    assert [one.value for one in of_a.samples] == [1, 11, 21]
    assert page.samples[0].at == "2026-01-02T00:00:01.000Z"
    assert asked(measured, name="none").samples == []


@pytest.mark.holds("ENT-metric-6")
def test_every_sample_is_a_record_that_can_be_read_by_its_id(measured: Asking) -> None:
    page = asked(measured, name="ms")
    assert page.samples

    for sample in page.samples:
        read = measured.get(sample.id)
        assert read == sample.model_dump(exclude={"at"})
        assert sample.id in page.text()
    assert len({one.id for one in page.samples}) == 10
    with pytest.raises(EntityNotFound):
        measured.get(page.samples[0].id, as_of="s:1")


def test_an_id_that_names_no_sample_is_of_nothing(measured: Asking) -> None:
    for place in ("a" * 20, "9" * 20, "a" * 13 + "b" + "9" * 6, "-" * 20):
        with pytest.raises(EntityNotFound):
            measured.get(f"metric::{place}")


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"name": "ms", "by": ["model"]},
        {"name": "ms", "bucket": "day"},
        {"name": "ms", "cursor": "x"},
    ],
)
def test_what_makes_no_sense_of_samples_is_refused(
    measured: Asking, arguments: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        asked(measured, **arguments)
