"""What others record while a command runs stays theirs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.hosting import Host
from tests.hooks.test_rewinding import CALLS, CHAT, ask, hansard_in, host, where

__all__ = ["host", "where"]

LINES = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"


OTHER = "01a1e1af-754f-7b82-814b-d2ee21771b99"
"""Another chat."""

BY_THE_COMMAND = {
    "appends as well": "one\nx=1\ncmd\n",
    "formats it": "one\nx = 1\n",
    "overwrites it": "cmd\n",
    "removes it": None,
}
"""What a command leaves of a file to which another agent added `x=1` meanwhile."""


def tell(host: Host, call: int, event: str, chat: str = CHAT) -> None:
    """Say that a command begins or has ended."""
    told: dict[str, Any] = {"session_id": chat, "cwd": str(host.folder), "tool_name": "Bash"}
    told |= {"tool_input": {"command": "make"}, "tool_use_id": f"call_{call}"}
    host.tell(told | {"hook_event_name": event, "tool_response": ""})


def edit(host: Host, old: str, new: str) -> None:
    """Change a file as another agent does, through Hansard."""
    operate(host, "edit", "--edits", json.dumps([{"old": old, "new": new}]))


def operate(host: Host, action: str, *more: str, path: str = "a.txt") -> None:
    """Do something to a file as another agent does, through Hansard."""
    done = hansard_in(host, "call", "file_op", "--path", path, "--action", action, *more)
    assert done.code == 0, done


def append(host: Host, text: str, path: str = "a.txt") -> None:
    """Add to a file as a command or a person does."""
    with (host.folder / path).open("a") as file:
        file.write(text)


def seen_of(host: Host, chat: str = CHAT) -> list[tuple[str, str]]:
    """Give what is recorded of files in a chat."""
    return [
        (one["kind"], one["summary"].removesuffix(", as reported"))
        for one in host.see("timeline", chat)
        if "path" in one
    ]


def undo(host: Host, chat: str = CHAT) -> None:
    hansard_in(host, "undo", "--session", chat, "--yes")


@pytest.fixture
def interrupted(host: Host, where: str) -> Path:
    """Give a file that a command and another agent change at once, with what either has done."""
    file = host.folder / "a.txt"
    file.write_text(LINES)
    ask(host, "make it")
    assert host.see("timeline", CHAT)
    return file


@pytest.mark.parametrize("is_last", [True, False], ids=["last", "before the command wrote"])
def test_undoing_a_command_leaves_what_another_agent_did_to_the_file_meanwhile(
    host: Host, interrupted: Path, is_last: bool
) -> None:
    call = next(CALLS)
    tell(host, call, "PreToolUse")
    edit(host, "two\n", "TWO\n")
    interrupted.write_text(interrupted.read_text().replace("six", "SIX"))
    if is_last:
        edit(host, "four\n", "FOUR\n")
    tell(host, call, "PostToolUse")

    done = hansard_in(host, "undo", "--session", CHAT, "--yes")

    assert done.code == 0 or is_last, done
    kept = interrupted.read_text().splitlines()
    assert kept[1] == "TWO"
    assert kept[3] == ("FOUR" if is_last else "four")
    assert is_last or kept[5] == "six"


def test_what_another_agent_did_while_a_command_ran_is_not_the_commands(
    host: Host, interrupted: Path
) -> None:
    call = next(CALLS)
    tell(host, call, "PreToolUse")
    edit(host, "two\n", "TWO\n")
    edit(host, "four\n", "FOUR\n")
    tell(host, call, "PostToolUse")

    seen = host.see("timeline", CHAT)

    assert not [one for one in seen if one.get("path") == "a.txt"]


@pytest.mark.parametrize("left", BY_THE_COMMAND.values(), ids=BY_THE_COMMAND)
def test_undoing_a_command_gives_back_the_lines_of_another_agent_that_it_wrote_over(
    host: Host, where: str, left: str | None
) -> None:
    ask(host, "make it")
    file = host.folder / "a.txt"
    call = next(CALLS)
    tell(host, call, "PreToolUse")
    operate(host, "edit", "--content", "one\nx=1\n")
    if left is None:
        file.unlink()
    else:
        file.write_text(left)
    tell(host, call, "PostToolUse")

    seen = [kind for kind, _ in seen_of(host)]
    undo(host)

    assert seen == ["file_delete" if left is None else "file_edit"]
    assert file.read_text() == "one\nx=1\n"


@pytest.mark.parametrize("is_late", [False, True], ids=["at once", "later"])
def test_of_two_commands_that_append_at_once_each_has_its_own_line(
    host: Host, where: str, is_late: bool
) -> None:
    first, second = next(CALLS), next(CALLS)
    tell(host, first, "PreToolUse")
    tell(host, second, "PreToolUse", OTHER)
    append(host, "first\n")
    tell(host, first, "PostToolUse")
    if not is_late:
        seen_of(host)
    append(host, "second\n")
    tell(host, second, "PostToolUse", OTHER)

    seen = seen_of(host, OTHER)
    undo(host, OTHER)

    assert seen == [("file_edit", "edit a.txt (+1 -0)")]
    assert (host.folder / "a.txt").read_text() == "one\nfirst\n"


def test_what_a_command_makes_again_after_a_person_took_it_back_is_the_commands(
    host: Host, where: str
) -> None:
    ask(host, "make it")
    for text in ("A\n", "C\n", "B\n"):
        operate(host, "edit", "--content", text)
    file = host.folder / "a.txt"
    file.write_text("A\n")
    call = next(CALLS)
    tell(host, call, "PreToolUse")
    file.write_text("B\n")
    tell(host, call, "PostToolUse")

    seen = seen_of(host)
    undo(host)

    assert seen[-1:] == [("file_edit", "edit a.txt (+1 -1)")]
    assert file.read_text() == "A\n"


@pytest.mark.parametrize("is_late", [False, True], ids=["at once", "later"])
def test_what_a_person_took_back_before_a_command_stays_taken_back(
    host: Host, where: str, is_late: bool
) -> None:
    file = host.folder / "a.txt"
    file.write_text("x\ny\nz\n")
    call = next(CALLS)
    tell(host, call, "PreToolUse")
    file.write_text("X\ny\nz\n")
    tell(host, call, "PostToolUse")
    if not is_late:
        seen_of(host)
    file.write_text("x\ny\nz\n")
    call = next(CALLS)
    tell(host, call, "PreToolUse", OTHER)
    file.write_text("X\ny\nZ\n")
    tell(host, call, "PostToolUse", OTHER)

    undo(host, OTHER)

    assert file.read_text() == "x\ny\nz\n"


def test_however_often_another_agent_changed_a_file_meanwhile_nothing_of_it_is_the_commands(
    host: Host, interrupted: Path
) -> None:
    call = next(CALLS)
    tell(host, call, "PreToolUse")
    for number in range(21):
        operate(host, "edit", "--content", f"{number}\n")
    tell(host, call, "PostToolUse")

    assert seen_of(host) == []


@pytest.mark.parametrize("is_written", [False, True], ids=["left alone", "written too"])
def test_a_file_that_another_agent_made_meanwhile_is_not_the_commands(
    host: Host, where: str, is_written: bool
) -> None:
    ask(host, "make it")
    call = next(CALLS)
    tell(host, call, "PreToolUse")
    operate(host, "create", "--content", "n\n", path="new.txt")
    operate(host, "edit", "--content", "n\nm\n", path="new.txt")
    if is_written:
        append(host, "cmd\n", "new.txt")
    tell(host, call, "PostToolUse")

    seen = seen_of(host)
    undo(host)

    assert seen == ([("file_edit", "edit new.txt (+1 -0)")] if is_written else [])
    assert (host.folder / "new.txt").read_text() == "n\nm\n"


def test_what_a_command_makes_where_another_agent_deleted_is_a_new_file(
    host: Host, where: str
) -> None:
    ask(host, "make it")
    call = next(CALLS)
    tell(host, call, "PreToolUse")
    operate(host, "delete")
    append(host, "cmd\n")
    tell(host, call, "PostToolUse")

    seen = seen_of(host)
    undo(host)

    assert seen == [("file_create", "create a.txt (+1 -0)")]
    assert not (host.folder / "a.txt").exists()


def test_what_another_agent_did_after_a_command_and_before_it_was_taken_in_stays(
    host: Host, interrupted: Path
) -> None:
    call = next(CALLS)
    tell(host, call, "PreToolUse")
    interrupted.write_text(LINES.replace("two", "TWO"))
    tell(host, call, "PostToolUse")
    folder = host.run.store / "hooks"
    told = (folder / "events").read_bytes()
    (folder / "events").unlink()
    edit(host, "six\n", "SIX\n")
    (folder / "taking").write_bytes(told)

    undo(host)

    assert interrupted.read_text() == LINES.replace("six", "SIX")
