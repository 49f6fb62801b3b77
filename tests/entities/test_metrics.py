"""Recording measurements and asking what they come to, through the waist on every engine."""

import math
from collections.abc import Mapping
from itertools import count, product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.entities import transfer
from hansard.entities.metrics import limits
from hansard.entities.metrics.contract import Group, MetricAnswer
from hansard.entities.metrics.rules import SIZES_MS
from hansard.entities.metrics.sketch import RELATIVE_ERROR
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from tests.conftest import OpenApp, SteppingClock, a_caller

NOON_MS = 1_767_268_800_000
"""2026-01-01T12:00:00Z"""
HOUR_MS = SIZES_MS["hour"]


def sample(value: float, at: str | int = NOON_MS, name: str = "ms", **dimensions: str) -> Any:
    return {"name": name, "value": value, "at": at, "dimensions": dimensions}


def record(app: Application, caller: Caller, *samples: Any) -> None:
    app.call("metric_record", {"samples": list(samples)}, caller)


def ask(app: Application, caller: Caller, name: str | None = "ms", **asked: Any) -> MetricAnswer:
    named = {} if name is None else {"name": name}
    answer = app.call("metric_query", named | asked, caller)
    assert isinstance(answer, MetricAnswer)
    return answer


def groups(app: Application, caller: Caller, **asked: Any) -> list[Group]:
    found = ask(app, caller, **asked).groups
    assert found is not None
    return found


NUMBERS = count()


def new_project(app: Application) -> str:
    """Make an empty project."""
    identifier = f"p{next(NUMBERS)}"
    app.call("create_project", {"id": identifier, "name": identifier}, a_caller())
    return identifier


@pytest.mark.holds("ENT-tools-9", "ENT-metric-3", "ENT-metric-4", "ENT-metric-5")
def test_samples_are_summed_up_by_bucket_and_dimension(app: Application, agent: Caller) -> None:
    record(
        app,
        agent,
        sample(1, "2026-01-01T12:00:00Z", model="a"),
        sample(3, "2026-01-01T12:59:59.999Z", model="a"),
        sample(-2, "2026-01-01T14:30:00+02:00", model="b"),
        sample(7, "2026-01-01T13:00:00Z", model="a"),
    )

    found = groups(app, agent, bucket="hour", by=["model"])

    noon, one = "2026-01-01T12:00:00.000Z", "2026-01-01T13:00:00.000Z"
    assert [(one.start, one.dimensions["model"], one.count) for one in found] == [
        (noon, "a", 2),
        (noon, "b", 1),
        (one, "a", 1),
    ]
    assert found[0].model_dump(include={"sum", "min", "max", "mean"}) == {
        "sum": 4.0,
        "min": 1.0,
        "max": 3.0,
        "mean": 2.0,
    }
    assert found[0].p50 == pytest.approx(1, rel=RELATIVE_ERROR)
    assert (found[1].p50, found[1].p95) == (-2.0, -2.0)


@pytest.mark.holds("ENT-metric-2")
def test_many_samples_make_one_entry_and_one_line_of_activity(
    app: Application, agent: Caller
) -> None:
    record(app, agent, sample(1))
    before = app.store.read("default", lambda tx: tx.head().seq)

    record(app, agent, *(sample(value, name=f"m{value % 2}") for value in range(1_000)))

    [entry] = app.store.read("default", lambda tx: tx.entries(after=before, limit=10))
    event = app.store.kinds.decode(entry)
    assert event is not None
    assert event.summary() == "1,000 samples of m0 and 1 other metric recorded"
    assert len(entry.payload or b"") < 300


FINE = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["ms", "other"]),
        "value": st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3)),
        "at": st.integers(NOON_MS - 3 * HOUR_MS, NOON_MS + 40 * HOUR_MS),
        "dimensions": st.dictionaries(
            st.sampled_from(["model", "tool"]), st.sampled_from(["a", "b"]), max_size=2
        ),
    }
)
MOMENTS = st.none() | st.integers(NOON_MS - 5 * HOUR_MS, NOON_MS + 50 * HOUR_MS)


