"""`hansard metrics`: listing, asking and drawing."""

import json
from pathlib import Path

import pytest

from hansard.app import start
from hansard.app.settings import Settings
from hansard.app.start import catalog
from hansard.cli.contents.metrics import chart
from hansard.entities.metrics.contract import Group
from hansard.sdk import Hansard as Library
from hansard.sdk.metrics import Metrics
from tests.cli.running import Hansard

HOURS = [f"2026-01-01T{hour:02}:00:00.000Z" for hour in range(24)]


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hansard:
    """A store in which two models were measured for a day."""
    offered = catalog(Settings())
    monkeypatch.setattr(start, "catalog", lambda _: offered)
    hansard = Hansard(tmp_path)
    with Library(hansard.store) as library:
        Metrics(library.call).record_all(
            {"name": "ms", "value": scale * number, "at": at, "dimensions": {"model": model}}
            for model, scale in (("a", 1), ("b\x1b[2J", 10))
            for number, at in enumerate(HOURS)
        )
    return hansard


def test_metrics_are_listed(measured: Hansard) -> None:
    ran = measured("metrics", "list")
    as_json = measured("metrics", "list", "--json")

    assert ran.out.startswith("ms  48 samples, by model  2026-01-01T00:00:00.000Z to ")
    assert json.loads(as_json.out)["count"] == 48


def test_settings_may_stand_before_the_command(measured: Hansard) -> None:
    before = measured("metrics", "--project", "other", "list")
    after = measured("metrics", "list", "--project", "other")

    assert "There is no project other" in before.err
    assert (before.code, before.err) == (after.code, after.err)


def test_a_line_is_drawn_for_each_value_over_time(measured: Hansard) -> None:
    ran = measured("metrics", "query", "ms", "--bucket", "hour", "--by", "model")

    scale, a, b = ran.out.splitlines()
    assert scale.split() == "mean, 0 to 230, 2026-01-01 00:00 to 2026-01-01 23:00".split()
    assert a.split()[0] == "model=a"
    assert a.split()[2] == "23"
    assert b.split()[1].endswith("█")
    assert "\x1b" not in ran.out


def test_what_is_asked_for_is_what_is_drawn(measured: Hansard) -> None:
    arguments = ["--bucket", "day", "--where", "model=a", "--until", HOURS[3], "--json"]
    ran = measured("metrics", "query", "ms", *arguments)

    shown = json.loads(ran.out)

    assert (shown["count"], shown["sum"], shown["start"]) == (3, 3.0, HOURS[0])


def test_a_wrong_question_is_refused_in_a_sentence(measured: Hansard) -> None:
    pair = measured("metrics", "query", "ms", "--where", "model")
    bucket = measured("metrics", "query", "ms", "--bucket", "week")

    assert (pair.code, bucket.code) != (0, 0)
    assert "DIMENSION=VALUE" in pair.err
    assert "bucket" in bucket.err
    assert measured("metrics", "query", "other").out.startswith("No samples of other.")


def test_samples_are_carried_elsewhere_once(measured: Hansard, tmp_path: Path) -> None:
    exported = measured("metrics", "export").out
    file = tmp_path / "samples.jsonl"
    file.write_text(exported, encoding="utf-8")
    elsewhere = Hansard(tmp_path / "elsewhere")

    for _ in range(2):
        ran = elsewhere("metrics", "import", str(file))
        assert (ran.code, ran.out) == (0, "48 samples are recorded\n"), ran.err

    assert elsewhere("metrics", "export").out == exported
    assert len(exported.splitlines()) == 48
    asked = ("metrics", "query", "ms", "--bucket", "hour", "--by", "model", "--json")
    assert elsewhere(*asked).out == measured(*asked).out


@pytest.mark.parametrize("content", ["no JSON", "[1]", '{"name": "ms"}', None])
def test_what_is_no_export_is_refused(
    measured: Hansard, tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "samples.jsonl"
    if content is not None:
        file.write_text(content, encoding="utf-8")

    ran = measured("metrics", "import", str(file))

    assert ran.code != 0
    assert ran.err.startswith("hansard: ")
    assert len(measured("metrics", "export").out.splitlines()) == 48


def group(value: float, start: str | None = None, **dimensions: str | None) -> Group:
    same = dict.fromkeys(("sum", "min", "max", "mean", "p50", "p95"), value)
    return Group(start=start, dimensions=dimensions, count=1, **same)


def test_bars_are_as_long_as_what_they_stand_for() -> None:
    _, half, whole = chart([group(-5, model="a"), group(10, model=None)], "p95", 100)

    assert half.split() == ["model=a", "-5", "█" * 30]
    assert whole.split() == ["model=-", "10", "█" * 60]


def test_a_chart_fits_the_terminal() -> None:
    groups = [group(n, at, model=model) for n, at in enumerate(HOURS) for model in ("a", "b")]

    lines = chart(groups, "mean", 40)

    assert max(map(len, lines[1:])) <= 40
    assert lines[1].split()[1][-1] == "█"


def test_one_line_over_time_is_drawn_as_bars() -> None:
    lines = chart([group(n, at) for n, at in enumerate(HOURS)], "mean", 80)

    assert lines[2].startswith("2026-01-01 01:00 ")
    assert len(lines) == 25
