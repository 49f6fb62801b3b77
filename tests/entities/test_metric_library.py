"""Measuring from Python."""

import asyncio
import time
from datetime import UTC, datetime

import pytest

from hansard.app.application import Application
from hansard.entities.metrics.limits import SAMPLES_MAX
from hansard.kernel.problem import InvalidInput
from hansard.sdk import Hansard
from hansard.sdk.metrics import Metrics

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def metrics(app: Application) -> Metrics:
    return Metrics(Hansard(application=app).call)


def test_a_value_is_recorded_and_asked_for(metrics: Metrics) -> None:
    metrics.record("ms", 3, {"model": "a"}, at=NOON)
    metrics.record("ms", 5)

    [found] = metrics.query("ms", bucket="day", by="model", where={"model": "a"}, since=NOON)

    assert (found.start, found.count, found.sum) == ("2026-01-01T00:00:00.000Z", 1, 3.0)
    assert found.dimensions == {"model": "a"}
    assert [(one.name, one.count) for one in metrics.list()] == [("ms", 2)]


def test_any_number_of_samples_is_recorded_in_batches(metrics: Metrics) -> None:
    many = ({"name": "ms", "value": 1, "at": NOON} for _ in range(SAMPLES_MAX + 1))

    assert metrics.record_all(many) == SAMPLES_MAX + 1

    [found] = metrics.query("ms")
    assert found.count == SAMPLES_MAX + 1


def test_a_block_is_timed_also_when_it_fails(metrics: Metrics) -> None:
    watch = metrics.timed("block.s", {"what": "nothing"})

    with watch, watch:
        time.sleep(0.01)
    with pytest.raises(ZeroDivisionError), watch:
        _ = 1 / 0

    [found] = metrics.query("block.s", by=["what"])
    assert found.count == 3
    assert 0.01 <= found.max < 60


def test_a_function_is_timed_at_each_call_and_stays_itself(metrics: Metrics) -> None:
    @metrics.timed("call.s")
    def double(number: int, *, depth: int = 0) -> int:
        """Double it."""
        return double(number, depth=depth - 1) if depth else number * 2

    assert double(4, depth=2) == 8
    assert double.__doc__ == "Double it."
    [found] = metrics.query("call.s")
    assert found.count == 3


def test_a_function_that_is_awaited_is_timed_until_it_is_done(metrics: Metrics) -> None:
    @metrics.timed("await.s")
    async def wait() -> str:
        await asyncio.sleep(0.01)
        return "done"

    assert asyncio.run(wait()) == "done"

    [found] = metrics.query("await.s")
    assert found.min >= 0.01


def test_what_is_no_number_is_refused(metrics: Metrics) -> None:
    with pytest.raises(InvalidInput):
        metrics.record("ms", float("inf"))

    assert metrics.list() == []
