"""`hansard restore`: shown, asked about, done, and undone."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.running import Hansard
from tests.cli.test_recorder_cli import SESSION, Recorded, items, op, terminal


@pytest.fixture
def recorded(hansard: Hansard, tmp_path: Path) -> Recorded:
    """Give a workspace in which a step made one file and changed another."""
    recorded = Recorded(hansard, tmp_path / "workspace")
    recorded.do(
        ("record_plan", {"steps": ["First", "Second"]}),
        ("record_step", {"index": 0}),
        op("create", "a.py", content="one\n"),
        ("record_step", {"index": 1}),
        op("edit", "a.py", content="two\n"),
        op("create", "b.py", content="b\n"),
    )
    return recorded


def contents(recorded: Recorded) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(recorded.folder.iterdir())}


BEFORE = {"a.py": "two\n", "b.py": "b\n"}


def entry_of(recorded: Recorded, kind: str) -> str:
    [item] = items(recorded.run("timeline", SESSION, "--json", "--kind", kind).out)
    return f"s:{item['seq']}"


def test_a_dry_run_shows_a_table_and_changes_nothing(recorded: Recorded) -> None:
    ran = recorded.run("restore", "--step", "1", "--dry-run")

    assert ran.code == 0
    assert ran.out.splitlines()[1:] == [
        "  edit    a.py  revision 2 → revision 1",
        "  delete  b.py  revision 1 → no file",
    ]
    assert contents(recorded) == BEFORE


@pytest.mark.parametrize(
    ("arguments", "after"),
    [
        (["--step", "1"], {"a.py": "one\n"}),
        (["--session", SESSION], {}),
        (["--entry", "EDIT"], {"a.py": "one\n", "b.py": "b\n"}),
        (["a.py", "--before", "EDIT"], {"a.py": "one\n", "b.py": "b\n"}),
        (["a.py", "--after", "EDIT"], {"a.py": "two\n", "b.py": "b\n"}),
    ],
)
def test_what_is_named_comes_back(
    recorded: Recorded, arguments: list[str], after: dict[str, str]
) -> None:
    edit = entry_of(recorded, "file_edit")

    ran = recorded.run("restore", *(edit if one == "EDIT" else one for one in arguments), "--yes")

    assert (ran.code, ran.err) == (0, "")
    assert contents(recorded) == after


def test_a_restore_is_undone_as_it_says(recorded: Recorded) -> None:
    done = recorded.run("restore", "--session", SESSION, "--yes").out
    undo = re.search(r"hansard (restore --entry s:\d+)", done)
    assert undo is not None

    recorded.run(*undo[1].split(), "--yes")

    assert contents(recorded) == BEFORE


def test_a_person_is_asked_first(recorded: Recorded) -> None:
    with terminal(recorded.run, "restore", "--step", "1") as typist:
        asked = typist.until("[y/N]")
        typist.type("n\n")
        refused, _ = typist.end()
    kept = contents(recorded)

    with terminal(recorded.run, "restore", "--step", "1") as typist:
        typist.until("[y/N]")
        typist.type("y\n")
        done, shown = typist.end()

    assert "b.py" in asked
    assert "Bring 2 files back" in asked
    assert (refused, done) == (0, 0)
    assert kept == BEFORE
    assert contents(recorded) == {"a.py": "one\n"}
    assert "To undo it" in shown


def test_without_a_terminal_nobody_can_agree(recorded: Recorded) -> None:
    ran = recorded.run("restore", "--step", "1")

    assert (ran.code, ran.out) == (2, "")
    assert "--yes" in ran.err
    assert contents(recorded) == BEFORE


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 2),
        (["a.py"], 2),
        (["a.py", "--before", "s:1", "--after", "s:2"], 2),
        (["a.py", "--entry", "s:1", "--before", "s:3"], 2),
        (["--entry", "s:9999"], 2),
        (["--session", "nobody"], 1),
        (["../a.py", "--before", "s:3"], 1),
    ],
)
def test_what_makes_no_sense_is_refused(
    recorded: Recorded, arguments: list[str], code: int
) -> None:
    ran = recorded.run("restore", *arguments, "--yes")

    assert (ran.code, ran.out) == (code, "")
    assert ran.err
    assert contents(recorded) == BEFORE


def test_what_is_left_alone_is_told_with_the_reason(recorded: Recorded) -> None:
    recorded.do(op("create", "s.env", content="API_KEY=abc123def456ghi\n"))

    ran = recorded.run("restore", "--session", SESSION, "--yes")

    assert "skip    s.env  it holds a secret now" in ran.out
    assert (recorded.folder / "s.env").exists()


def test_nothing_to_do_asks_nobody(recorded: Recorded) -> None:
    recorded.run("restore", "--step", "1", "--yes")

    again = recorded.run("restore", "--step", "1", "--session", SESSION)

    assert again.code == 0
    assert "2 unchanged" in again.out


def test_as_json_it_is_the_answer(recorded: Recorded) -> None:
    shown = json.loads(recorded.run("restore", "--step", "1", "--json", "--dry-run").out)

    assert shown["preview"] is True
    assert [file["path"] for file in shown["files"]] == ["a.py", "b.py"]
