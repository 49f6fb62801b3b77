"""`hansard records`, as a person uses it."""

import sys
from pathlib import Path

import orjson
import pytest

from tests.cli.running import Hansard


@pytest.fixture
def filled(hansard: Hansard) -> Hansard:
    """Give a store with a question and a conclusion under it."""
    new = ("records", "new", "--type")
    hansard(*new, "question", "--title", "Which queue?", "--body", "We need one.")
    hansard(*new, "conclusion", "--title", "NATS", "--parent", "R001", "--body", "It is small.\n")
    return hansard


def writing(path: Path, text: str) -> str:
    """Make an editor that always writes the same."""
    script = path / "editor.py"
    script.write_text(f"import sys\nopen(sys.argv[1], 'w').write({text!r})\n")
    return f"{sys.executable} {script}"


def test_the_tree_shows_children_under_their_parents(filled: Hansard) -> None:
    assert filled("records").out.splitlines() == [
        "R001    OPEN  Which queue? (question)",
        "  R002  OPEN  NATS (conclusion)",
    ]


def test_the_tree_as_json_is_a_reference_a_line(filled: Hansard) -> None:
    lines = [orjson.loads(line) for line in filled("records", "--json").out.splitlines()]

    assert [(line["id"], line["parent_id"]) for line in lines] == [("R001", None), ("R002", "R001")]


def test_an_empty_project_says_how_to_begin(filled: Hansard, tmp_path: Path) -> None:
    (tmp_path / ".hansard.toml").write_text('project = "another"')

    assert "records new" in filled("records", "--workspace", str(tmp_path)).out


def test_a_record_is_shown_with_what_lies_around_it_and_stays_inactive(filled: Hansard) -> None:
    shown = filled("records", "show", "R002")

    assert "It is small." in shown.out
    assert "Under R001 OPEN Which queue?" in shown.out
    assert filled("log", "--kind", "activated", "--json").out.count('"record":"R002"') == 0


def test_a_record_is_found_by_its_words(filled: Hansard) -> None:
    assert "[R002]" in filled("records", "search", "small").out
    assert "[R002]" not in filled("records", "search", "enormous").out


def test_a_record_moves_state_or_the_reason_is_told(filled: Hansard) -> None:
    moved = filled("records", "move-state", "R001", "RESOLVED", "--resolved-by", "R002")
    refused = filled("records", "move-state", "R001", "LATER", "--reason", "no time")

    assert moved.code == 0
    assert refused.code == 1
    assert "RESOLVED" in refused.err
    assert filled("records").out.split()[:2] == ["R001", "RESOLVED"]


def test_a_text_is_changed_in_the_editor_and_its_history_shows_it(
    filled: Hansard, tmp_path: Path
) -> None:
    edited = filled("records", "edit", "R002", EDITOR=writing(tmp_path, "It is tiny.\n"))

    assert edited.code == 0
    assert "+It is tiny." in filled("records", "history", "R002").out
    assert "-It is small." in filled("records", "diff", "R002", "--from", "t:2").out


def test_an_editor_that_changes_nothing_changes_nothing(filled: Hansard) -> None:
    before = filled("anchor").out.splitlines()

    filled("records", "edit", "R002", EDITOR="true")

    assert "t:3" not in filled("log").out
    assert len(filled("anchor").out.splitlines()) == len(before)


def test_an_editor_that_fails_changes_nothing(filled: Hansard) -> None:
    failed = filled("records", "edit", "R002", EDITOR="false")

    assert failed.code != 0
    assert "t:3" not in filled("log").out


def test_no_command_leaves_a_session_open(filled: Hansard) -> None:
    filled("records", "show", "R001")
    filled("records", "move-state", "R001", "LATER", "--reason", "no time")
    filled("records", "new", "--title", "Under it", "--body", "b", "--parent", "R001")

    started = filled("log", "--kind", "session_started").out.splitlines()
    closed = filled("log", "--kind", "session_closed").out.splitlines()
    assert len(started) == len(closed) > 0


def test_a_command_that_is_refused_leaves_no_trace(filled: Hansard, tmp_path: Path) -> None:
    before = filled("log", "--json").out

    codes = [
        filled("records", "move-state", "R001", "LATER").code,
        filled("records", "move-state", "R001", "NOWHERE").code,
        filled("records", "new", "--title", "x", "--body", "b", "--parent", "R999").code,
        filled("records", "edit", "R002", EDITOR=writing(tmp_path, "x" * 2_000_000)).code,
        filled("decisions", "record", "--title", "t", "--target", "x", "--rationale", "short").code,
    ]

    assert all(codes)
    assert filled("log", "--json").out == before


def test_a_command_can_work_in_a_session_that_is_named(filled: Hansard) -> None:
    moved = filled(
        "records", "move-state", "R001", "LATER", "--reason", "no time", HANSARD_SESSION="mine"
    )

    assert moved.code == 0
    assert "mine" in filled("log", "--kind", "session_started").out
    assert "mine" not in filled("log", "--kind", "session_closed").out


def test_the_person_at_the_terminal_is_the_human_author(filled: Hansard) -> None:
    filled.on_a_terminal("records", "new", "--title", "Mine", "--body", "b")

    assert '"kind":"human"' in filled("log", "--json", "--kind", "record_created").out


def test_the_tree_is_coloured_by_state_on_a_terminal(filled: Hansard) -> None:
    assert "\x1b[32mOPEN" in filled.on_a_terminal("records").out
