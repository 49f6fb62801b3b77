"""No character of stored text acts on a terminal, whatever command shows it."""

import io
import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import typer
import watchfiles
from watchfiles import Change

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.cli.commands import COMMANDS, typer_app
from hansard.cli.main import run
from hansard.cli.terminal.output import ESCAPE, Output
from hansard.entities.types import TYPES
from hansard.kernel.hidden_characters import KINDS
from hansard.kernel.problem import Problem
from tests.app.isolation import PLAIN
from tests.cli.running import Hansard, Ran
from tests.conftest import a_caller
from tests.contract.everything_asked import SECRET, Asking, Json, ask_nearly_everything

SOFT = "\u202e\u200b\u2066\ufeff\U000e0041\U000e0100"
HARD = f"\x1b]0;owned\x07\x1b[2J\x9b5m\r\x08\u2028{SOFT}"
HIDDEN = re.compile("[" + "".join(KINDS.values()) + "]")
OURS = re.compile(r"\x1b\[(?:[0-9]+m|[KGHJ])")
"""What Hansard itself sends to a terminal: colours, and where to write."""

SESSION = "main"


@dataclass
class Hostile(Asking):
    """Asks with every text as hostile as the operation takes it."""

    softened: list[str] = field(default_factory=list)

    def __call__(self, name: str, /, **arguments: Any) -> Json:
        for ending in (HARD, SOFT, ""):
            given = {key: self._ended(key, value, ending) for key, value in arguments.items()}
            try:
                return super().__call__(name, **given)
            except Problem as problem:
                if problem.code != "INVALID_INPUT" or not ending:
                    raise
        raise AssertionError("the last one is as it was given")

    def _ended(self, key: str, value: Any, ending: str) -> Any:
        if isinstance(value, dict):
            return {name: self._ended(name, inner, ending) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._ended(key, inner, ending) for inner in value]
        is_text = isinstance(value, str) and key not in PLAIN
        return f"{value} {ending}" if is_text and ending else value


