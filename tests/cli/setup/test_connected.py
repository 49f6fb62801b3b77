"""`hansard hosts`: what is installed where, and who has called."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller
from hansard.kernel.session_holder import Holder
from tests.cli.setup.person import PROGRAM, Person
from tests.patience import PATIENCE_S


def told(person: Person) -> dict[str, dict[str, Any]]:
    ran = person("hosts", "--json")
    assert (ran.code, ran.err) == (0, "")
    return {one["host"]: one for one in json.loads(ran.out)["hosts"]}


def call(person: Person, client: str, project: str) -> None:
    """Do something as a host does it that calls itself so."""
    app = start(Settings(store=str(person.hansard.store), project=project, embedder="none"))
    actor = Actor("agent", client, "agent")
    caller = Caller(actor, session=client, holder=Holder(via="stdio", client=client))
    try:
        app.call("workflow_checkpoint_save", {"context": {"n": 1}}, caller)
    finally:
        app.close()


def test_a_host_that_was_connected_is_shown_with_its_files(person: Person) -> None:
    person("init", "--yes", "claude-code")
    person("init", "--yes", "--user", "codex")

    shown = told(person)

    assert [
        (one["file"], one["kind"], one["state"]) for one in shown["claude-code"]["entries"]
    ] == [
        (".mcp.json", "server", "current"),
        (".claude/settings.json", "hook", "current"),
    ]
    assert [(one["file"], one["runs"]) for one in shown["codex"]["entries"]] == [
        ("~/.codex/config.toml", PROGRAM),
        ("~/.codex/hooks.json", f"{PROGRAM} hook codex"),
    ]
    assert shown["codex"]["found"]
    assert not shown["zed"]["found"]
    assert shown["zed"]["entries"] == []


def test_what_claude_itself_wrote_for_this_folder_is_found(person: Person) -> None:
    servers = {"mcpServers": {"hansard": {"command": PROGRAM}}}
    held = {"projects": {str(person.repository): servers, "/elsewhere": servers}}
    person.has({".claude.json": json.dumps(held)}, person.home)

    assert [one["file"] for one in told(person)["claude-code"]["entries"]] == ["~/.claude.json"]


@pytest.mark.parametrize(
    ("command", "state"),
    [("/gone/hansard", "stale"), ("{other}", "other"), ("hansard", "other"), ("sh", "kept")],
)
def test_an_entry_that_does_not_run_this_program_says_so(
    person: Person, tmp_path: Path, command: str, state: str
) -> None:
    other = tmp_path / "other" / "hansard"
    other.parent.mkdir()
    other.touch(0o755)
    entry = {"command": command.format(other=other)}
    person.has({".cursor/mcp.json": json.dumps({"mcpServers": {"hansard": entry}})})

    assert [one["state"] for one in told(person)["cursor"]["entries"]] == [state]


def test_the_last_call_of_each_host_is_told_whatever_the_project(person: Person) -> None:
    call(person, "claude-code", "lantern")
    call(person, "qwen-cli-mcp-client-hansard", "shop")

    shown = told(person)

    assert shown["claude-code"]["last_call"] < shown["qwen-code"]["last_call"]
    assert shown["cursor"]["last_call"] is None
    # One whose name begins alike is another.
    assert shown["claude-desktop"]["last_call"] is None


def test_looking_makes_neither_a_store_nor_a_file(person: Person) -> None:
    person.has({".cursor/mcp.json": '{"mcpServers": '})

    ran = person("hosts")

    assert ran.code == 0
    assert "Cursor: no call yet" in ran.out
    assert not person.hansard.store.exists()
    assert person.files(person.home) == {}


@pytest.mark.slow("starts the program that a host would start, from a new interpreter")
def test_what_init_wrote_starts_a_server_whose_call_is_then_seen(person: Person) -> None:
    person("init", "--yes", "claude-code", "--store", str(person.hansard.store))
    held = json.loads((person.repository / ".mcp.json").read_text())
    entry = held["mcpServers"]["hansard"]
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": "2.1.325"},
    }
    note = {"name": "audit_event", "arguments": {"type": "note", "description": "Here"}}
    lines: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": note},
    ]
    said = "".join(json.dumps({"jsonrpc": "2.0"} | line) + "\n" for line in lines)

    ran = subprocess.run(
        [entry["command"], *entry["args"]],
        input=said,
        cwd=person.repository,
        env={"HOME": str(person.home), "PATH": "", "HANSARD_CONFIG": os.devnull},
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=True,
    )

    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [one["id"] for one in answers if "result" in one] == [1, 2]
    shown = told(person)["claude-code"]
    assert shown["last_call"] is not None
    assert [one["state"] for one in shown["entries"]] == ["current", "current"]