def _is_in_order(asked: Mapping[str, Any]) -> bool:
    since, until = asked["since"], asked["until"]
    return since is None or until is None or since < until


ASKED = st.fixed_dictionaries(
    {
        "bucket": st.sampled_from([None, "minute", "hour", "day"]),
        "by": st.lists(st.sampled_from(["model", "tool"]), unique=True),
        "where": st.dictionaries(st.sampled_from(["model"]), st.sampled_from(["a", "b"])),
        "since": MOMENTS,
        "until": MOMENTS,
    }
)


def by_hand(samples: list[Any], asked: Mapping[str, Any]) -> dict[Any, list[float]]:
    """Put the values of the samples that are asked for into their groups."""
    found: dict[Any, list[float]] = {}
    for one in samples:
        size_ms = SIZES_MS[asked["bucket"]] if asked["bucket"] else None
        since, until = asked["since"] or 0, asked["until"] or limits.TIME_MS_MAX
        is_matched = all(one["dimensions"].get(k) == v for k, v in asked["where"].items())
        if one["name"] == "ms" and since <= one["at"] < until and is_matched:
            start = one["at"] - one["at"] % size_ms if size_ms else None
            key = start, tuple(one["dimensions"].get(name) for name in asked["by"])
            found.setdefault(key, []).append(one["value"])
    return found


@pytest.mark.holds("ENT-metric-1", "ENT-metric-3", "ENT-metric-4", "ENT-metric-5")
@given(
    batches=st.lists(st.lists(FINE, min_size=1, max_size=12), min_size=1, max_size=4),
    asked=ASKED.filter(_is_in_order),
)
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_answers_are_what_the_samples_come_to(
    app: Application, batches: list[list[Any]], asked: dict[str, Any]
) -> None:
    caller, place = a_caller(), {"project_id": new_project(app)}
    for batch in batches:
        app.call("metric_record", {"samples": batch} | place, caller)
    expected = by_hand([one for batch in batches for one in batch], asked)

    given_ = {key: value for key, value in asked.items() if value is not None}
    found = groups(app, caller, **given_, **place, limit=limits.GROUPS_MAX)

    assert len(found) == len(expected)
    for one, values in zip(found, (expected[key] for key in _ordered(expected)), strict=True):
        values.sort()
        assert (one.count, one.min, one.max) == (len(values), values[0], values[-1])
        assert one.sum == pytest.approx(sum(values), rel=1e-9, abs=1e-6)
        for share, shown in ((0.5, one.p50), (0.95, one.p95)):
            true = values[math.ceil(share * len(values)) - 1]
            assert shown == pytest.approx(true, rel=RELATIVE_ERROR * 1.001, abs=1e-9)


def _ordered(expected: Mapping[Any, object]) -> list[Any]:
    """Order groups as answers do: by time, then by their values as JSON, null after text."""
    return sorted(expected, key=lambda key: (key[0] or 0, [(v is None, v or "") for v in key[1]]))


def test_samples_without_a_dimension_are_a_group_of_their_own(
    app: Application, agent: Caller
) -> None:
    record(app, agent, sample(1, model="a"), sample(2), sample(4, tool="x"))

    found = groups(app, agent, by=["model"])

    assert {one.dimensions["model"]: one.sum for one in found} == {"a": 1.0, None: 6.0}


def test_a_time_is_cut_to_the_millisecond(app: Application, agent: Caller) -> None:
    times = [NOON_MS - 1, NOON_MS, NOON_MS + HOUR_MS + 499, NOON_MS + HOUR_MS + 500]
    record(app, agent, *(sample(1, at) for at in times))

    [found] = groups(app, agent, since=NOON_MS, until="2026-01-01T13:00:00.500Z")

    assert found.count == 2


def test_a_sample_without_a_time_is_of_the_moment_it_is_recorded(
    app: Application, agent: Caller, clock: SteppingClock
) -> None:
    app.call("metric_record", {"samples": [{"name": "ms", "value": 1}]}, agent)

    [found] = groups(app, agent, bucket="minute")

    assert found.start == clock.now.strftime("%Y-%m-%dT%H:%M:00.000Z")