@pytest.fixture(scope="module")
def hansard(tmp_path_factory: pytest.TempPathFactory) -> Hansard:
    """The command, at a store in which every text is hostile."""
    home = tmp_path_factory.mktemp("hostile")
    hansard, workspace = Hansard(home), home / "work"
    workspace.mkdir()
    more = {"HANSARD_WORKSPACE": str(workspace), "TERM": "dumb", "HANSARD_EMBEDDER": "none"}
    hansard.environment |= more
    settings = Settings(
        store=str(hansard.store), workspace=str(workspace), embedder="none", review_window_s=0
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("HANSARD_SECRET", SECRET)
        app = start(settings)
        asking = Hostile(app, replace(a_caller(secret=SECRET), session=SESSION))
        ask_nearly_everything(asking, workspace)
        asking("create_project", id="other", name="Other")
        told = "".join(answer.model_dump_json() for _, answer in asking.answers)
        assert told.count("\u202e") > 100
        app.close()
    return hansard


class Terminal(io.StringIO):
    """A terminal, as far as a command asks."""

    def isatty(self) -> bool:
        return True


def on(stream: type[io.StringIO], hansard: Hansard, *arguments: str) -> Ran:
    """Run a command in this process."""
    out, err = stream(), stream()
    with (
        patch.dict(os.environ, hansard.environment, clear=True),
        patch.object(sys, "stdin", io.StringIO()),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = run(list(arguments))
    return Ran(code, out.getvalue(), err.getvalue())


SHOWN: list[list[str]] = [
    ["completion", "words", "--", "records", "show", ""],
    *(
        ["status"],
        ["top", "--once"],
        ["search", "title"],
        ["entities"],
        ["metrics"],
        ["checkpoints"],
    ),
    *(["log", *more] for more in ([], ["--project", "@catalog"])),
    *(["verify"], ["doctor"], ["hosts"], ["anchor"], ["gc"], ["rebuild"], ["repair", "--yes"]),
    *(["timeline", SESSION], ["story", SESSION], ["evolution"], ["evolution", "a.py", "--all"]),
    ["evolution", "a.py", "--revision", "1"],
    ["call", "get_record_ref", "--id", "R001"],
    *(["why", "a.py:1"], ["workspace"], ["undo", "--session", SESSION, "--dry-run"]),
    ["restore", "a.py", "--before", "s:1", "--dry-run"],
    *(["secret"], ["token", "list"], ["projects", "list", "--all"], ["projects", "show"]),
    *(["records"], ["records", "show", "R001"], ["records", "history", "R001"]),
    *(["records", "diff", "R002", "--from", "t:2"], ["records", "search", "title"]),
    *(["sessions"], ["sessions", "show", SESSION], ["checkpoints", "list", SESSION]),
    *(["checkpoints", "show"], ["checkpoints", "export"], ["metrics", "list"]),
    *(["metrics", "query", "ms"], ["metrics", "export"], ["decisions", "list", "--all"]),
    *(["decisions", "show", "D001"], ["decisions", "search", "cache"]),
    *(["decisions", "history", "cache"], ["decisions", "history", HARD]),
    *(["decisions", "proposals", "--all"], ["decisions", "git"], ["entities", "export"]),
    *(["entities", "list", kind] for kind in ("textDocument", "messageThread", "agentGraph")),
    *(["export-schema"], ["checkpoints", "prune", "--keep", "1", "--dry-run"]),
    *(["records", "show", f"R{HARD}"], ["entities", "show", HARD], ["nowhere" + HARD]),
    *(["log", f"--x{HARD}"], ["timeline", HARD], ["why", f"{HARD}:1"], ["projects", "show", HARD]),
    *(["checkpoints", "show", HARD], ["decisions", "show", HARD], ["restore", HARD]),
    *(["import-from", HARD], ["import-from", HARD, "."], ["export-to", HARD, "x"], ["pull", HARD]),
    ["log", "--store", f"/tmp/{HARD}"],
]

WRITES: list[list[str]] = [
    ["records", "new", "--title", f"T{SOFT}", "--type", "t", "--summary", "s", "--body", HARD],
    ["records", "move-state", "R004", "LATER", "--reason", HARD],
    ["decisions", "record", "--title", "T", "--target", "x", "--rationale", f"Because {HARD}"],
    ["decisions", "supersede", "D002", "--title", HARD, "--rationale", f"Better {HARD * 2}"],
    ["projects", "archive", "other"],
    ["projects", "unarchive", "other"],
    ["projects", "rename", "other", "another", "--title", f"T{SOFT}"],
    ["sessions", "end", "another"],
]

NOT_HERE = {
    *("serve", "open", "demo", "hook", "backup", "restore-backup", "export", "import"),
    *("copy-store", "sso list", "sso check", "sso bar", "sso admit"),
    *("replay", "redact", "token create", "token revoke", "records edit", "checkpoints mark"),
    *("checkpoints import", "metrics import", "decisions accept"),
    *("decisions reject", "secret set", "secret recover", "secret cancel", "entities create"),
    *("entities delete", "entities import", "init", "push", "exchange"),
}
"""What serves, writes files, needs a person, or says no more than that it is done: all of them
write by the same streams."""


ASKED_FIRST = {"watch", "checkpoints diff", "entities show"}
"""What is told what to show only when it is known, by a test of its own."""


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from leaves(inner, (*path, name))
    else:
        yield " ".join(path)


def shown_in(ran: Ran) -> list[str]:
    """List the hidden characters that were shown as they are."""
    return HIDDEN.findall(OURS.sub("", ran.out + ran.err))


PIPE = pytest.mark.slow("runs all commands once more")


@pytest.mark.parametrize(
    "stream",
    [pytest.param(Terminal, id="terminal"), pytest.param(io.StringIO, id="pipe", marks=PIPE)],
)
def test_no_command_lets_stored_text_act(hansard: Hansard, stream: type[io.StringIO]) -> None:
    escaped = 0
    for arguments in SHOWN:
        exact = stream is io.StringIO and "evolution" in arguments and len(arguments) > 1
        if exact:  # what a file held, for a file
            continue
        ran = on(stream, hansard, *arguments)
        assert "a bug" not in ran.err, (arguments, ran.err)
        assert shown_in(ran) == [], arguments
        escaped += "\\u202e" in ran.out + ran.err
    assert escaped > 25


def test_what_commands_write_is_told_as_safely(hansard: Hansard) -> None:
    for arguments in WRITES:
        ran = on(Terminal, hansard, *arguments)
        assert "a bug" not in ran.err, (arguments, ran.err)
        assert shown_in(ran) == [], arguments


def test_every_entity_is_shown_as_safely(hansard: Hansard) -> None:
    escaped = 0
    for kind in TYPES:
        listed = on(io.StringIO, hansard, "entities", "list", kind.name, "--json").out
        for line in listed.splitlines():
            ran = on(Terminal, hansard, "entities", "show", json.loads(line)["id"])
            assert (ran.code, shown_in(ran)) == (0, []), kind
            escaped += "\\u202e" in ran.out

    assert escaped > 5


def test_compared_checkpoints_are_shown_as_safely(hansard: Hansard) -> None:
    app = start(Settings(store=str(hansard.store), embedder="none"))
    caller = a_caller()
    old, new = (
        app.call("workflow_checkpoint_save", {"context": {f"a{HARD}": HARD * times}}, caller)
        for times in (1, 2)
    )
    app.close()

    ids = [one.model_dump()["checkpointId"] for one in (old, new)]
    ran = on(Terminal, hansard, "checkpoints", "diff", *ids)

    assert (ran.code, shown_in(ran)) == (0, [])
    assert ran.out.count("\\u202e") >= 3


def test_what_watching_says_is_told_as_safely(
    hansard: Hansard, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = Path(hansard.environment["HANSARD_WORKSPACE"], f"new{HARD}.txt")
    file.write_text("x")
    # It ends when nothing more is told, instead of at Ctrl-C.
    changes = [set(), {(Change.added, str(file))}]
    monkeypatch.setattr(watchfiles, "watch", lambda *_, **__: iter(changes))
    monkeypatch.setattr(signal, "signal", lambda *_: None)

    ran = on(Terminal, hansard, "watch", "--no-first-look")

    assert (ran.code, shown_in(ran)) == (0, [])
    assert "\\u202e" in ran.out


def test_json_means_the_same_escaped(hansard: Hansard) -> None:
    for arguments in (["log"], ["records", "show", "R001"], ["decisions", "list", "--all"]):
        ran = on(io.StringIO, hansard, *arguments, "--json")
        assert shown_in(ran) == []
        values = [json.loads(line) for line in ran.out.splitlines()]
        assert any(SOFT in text for text in texts(values))


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def test_the_sweep_knows_every_command() -> None:
    swept = {" ".join(line[:length]) for line in (*SHOWN, *WRITES) for length in (1, 2)}

    known = set(leaves(typer.main.get_command(typer_app(COMMANDS))))

    assert known - swept - NOT_HERE - ASKED_FIRST == set()


def test_nobody_can_store_what_hansard_means_as_an_escape() -> None:
    stream = io.StringIO()

    Output(stream).write(f"{ESCAPE}[31mred{ESCAPE}[0m \x1b[31m \ufdd0{'0' * 16}\ufdd1[31m")

    shown = stream.getvalue()
    assert shown.startswith("\x1b[31mred\x1b[0m ")
    assert shown.count("\x1b") == 2
