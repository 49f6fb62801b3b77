"""Records from Python."""

import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import hansard as package
from hansard.app.application import Application
from hansard.kernel.limits import BODY_BYTES_MAX
from hansard.sdk import Hansard
from tests.records.test_records_whole import EACH_SCRIPT, SCRIPTS, of_exactly


@pytest.fixture
def hansard(app: Application) -> Hansard:
    return Hansard(application=app)


@pytest.mark.holds("REC-whole-4")
@pytest.mark.parametrize("script", EACH_SCRIPT)
def test_a_body_of_the_limit_is_the_same_to_the_byte(hansard: Hansard, script: str) -> None:
    body = of_exactly(BODY_BYTES_MAX, SCRIPTS[script])

    made = hansard.records.create("Full", body)

    assert hansard.records.body(made.record.id).encode() == body.encode()
    assert hansard.records.activate(made.record.id).context.target.body == body
    hansard.records.update(made.record.id, body=body[::-1])
    assert hansard.records.body(made.record.id) == body[::-1]
    assert hansard.records.body(made.record.id, as_of="t:1") == body


def test_a_conflict_is_merged_or_written_over_by_name(app: Application) -> None:
    mine, other = Hansard(application=app), Hansard(application=app)
    record = mine.records.create("Shared", "one\ntwo\nthree\n").record.id
    other.records.activate(record, override=True)
    other.records.update(record, body="ONE\ntwo\nthree\n")

    met = mine.records.update(record, body="one\ntwo\nTHREE\n")
    merged = mine.records.update(record, body="one\ntwo\nTHREE\n", accept="merge")

    assert met.conflict
    assert met.conflict.mergeable
    assert merged.record.body == "ONE\ntwo\nTHREE\n"
    [change] = other.records.sync().changes
    assert change.diff
    other.records.update(record, title="Theirs")
    again = mine.records.update(record, title="Mine")
    assert again.conflict
    forced = mine.records.update(record, title="Mine", force_version=again.conflict.version)
    assert [one.version for one in forced.replaced or ()] == [again.conflict.version]


def test_a_record_is_found_listed_moved_and_its_history_told(hansard: Hansard) -> None:
    record = hansard.records.create("A zebra", type="animal").record.id

    hansard.records.transition(record, "LATER", reason="no time")

    assert [one.id for one in hansard.records.search("zebra").results] == [record]
    listed = hansard.records.list(types=["animal"]).records or []
    assert [one.state for one in listed] == ["LATER"]
    changes = [one.change_type for one in hansard.records.history(record).history]
    assert changes == ["state_changed", "created"]


def test_the_class_is_found_where_one_looks_first() -> None:
    assert package.Hansard is Hansard
    program = "import sys, hansard; sys.exit('hansard.sdk' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_example_of_the_class_runs_as_it_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = inspect.getdoc(Hansard) or ""
    example = textwrap.dedent(re.split(r"\n\n", printed, maxsplit=2)[2])

    exec(f"from hansard import Hansard\n{example}", {})

    with Hansard("./store", project="shop") as again:
        [listed] = again.records.list().records or []
        assert listed.title == "Ship it today"