def test_a_page_leads_to_the_next_until_every_group_was_given_once(
    app: Application, agent: Caller
) -> None:
    record(
        app,
        agent,
        *(sample(1, NOON_MS + HOUR_MS * hour, model=one) for hour, one in product(range(5), "abc")),
    )

    seen, cursor, pages = [], None, 0
    while True:
        more: dict[str, Any] = {} if cursor is None else {"cursor": cursor}
        answer = ask(app, agent, bucket="hour", by=["model"], limit=4, **more)
        seen += [(one.start, one.dimensions["model"]) for one in answer.groups or ()]
        cursor, pages = answer.nextCursor, pages + 1
        assert answer.total == 15
        if cursor is None:
            break

    assert pages == 4
    assert len(set(seen)) == 15
    assert seen == sorted(seen)


def test_without_a_name_the_metrics_are_listed(app: Application, agent: Caller) -> None:
    record(app, agent, sample(1, model="a"), sample(2, name="tokens"), sample(1, tool="b"))

    answer = ask(app, agent, name=None, limit=1)
    following = ask(app, agent, name=None, cursor=answer.nextCursor)

    assert answer.total == 2
    [first] = answer.metrics or []
    assert (first.name, first.count, first.series) == ("ms", 2, 2)
    assert first.dimensions == ["model", "tool"]
    assert first.first == "2026-01-01T12:00:00.000Z"
    assert [one.name for one in following.metrics or ()] == ["tokens"]
    assert "ms: 2 samples by model, tool" in answer.text()


@pytest.mark.holds("002-metric-1")
def test_a_metric_that_was_made_as_an_entity_counts_too(app: Application, agent: Caller) -> None:
    given = {"name": "ms", "value": 5, "dimensions": {"model": "a"}}
    record(app, agent, sample(1, model="a"))
    for one in (given, {"name": "bare", "value": 0.5}):
        app.call("entity_create", {"type": "metric", "data": one}, agent)

    listed = app.call("entity_list", {"type": "metric"}, agent).model_dump(mode="json")
    [found] = groups(app, agent, by=["model"])
    by_minute = groups(app, agent, bucket="minute")

    bare, made = sorted(listed["entities"], key=lambda one: str(one["name"]))
    assert (bare["dimensions"], bare["value"]) == ({}, 0.5)
    assert {key: made[key] for key in given} == given
    assert (found.count, found.sum) == (2, 6.0)
    assert sum(one.count for one in by_minute) == 2


def test_a_metric_that_was_imported_counts_at_the_time_it_was_made(
    app: Application, agent: Caller
) -> None:
    content = {"name": "ms", "value": 5.0, "dimensions": {}}
    times = {"a": "2020-02-02T02:02:02.000000Z", "b": "1960-01-01T00:00:00.000000Z"}
    lines = [
        {"type": "metric", "id": f"metric::{one * 20}", "content": content}
        | {"createdAt": at, "updatedAt": at}
        for one, at in times.items()
    ]
    importing = Application(Catalog([transfer.capability()]), app.store)
    importing.call("entity_import", {"lines": lines}, agent)

    starts = [one.start for one in groups(app, agent, bucket="minute")]

    assert starts == ["1970-01-01T00:00:00.000Z", "2020-02-02T02:02:00.000Z"]


def test_metrics_derived_again_answer_the_same(open_app: OpenApp, agent: Caller) -> None:
    app = open_app()
    for batch in range(3):
        record(
            app,
            agent,
            *(
                sample(one * 1.7, NOON_MS - batch * 977_777 * one, model="ab"[one % 2])
                for one in range(20)
            ),
        )
    asked = {"bucket": "hour", "by": ["model"]}
    before = groups(app, agent, **asked)

    app.store.rebuild("default")

    assert groups(app, agent, **asked) == before
    assert groups(open_app(), agent, **asked) == before


def test_nothing_of_one_project_is_seen_from_another(app: Application, agent: Caller) -> None:
    record(app, agent, sample(1))
    other = new_project(app)

    assert groups(app, a_caller(), project_id=other) == []
    assert ask(app, a_caller(), name=None, project_id=other).total == 0


