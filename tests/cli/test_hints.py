"""A refusal on the terminal speaks of flags and commands, to agents of arguments and tools."""

import pytest

from hansard.app.start import catalog
from hansard.cli.commands import COMMANDS
from hansard.cli.generate import all_problems
from hansard.cli.terminal.hints import HINTS, hint_of, message_of, speaks_to_agents
from hansard.kernel.problem import InvalidInput, Problem
from tests.cli.running import Hansard
from tests.cli.test_status import worked

RECORDED = ["decisions", "record", "--title", "x", "--rationale", "It is the best way"]
PROBLEMS = all_problems(catalog())


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda one: one.__name__)
def test_no_hint_on_the_terminal_names_a_tool(problem: type[Problem]) -> None:
    hint = hint_of(problem("It was refused"))

    assert hint is None or not speaks_to_agents(hint)


def test_every_hint_of_the_terminal_is_for_a_code_there_is_and_names_commands_there_are() -> None:
    assert {*HINTS} <= {one.code for one in PROBLEMS}
    for hint in HINTS.values():
        for command in hint.split("`hansard ")[1:]:
            assert command.split()[0].rstrip("`") in COMMANDS


def test_a_hint_that_says_what_anyone_can_do_is_kept() -> None:
    assert hint_of(InvalidInput("x", hint="Name a new file")) == "Name a new file"
    assert hint_of(InvalidInput("x", hint="Set secret_file")) == "Set secret_file"
    assert hint_of(InvalidInput("x", hint="record_plan makes one")) == HINTS["INVALID_INPUT"]


def test_a_place_that_is_called_like_a_tool_is_told_all_the_same() -> None:
    where = "Your text is in /home/ana/my_notes/hansard-edit-ab_cd/record.md"

    assert hint_of(InvalidInput("x", hint=where)) == where


def test_an_argument_is_named_as_the_flag_it_was_given_by() -> None:
    assert message_of(InvalidInput("resolved_by: is required")) == "--resolved-by: is required"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["records", "move-state", "R001", "RESOLVED"], "--resolved-by"),
        (["records", "move-state", "R999", "LATER"], "There is no record R999\n"),
        (["records", "show", "R999"], "`hansard records` lists them"),
        (["decisions", "show", "D999"], "`hansard decisions list --all`"),
        ([*RECORDED, "--target", "queue"], "`hansard decisions supersede"),
        (["checkpoints", "show", "C999"], "`hansard checkpoints list`"),
        (["story", "nowhere"], "`hansard sessions`"),
        (["records", "show"], "`hansard records show --help` shows"),
        (["sessions", "--projct", "x"], "Did you mean --project?"),
        (["records", "edit", "R001", "--title", "x"], "`hansard records edit --help` shows"),
        (["--nope"], "There is no option --nope\n`hansard --help` shows"),
        (["decisions", "accept", "P001"], "Only a person can do that\nDo it on a terminal"),
        (["entities", "show", "nothing"], "`hansard entities`"),
    ],
)
def test_refusals_say_what_to_type(hansard: Hansard, arguments: list[str], said: str) -> None:
    worked(hansard)

    ran = hansard(*arguments)

    assert ran.code != 0
    assert said in ran.err
    assert not speaks_to_agents(ran.err.split("\n", 1)[1])
