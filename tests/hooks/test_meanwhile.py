"""What others record while a command runs stays theirs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.hosting import Host
from tests.hooks.test_rewinding import CALLS, CHAT, ask, hansard_in, host, where

__all__ = ["host", "where"]

LINES = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"


def tell(host: Host, call: int, event: str) -> None:
    """Say that a command begins or has ended."""
    told: dict[str, Any] = {"session_id": CHAT, "cwd": str(host.folder), "tool_name": "Bash"}
    told |= {"tool_input": {"command": "make"}, "tool_use_id": f"call_{call}"}
    host.tell(told | {"hook_event_name": event, "tool_response": ""})


def edit(host: Host, old: str, new: str) -> None:
    """Change a file as another agent does, through Hansard."""
    edits = json.dumps([{"old": old, "new": new}])
    asked = ("--path", "a.txt", "--action", "edit", "--edits", edits)
    done = hansard_in(host, "call", "file_op", *asked)
    assert done.code == 0, done


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