def test_the_same_key_records_once(app: Application) -> None:
    for _ in range(2):
        record(app, a_caller(idempotency_key="k"), sample(1))

    [found] = groups(app, a_caller())
    assert found.count == 1


@pytest.mark.parametrize(
    ("samples", "named"),
    [
        ([], "samples"),
        ([sample(1)] * (limits.SAMPLES_MAX + 1), "samples"),
        ([sample(float("nan"))], "samples.0.value"),
        ([sample(2e300)], "samples.0.value"),
        ([sample(1, "yesterday")], "samples.0.at"),
        ([sample(1, -1)], "samples.0.at"),
        ([sample(1, 10**15)], "samples.0.at"),
        ([sample(1, **{f"d{number}": "x" for number in range(9)})], "samples.0.dimensions"),
        ([sample(1, name="")], "samples.0.name"),
        ([{"name": "ms", "value": "1"}], "samples.0.value"),
        ([{"name": "ms", "value": 1, "unit": "s"}], "samples.0.unit"),
    ],
)
def test_what_is_no_measurement_is_refused_by_name(
    app: Application, agent: Caller, samples: list[Any], named: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        app.call("metric_record", {"samples": samples}, agent)

    assert named in refused.value.message
    assert ask(app, agent, name=None).total == 0


@pytest.mark.holds("ALL-09.13")
@pytest.mark.parametrize(
    "asked",
    [
        {"since": NOON_MS, "until": NOON_MS},
        {"by": ["model", "model"]},
        {"bucket": "week"},
        {"limit": limits.GROUPS_MAX + 1},
        {"cursor": "x"},
        {"as_of": "t:1"},
    ],
)
def test_what_is_no_question_is_refused(
    app: Application, agent: Caller, asked: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        ask(app, agent, **asked)


def test_series_beyond_the_limit_are_refused_and_change_nothing(
    app: Application, agent: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SERIES_MAX", 3)
    record(app, agent, sample(1, user="1"), sample(1, user="2"))

    with pytest.raises(InvalidInput) as refused:
        record(app, agent, sample(1, user="2"), sample(1, user="3"), sample(1, user="4"))
    record(app, agent, sample(1, user="3"), sample(1, user="1"))

    assert refused.value.details["limit"] == 3
    [found] = groups(app, agent)
    assert found.count == 4


@pytest.mark.parametrize(
    ("limit", "new"),
    [("SERIES_MAX", {"dimensions": {"user": "2"}}), ("METRICS_MAX", {"name": "another"})],
)
def test_a_measurement_that_is_an_entity_has_the_same_limits(
    app: Application, agent: Caller, monkeypatch: pytest.MonkeyPatch, limit: str, new: Any
) -> None:
    monkeypatch.setattr(limits, limit, 1)
    known = {"name": "ms", "value": 1.0, "dimensions": {"user": "1"}}
    app.call("entity_create", {"type": "metric", "data": known}, agent)
    before = app.store.engine.heads()

    with pytest.raises(InvalidInput) as refused:
        app.call("entity_create", {"type": "metric", "data": known | new}, agent)

    assert refused.value.details["limit"] == 1
    assert app.store.engine.heads() == before
    app.call("entity_create", {"type": "metric", "data": known}, agent)
    [found] = groups(app, agent)
    assert found.count == 2


@pytest.mark.parametrize("limit", ["ROLLUPS_READ_MAX", "SAMPLES_READ_MAX", "BATCHES_READ_MAX"])
def test_an_answer_from_too_many_rows_is_refused(
    app: Application, agent: Caller, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    record(app, agent, *(sample(1, NOON_MS + HOUR_MS * hour) for hour in range(5)))
    record(app, agent, sample(1, NOON_MS + 5))
    bucket = "hour" if limit == "ROLLUPS_READ_MAX" else "minute"
    monkeypatch.setattr(limits, limit, 1)

    with pytest.raises(InvalidInput) as refused:
        ask(app, agent, bucket=bucket)

    assert refused.value.details["limit"] == 1
