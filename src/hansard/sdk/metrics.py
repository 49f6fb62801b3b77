"""Measuring, in Python: one value, many at once, or how long something takes."""

import functools
import inspect
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from typing import Any, ParamSpec, TypeVar, cast

from hansard.entities.metrics.contract import Group, MetricAnswer, MetricShown
from hansard.entities.metrics.limits import GROUPS_MAX, SAMPLES_MAX
from hansard.entities.metrics.times import Bucket
from hansard.kernel import paging
from hansard.kernel.clock import to_text
from hansard.sdk.call import Call

P = ParamSpec("P")
T = TypeVar("T")
Time = str | int | datetime
"""ISO text, milliseconds since 1970, or Python's own."""


class Metrics:
    """Records measurements and asks what they come to."""

    def __init__(self, call: Call) -> None:
        """Ask through this."""
        self._call = call

    def record(
        self,
        name: str,
        value: float,
        dimensions: Mapping[str, str] | None = None,
        *,
        at: Time | None = None,
    ) -> None:
        """Record one measurement, of this moment unless another is given."""
        self.record_all([{"name": name, "value": value, "dimensions": dimensions or {}, "at": at}])

    def record_all(self, samples: Iterable[Mapping[str, Any]]) -> int:
        """Record measurements as `metric_record` takes them, any number; returns how many.

        They are durable ten thousand at a time, in their order.
        """
        waiting, count = iter(samples), 0
        while batch := [_plain(one) for one in islice(waiting, SAMPLES_MAX)]:
            self._call("metric_record", samples=batch)
            count += len(batch)
        return count

    def query(
        self,
        name: str,
        *,
        bucket: Bucket | None = None,
        by: str | Sequence[str] = (),
        where: Mapping[str, str] | None = None,
        since: Time | None = None,
        until: Time | None = None,
    ) -> list[Group]:
        """Sum up a metric by time and dimensions, in the order of time, then of dimensions."""
        asked = {
            "name": name,
            "bucket": bucket,
            "by": [by] if isinstance(by, str) else list(by),
            "where": dict(where or {}),
            "since": _time(since),
            "until": _time(until),
        }
        return [group for answer in self._pages(asked) for group in answer.groups or ()]

    def list(self) -> list[MetricShown]:
        """Name the metrics there are."""
        return [metric for answer in self._pages({}) for metric in answer.metrics or ()]

    def timed(self, name: str, dimensions: Mapping[str, str] | None = None) -> "Timed":
        """Measure in seconds how long a `with` block takes, or each call of a function.

        with metrics.timed("build.seconds", {"target": "docs"}):
            build()
        """
        return Timed(self, name, dict(dimensions or {}))

    def _pages(self, asked: Mapping[str, Any]) -> Iterator[MetricAnswer]:
        given = {key: value for key, value in asked.items() if value is not None}

        def ask(**place: str) -> MetricAnswer:
            answer = self._call("metric_query", limit=GROUPS_MAX, **given, **place)
            assert isinstance(answer, MetricAnswer), "metric_query gave another answer"
            return answer

        return paging.answers(ask)


class Timed:
    """A stop watch, as a context manager and as a decorator. What fails is measured too."""

    def __init__(self, metrics: Metrics, name: str, dimensions: dict[str, str]) -> None:
        """Measure nothing yet."""
        self._metrics = metrics
        self._name = name
        self._dimensions = dimensions
        self._begun_s: list[float] = []

    def __enter__(self) -> None:
        self._begun_s.append(time.perf_counter())

    def __exit__(self, *_: object) -> None:
        self._record(self._begun_s.pop())

    def __call__(self, function: Callable[P, T]) -> Callable[P, T]:
        """Measure each call of a function, also of one that is awaited."""
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*arguments: P.args, **named: P.kwargs) -> Any:
                with self._watch():
                    return await function(*arguments, **named)

            return cast("Callable[P, T]", awaited)

        @functools.wraps(function)
        def called(*arguments: P.args, **named: P.kwargs) -> T:
            with self._watch():
                return function(*arguments, **named)

        return called

    @contextmanager
    def _watch(self) -> Iterator[None]:
        """Measure one of several calls that may run at once."""
        begun_s = time.perf_counter()
        try:
            yield
        finally:
            self._record(begun_s)

    def _record(self, begun_s: float) -> None:
        self._metrics.record(self._name, time.perf_counter() - begun_s, self._dimensions)


def _plain(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what was not given, and write Python's times as text."""
    plain = {key: value for key, value in sample.items() if value is not None}
    if "at" in plain:
        plain["at"] = _time(plain["at"])
    return plain | ({"dimensions": dict(sample["dimensions"])} if "dimensions" in plain else {})


def _time(given: Time | None) -> str | int | None:
    return to_text(given) if isinstance(given, datetime) else given
