"""`hansard restore` and `hansard undo`: shown, asked about, done, and undone."""

import hashlib
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
    ran = recorded.run("restore", "--step", "2", "--dry-run")

    assert ran.code == 0
    assert ran.out.splitlines()[1:] == [
        "  edit    a.py  revision 2 → revision 1, +1 -1",
        "          @@ -1 +1 @@",
        "          -two",
        "          +one",
        "  delete  b.py  revision 1 → no file, +0 -1",
        "          @@ -1 +0,0 @@",
        "          -b",
    ]
    assert contents(recorded) == BEFORE


@pytest.mark.parametrize(
    ("arguments", "after"),
    [
        (["--step", "2"], {"a.py": "one\n"}),
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
    undo = re.search(r"hansard (undo s:\d+)", done)
    assert undo is not None

    recorded.run(*undo[1].split(), "--yes")

    assert contents(recorded) == BEFORE


def test_a_person_is_asked_first(recorded: Recorded) -> None:
    with terminal(recorded.run, "restore", "--step", "2") as typist:
        asked = typist.until("[y/N]")
        typist.type("n\n")
        refused, _ = typist.end()
    kept = contents(recorded)

    with terminal(recorded.run, "restore", "--step", "2") as typist:
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
    ran = recorded.run("restore", "--step", "2")

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

    (recorded.folder / "s.env").unlink()
    (recorded.folder / "s.env").mkdir()

    ran = recorded.run("restore", "--session", SESSION, "--yes")

    assert "skip    s.env  s.env is not a plain file" in ran.out
    assert (recorded.folder / "s.env").exists()


def test_nothing_to_do_asks_nobody(recorded: Recorded) -> None:
    recorded.run("restore", "--step", "2", "--yes")

    again = recorded.run("restore", "--step", "2", "--session", SESSION)

    assert again.code == 0
    assert "2 unchanged" in again.out


def test_an_undo_shows_what_changes_and_keeps_what_a_person_wrote(recorded: Recorded) -> None:
    recorded.do(op("create", "c.py", content="1\n2\n3\n4\n"))
    recorded.do(op("edit", "c.py", content="one\n2\n3\n4\n"))
    edit = items(recorded.run("timeline", SESSION, "--json", "--kind", "file_edit").out)[-1]
    (recorded.folder / "c.py").write_text("one\n2\nof a person\n4\n")

    shown = recorded.run("undo", f"s:{edit['seq']}", "--dry-run")
    done = recorded.run("undo", f"s:{edit['seq']}", "--yes")

    assert shown.out.splitlines() == [
        f"Would undo what s:{edit['seq']} changed: 1 edit",
        "  edit    c.py  +1 -1",
        "          keeps 1 change from outside (not recorded yet)",
        "          @@ -1,4 +1,4 @@",
        "          -one",
        "          +1",
        "           2",
        "           of a person",
        "           4",
    ]
    assert (done.code, done.err) == (0, "")
    assert (recorded.folder / "c.py").read_text() == "1\n2\nof a person\n4\n"
    again = recorded.run("undo", f"s:{edit['seq']}", "--yes")
    assert "has taken it back already" in again.out


def test_an_undo_that_clashes_shows_the_lines_and_lets_one_decide(recorded: Recorded) -> None:
    edit = entry_of(recorded, "file_edit")
    (recorded.folder / "a.py").write_text("of a person\n")

    clash = recorded.run("undo", edit, "--yes")
    kept = contents(recorded)
    unseen = recorded.run("undo", edit, "--yes", "--take", "theirs")
    kept_unseen = contents(recorded)
    seen = hashlib.sha256(b"of a person\n").hexdigest()[:12]
    expected = ("--expected", f"a.py={seen}")
    decided = recorded.run("undo", edit, "--yes", "--take", "theirs", *expected)

    assert (clash.code, unseen.code) == (1, 1)
    assert f"  --expected a.py={seen}" in clash.out.splitlines()
    assert f"  --expected a.py={seen}" in unseen.out.splitlines()
    assert kept_unseen == kept
    assert "  clash   a.py  the same lines have been changed since" in clash.out
    assert "now        of a person" in clash.out
    assert "before     one" in clash.out
    assert kept["a.py"] == "of a person\n"
    assert decided.code == 0
    assert contents(recorded)["a.py"] == "one\n"


@pytest.mark.parametrize(
    ("arguments", "after"),
    [
        (["--step", "2"], {"a.py": "one\n"}),
        (["--session", SESSION], {}),
        (["--session", SESSION, "--path", "b.py"], {"a.py": "two\n"}),
    ],
)
def test_a_step_or_a_session_is_undone(
    recorded: Recorded, arguments: list[str], after: dict[str, str]
) -> None:
    ran = recorded.run("undo", "--yes", *arguments)

    assert (ran.code, ran.err) == (0, "")
    assert contents(recorded) == after


def test_what_is_undone_must_be_named_and_be_there(recorded: Recorded) -> None:
    refused = [
        recorded.run("undo", "--yes"),
        recorded.run("undo", "s:9999", "--yes"),
        recorded.run("undo", "--step", "9", "--yes"),
        recorded.run("undo", entry_of(recorded, "file_edit"), "--path", "no.py", "--yes"),
        recorded.run("undo", entry_of(recorded, "file_edit"), "--take", "neither", "--yes"),
        recorded.run("undo", entry_of(recorded, "file_edit"), "--expected", "a.py", "--yes"),
        recorded.run("restore", "--step", "9", "--yes"),
        recorded.run("restore", "nothing.py", "--before", "s:3", "--yes"),
    ]

    assert [ran.code for ran in refused] == [2, 2, 2, 2, 2, 2, 2, 1]
    assert all(ran.err for ran in refused)
    assert contents(recorded) == BEFORE


def test_as_json_it_is_the_answer(recorded: Recorded) -> None:
    shown = json.loads(recorded.run("restore", "--step", "2", "--json", "--dry-run").out)

    assert shown["preview"] is True
    assert [file["path"] for file in shown["files"]] == ["a.py", "b.py"]


@pytest.mark.parametrize("chosen", [["--session", "@latest"], ["--step", "2"]])
@pytest.mark.parametrize("command", ["undo", "restore"])
def test_the_latest_session_is_not_that_of_a_command_that_changed_no_file(
    recorded: Recorded, command: str, chosen: list[str]
) -> None:
    written = recorded.run("records", "new", "--title", "A thought", "--body", "x")

    ran = recorded.run(command, *chosen, "--yes")

    assert (written.code, ran.code) == (0, 0), written.err + ran.err
    assert "b.py" not in contents(recorded)


@pytest.mark.parametrize("named", [[], ["@latest"]])
def test_the_story_of_the_latest_is_not_that_of_a_command(
    recorded: Recorded, named: list[str]
) -> None:
    recorded.run("records", "new", "--title", "A thought", "--body", "x")

    assert "a.py" in recorded.run("story", *named).out


def test_the_latest_session_is_that_of_a_command_that_changed_files(recorded: Recorded) -> None:
    recorded.run("undo", "--step", "2", "--yes")

    ran = recorded.run("undo", "--session", "@latest", "--yes")

    assert ran.code == 0, ran.err
    assert contents(recorded) == BEFORE


def test_where_there_are_only_commands_the_last_of_them_is_the_latest(hansard: Hansard) -> None:
    hansard("records", "new", "--title", "A thought", "--body", "x")

    assert hansard("story", "@latest").code == 0
