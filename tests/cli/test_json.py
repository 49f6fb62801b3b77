"""Programs are answered in JSON by every command that answers."""

import json
from typing import Any

import typer

from hansard.cli.commands import typer_app
from hansard.sdk import Hansard as Library
from tests.cli.running import Hansard
from tests.cli.test_output import leaves

WORDLESS = {
    "they start something": {"serve", "open", "demo", "hook", "exchange"},
    "they ask a person, question by question": {
        *("init", "repair", "secret set", "secret recover", "secret cancel"),
    },
    "what they print is meant for a program already": {
        *("completion", "export-schema"),
        *("checkpoints export", "metrics export", "entities export"),
    },
}
"""Why a command has no --json."""


def test_every_other_command_answers_programs_in_json() -> None:
    every = typer.main.get_command(typer_app())

    without = {name for name in leaves(every) if not _has_json(every, name.split())}

    assert without == set().union(*WORDLESS.values())


def _has_json(command: Any, path: list[str]) -> bool:
    for name in path:
        command = command.commands[name]
    return any("--json" in one.opts for one in command.params)


def test_what_was_done_is_told_in_json(filled: Hansard) -> None:
    rebuilt = filled("rebuild", "--json")
    with Library(filled.store) as library:
        library.checkpoints.save_checkpoint("w", {"goal": "sail"})
    marked = filled("checkpoints", "mark", "w", "goal", "--json")
    ended = filled("sessions", "end", "w", "--json")
    again = filled("sessions", "end", "w", "--json")

    told = [json.loads(line) for line in rebuilt.out.splitlines()]
    assert all(one["entries"] > 0 for one in told)
    assert json.loads(marked.out)["status"] == "SUCCESS"
    assert [json.loads(one.out)["ended"] for one in (ended, again)] == ["now", "already"]
