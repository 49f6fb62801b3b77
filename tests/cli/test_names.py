"""A title, the beginning of an id or `@latest` will do wherever a command wants an id."""

import json
from pathlib import Path

import pytest

from hansard.app.start import catalog
from hansard.cli.naming.finding import NamedThing, matching, tail_of
from hansard.cli.naming.named_arguments import NAMED
from tests.cli.running import Hansard
from tests.cli.test_status import worked

THINGS = [
    NamedThing("R102", "Retry twice"),
    NamedThing("R011", "Retry"),
    NamedThing("R010", "Wait and retry"),
    NamedThing("p.abc123", None, "abc123"),
]


@pytest.mark.parametrize(
    ("named", "ids"),
    [
        ("R011", ["R011"]),
        ("r011", ["R011"]),
        ("retry", ["R011"]),
        ("retry t", ["R102"]),
        ("wait and", ["R010"]),
        ("and", ["R010"]),
        ("R10", ["R102"]),
        ("R01", ["R011", "R010"]),
        ("abc", ["p.abc123"]),
        ("@latest", ["R102"]),
        ("nothing", []),
    ],
)
def test_what_a_name_means(named: str, ids: list[str]) -> None:
    assert [one.id for one in matching(THINGS, named)] == ids


def test_a_whole_id_that_there_is_not_means_no_longer_one() -> None:
    for named in ("R100", "r100"):
        assert (
            matching([NamedThing("R1001", "Why r100 broke"), NamedThing("R1002", "r100")], named)
            == []
        )


def test_words_within_a_title_are_not_enough_to_change_something() -> None:
    assert matching(THINGS, "and", loosely=False) == []
    assert matching(THINGS, "wait", loosely=False) == []
    assert [one.id for one in matching(THINGS, "wait and retry", loosely=False)] == ["R010"]


@pytest.mark.parametrize(
    ("named", "is_seen", "is_changed"),
    [
        ("t", False, False),
        ("text", False, False),
        ("textDocument::", False, False),
        ("p", False, False),
        ("a1", True, False),
        ("a123", True, True),
        ("A123", True, True),
        ("textDocument::a12", True, False),
        ("textDocument::a123", True, True),
    ],
)
def test_a_beginning_counts_from_where_ids_differ(
    named: str, is_seen: bool, is_changed: bool
) -> None:
    one = NamedThing("textDocument::a1234567", None, "a1234567")

    assert bool(matching([one], named)) == is_seen
    assert bool(matching([one], named, loosely=False)) == is_changed


def test_only_what_comes_before_a_type_or_a_project_is_left_out() -> None:
    assert tail_of("textDocument::a.b") == "a.b"
    assert tail_of("shop.0123456789") == "0123456789"
    assert tail_of("my.own.name") == ""


def test_every_argument_that_is_taken_for_a_name_is_one_of_the_operations() -> None:
    for operation, arguments in NAMED.items():
        fields = catalog().find(operation).request.model_fields
        known = {field.alias or name for name, field in fields.items()}
        assert {*arguments} <= known


@pytest.mark.parametrize(
    "arguments",
    [
        ["records", "show", "why slow"],
        ["records", "history", "@latest"],
        ["records", "diff", "r001"],
        ["decisions", "show", "use queues"],
        ["decisions", "show", "use one"],
        ["checkpoints", "show", "half"],
        ["checkpoints", "list", "fix the"],
        ["story", "parser"],
        ["timeline", "@latest"],
        ["log", "--session", "fix"],
        ["undo", "--session", "@latest", "--dry-run"],
        ["restore", "--session", "fix", "--dry-run"],
    ],
)
def test_commands_take_names(hansard: Hansard, arguments: list[str]) -> None:
    worked(hansard)

    ran = hansard(*arguments)

    assert ran.code == 0, ran.err


def test_a_record_is_moved_by_its_title(hansard: Hansard) -> None:
    worked(hansard)

    moved = hansard("records", "move-state", "why slow?", "later", "--reason", "Not now")

    assert moved.code == 0, moved.err
    [shown] = map(json.loads, hansard("records", "--json").out.splitlines())
    assert shown["state"] == "LATER"


def test_what_means_several_is_refused_with_their_names_and_changes_nothing(
    hansard: Hansard,
) -> None:
    worked(hansard)
    for _ in range(2):
        hansard("records", "new", "--title", "Why slow?", "--body", "x")
    before = hansard("anchor").out

    ran = hansard("records", "move-state", "why slow?", "LATER", "--reason", "x")

    assert (ran.code, ran.out) == (2, "")
    assert all(f"{one} (Why slow?)" in ran.err for one in ("R001", "R002", "R003"))
    assert hansard("anchor").out == before


def test_a_name_that_nothing_has_is_refused_in_the_words_of_the_terminal(hansard: Hansard) -> None:
    worked(hansard)

    ran = hansard("records", "show", "nonsense")

    assert ran.code == 1
    assert "nonsense" in ran.err
    assert "hansard records" in ran.err


def test_replay_alone_takes_the_latest_session_and_names_the_file_for_it(
    hansard: Hansard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked(hansard)
    monkeypatch.chdir(tmp_path)

    ran = hansard("replay")
    named = hansard("replay", "it.html")

    assert (ran.code, named.code) == (0, 0), ran.err + named.err
    assert (tmp_path / "fix-the-parser.html").read_bytes() != b""
    assert (tmp_path / "it.html").exists()


def test_search_finds_everything_and_says_how_to_look_at_it(hansard: Hansard) -> None:
    worked(hansard)

    shown, for_programs = hansard("search", "queues"), hansard("search", "queues", "--json")

    assert (shown.code, for_programs.code) == (0, 0)
    kinds = {json.loads(line)["kind"] for line in for_programs.out.splitlines()}
    assert "decision" in kinds
    assert "hansard decisions show D001" in shown.out
    assert hansard("search", "queues", "--kind", "nonsense").code == 2
    assert "Nothing matches" in hansard("search", "zebra", "--kind", "record").out
