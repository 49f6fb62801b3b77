"""No command signs as a person who has not proved it, where the store knows a secret.

Every command is run as an agent would run it: on a terminal of its own, pressing Enter where the
secret is asked for. Whatever it writes must be an agent's.
"""

import ast
import getpass
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
import typer

import hansard.cli
from hansard.app import people
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.verify import projects_of
from hansard.cli.commands import typer_app
from hansard.cli.main import run
from hansard.kernel.event import Actor, Stamp
from tests.cli.running import AT, Hansard, Ran
from tests.cli.test_output import Terminal, leaves
from tests.conftest import a_caller
from tests.contract.everything_asked import Asking, ask_nearly_everything
from tests.entities.export_samples import GIVEN

SECRET = "a secret that only a person knows"
SESSION = "main"
WHY = ("--rationale", "Because it was measured twice.")

LOOKS = {
    *(
        "log",
        "verify",
        "doctor",
        "anchor",
        "backup",
        "export",
        "export-to",
        "replay",
        "timeline",
        "story",
    ),
    *("evolution", "why", "token list", "projects list", "projects show", "records show"),
    *("records history", "records diff", "records search", "sessions show", "checkpoints list"),
    *("checkpoints show", "checkpoints export", "checkpoints diff", "metrics list"),
    *("metrics query", "metrics export", "decisions list", "decisions show", "decisions search"),
    *("decisions history", "decisions proposals", "decisions git", "entities export"),
    *("entities list", "entities show", "export-schema", "rebuild", "status", "search", "hosts"),
    *("completion", "top", "sso list", "sso check"),
}
"""These record nothing, or, as `rebuild`, derive again what is recorded."""

OTHERS = {
    "serve": "its callers are judged each by itself",
    "open": "opens a browser",
    "init": "writes the files of hosts, and nothing in the store",
    "demo": "makes a store of its own",
    "hook": "is always the agent of its host",
    "watch": "runs until it is stopped, and is asked for nothing",
    "restore-backup": "is run by itself below",
    "copy-store": "writes to another store, and is run by itself in test_keeping_cli.py",
    "push": "writes to another store, which judges it (test_push_pull.py)",
    "exchange": "talks on pipes, and judges each message (test_push_pull.py)",
    "records edit": "opens an editor, and writes as `records new` does",
}


def writes(folder: Path) -> dict[str, list[str]]:
    """Give a line of each command that records something."""
    return {
        "call": ["create_record", "--title", "T", "--type", "t", "--summary", "s", "--body", "b"],
        "records new": ["--title", "T", "--type", "t", "--summary", "s", "--body", "b"],
        "records move-state": ["R004", "LATER", "--reason", "Not now"],
        "decisions record": ["--title", "T", "--target", "x", *WHY],
        "decisions supersede": ["D002", "--title", "T", *WHY],
        "decisions accept": ["P001"],
        "decisions reject": ["P001"],
        "projects rename": ["other", "another"],
        "projects archive": ["another"],
        "projects unarchive": ["another"],
        "sessions end": ["another"],
        "gc": ["--apply", "--days", "0"],
        "repair": ["--yes"],
        "redact": ["s:2", "--field", "title", "--reason", "why", "--yes"],
        "import": [str(folder / "bundle"), "--as", "copy"],
        "import-from": [str(folder / "memory.jsonl"), "--sign"],
        "pull": [str(folder / "far"), "faraway"],
        "token create": ["--role", "admin", "--human"],
        "token revoke": ["nothing"],
        "sso bar": ["sso-nothing"],
        "sso admit": ["sso-nothing"],
        "secret set": [],
        "secret recover": [],
        "secret cancel": [],
        "checkpoints mark": [SESSION, "n"],
        "checkpoints prune": [SESSION, "--keep", "1"],
        "checkpoints import": [str(folder / "checkpoint.json"), "--session", "imported"],
        "metrics import": [str(folder / "metrics.jsonl")],
        "entities import": [str(folder / "entities.jsonl")],
        "entities create": ["textDocument", str(folder / "document.json")],
        "entities delete": ["textDocument::nothing"],
        "workspace": ["join", "nothing"],
        "undo": ["--session", SESSION, "--yes"],
        "restore": ["a.py", "--before", "s:1", "--yes"],
    }


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Hansard:
    """The command, at a store that knows a secret and has something of everything."""
    home = tmp_path_factory.mktemp("proving")
    hansard, workspace = Hansard(home), home / "work"
    workspace.mkdir()
    hansard.environment |= {
        "HANSARD_WORKSPACE": str(workspace),
        "HANSARD_EMBEDDER": "none",
        "TERM": "dumb",
    }
    settings = Settings(
        store=str(hansard.store), workspace=str(workspace), embedder="none", review_window_s=0
    )
    app = start(settings)
    asking = Asking(app, a_caller(session=SESSION, is_vouched=True, role="admin"))
    people.set_secret(app.store, SECRET, Stamp(Actor("human", "ada", "admin"), AT))
    ask_nearly_everything(asking, workspace)
    asking("create_project", id="other", name="Other")
    app.close()
    for line in (
        ("export", "default", str(home / "bundle")),
        ("checkpoints", "export", SESSION, "-o", str(home / "checkpoint.json")),
        ("entities", "export", "-o", str(home / "entities.jsonl")),
    ):
        ran = hansard(*line)
        assert ran.code == 0, ran.err
    far = start(replace(settings, store=str(home / "far"), project="faraway"))
    far.call("create_project", {"id": "faraway", "name": "Far away"}, a_caller())
    note = {"type": "note", "title": "T", "summary": "s", "body": "b"}
    far.call("create_record", note, a_caller())
    far.close()
    (home / "memory.jsonl").write_text('{"type": "entity", "name": "x", "observations": []}')
    (home / "metrics.jsonl").write_text('{"name": "ms", "value": 1}')
    (home / "document.json").write_text(json.dumps(GIVEN["textDocument"]))
    return hansard


