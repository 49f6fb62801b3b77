"""A pager where what is shown is longer than the window: on a terminal, and for looking only."""

import pytest

from hansard.cli.commands import COMMANDS
from hansard.cli.terminal.paging import LOOKING, only_looks
from tests.cli.running import Hansard, write_sessions

ON_A_SCREEN = {"TERM": "xterm", "NO_COLOR": "1"}


def many(hansard: Hansard) -> None:
    write_sessions(hansard, [f"default.{number}" for number in range(3_000)])


def test_what_is_shown_on_a_terminal_goes_through_the_pager(hansard: Hansard) -> None:
    many(hansard)

    ran = hansard.on_a_terminal("log", "--limit", "3000", PAGER="tail -n 1", **ON_A_SCREEN)

    assert ran.code == 0
    [line] = ran.out.splitlines()
    assert line.startswith("s:3000 ")


def test_whoever_leaves_the_pager_early_gets_no_error(hansard: Hansard) -> None:
    many(hansard)

    ran = hansard.on_a_terminal("log", "--limit", "3000", PAGER="true", **ON_A_SCREEN)

    assert (ran.code, ran.out) == (0, "")


@pytest.mark.parametrize("unwanted", [{"PAGER": ""}, {"PAGER": "cat"}, {"TERM": "dumb"}])
def test_a_pager_can_be_done_without(filled: Hansard, unwanted: dict[str, str]) -> None:
    shown = {"PAGER": "tail -n 1"} | ON_A_SCREEN | unwanted

    ran = filled.on_a_terminal("log", **shown)

    assert len(ran.out.splitlines()) == 3


def test_in_a_pipe_there_is_no_pager(filled: Hansard) -> None:
    ran = filled("log", PAGER="tail -n 1", **ON_A_SCREEN)

    assert len(ran.out.splitlines()) == 3


def test_only_what_is_looked_at_and_ends_is_paged() -> None:
    for words in (["log"], ["records"], ["records", "show", "R001"], ["story", "A title"]):
        assert only_looks(words)
    for words in (
        ["log", "--follow"], ["timeline", "-f"], ["records", "--json"], ["undo", "s:1"],
        ["decisions", "accept", "P001"], ["records", "edit", "R001"], ["serve"], ["evolution", "a"],
    ):  # fmt: skip
        assert not only_looks(words)
    assert {*LOOKING} - {"help"} <= {*COMMANDS}