def pressing_enter(hansard: Hansard, *arguments: str) -> tuple[Ran, int]:
    """Run a command as who sits at a terminal and knows no secret; says how often it asked."""
    out, err, stdin = Terminal(), Terminal(), Terminal("\n" * 9)
    asked = 0

    def press(_prompt: str = "") -> str:
        nonlocal asked
        asked += 1
        return ""

    with (
        patch.dict(os.environ, hansard.environment, clear=True),
        patch.object(sys, "stdin", stdin),
        patch.object(getpass, "getpass", press),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = run(list(arguments))
    return Ran(code, out.getvalue(), err.getvalue()), asked


def people_of(hansard: Hansard) -> list[str]:
    """List the entries of the whole store that are signed by a person."""
    app = start(Settings(store=str(hansard.store), embedder="none", read_only=True))
    try:
        return [
            f"{project} {entry.kind} {entry.actor.id}"
            for project in projects_of(app.store.engine)
            for entry in app.store.engine.read(project, lambda tx: tx.entries(limit=10_000))
            if entry.actor.kind == "human"
        ]
    finally:
        app.close()


@pytest.mark.slow("runs every command that writes")
@pytest.mark.holds("ALL-10.16")
def test_no_command_signs_as_a_person_who_proved_nothing(agents: Hansard, tmp_path: Path) -> None:
    before = people_of(agents)
    idle = {"repair", "checkpoints prune"}  # nothing is broken, and nothing too many
    # What it brings was signed elsewhere; into a project that is there it does ask.
    unsigned = {"pull"}
    ended: dict[str, int] = {}

    for name, rest in writes(agents.store.parent).items():
        ran, asked = pressing_enter(agents, *name.split(), *rest)
        assert "a bug" not in ran.err, (name, ran.err)
        is_free = name in idle | unsigned
        assert asked or ran.code or is_free, f"{name} did not ask for the secret"
        assert people_of(agents) == before, (name, ran.out, ran.err)
        ended[name] = ran.code

    done = {name for name, code in ended.items() if code == 0}
    persons = {
        *("decisions accept", "decisions reject", "redact", "token create", "token revoke"),
        *("sso bar", "sso admit"),
    }
    nothing = {"workspace", "entities delete"}  # what they name is not there
    assert done == set(ended) - persons - nothing - {one for one in ended if "secret" in one}


def test_the_sweep_knows_every_command() -> None:
    known = LOOKS | set(OTHERS) | set(writes(Path()))

    every = set(leaves(typer.main.get_command(typer_app())))

    assert every == known


def test_only_one_door_asks_who_sits_at_the_terminal() -> None:
    """A command that asked by itself could forget the secret."""
    folder = Path(hansard.cli.__file__).parent

    def imports_actor(path: Path) -> bool:
        return any(
            isinstance(node, ast.ImportFrom)
            and node.module == "hansard.cli.terminal.text"
            and any(name.name == "actor" for name in node.names)
            for node in ast.walk(ast.parse(path.read_text()))
        )

    assert {path.stem for path in folder.rglob("*.py") if imports_actor(path)} == {
        "cli_session", "person_proof",
    }  # fmt: skip


@pytest.mark.slow("backs a store up and brings it back")
@pytest.mark.holds("ALL-10.16")
def test_a_store_that_knows_a_secret_is_not_set_aside_by_who_cannot_prove_it(
    tmp_path: Path,
) -> None:
    hansard = Hansard(tmp_path)
    app = start(Settings(store=str(hansard.store), embedder="none"))
    app.close()
    hansard("backup", str(tmp_path / "backups"))
    app = start(Settings(store=str(hansard.store), embedder="none"))
    people.set_secret(app.store, SECRET, Stamp(Actor("human", "ada", "admin"), AT))
    app.close()

    ran, asked = pressing_enter(hansard, "restore-backup", str(tmp_path / "backups"), "--force")

    assert (ran.code, asked) == (1, 1), ran.err
    app = start(Settings(store=str(hansard.store), embedder="none"))
    assert people.is_right(app.store, SECRET)
    app.close()
