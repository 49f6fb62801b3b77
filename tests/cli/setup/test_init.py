"""`hansard init`: hosts are connected once, shown first, backed up, and set free again."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hansard.cli.setup.document import document
from hansard.cli.setup.files import look, write
from hansard.cli.setup.hook_formats import HOSTS
from hansard.cli.setup.host_files import ALL
from hansard.cli.setup.targets import around, wanted
from hansard.cli.setup.texts import LeftAloneError
from tests.app.repositories import repository
from tests.cli.setup.person import PROGRAM, Person
from tests.cli.test_recorder_cli import terminal

PROJECT = {
    ".mcp.json": '{\n  "mcpServers": {\n    "gh": {"command": "gh"}\n  }\n}\n',
    ".claude/settings.json": '{\n\t"permissions": {"allow": []} // mine\n}',
    ".codex/config.toml": '# mine\nmodel = "m"\n\n[mcp_servers.gh]\ncommand = "gh" # theirs\n',
    ".gemini/settings.json": '{"security": {"auth": {"selectedType": "x"}}}\n',
    ".qwen/settings.json": "{}\n",
    ".vscode/mcp.json": '{\n    // servers\n    "servers": {},\n    "inputs": [],\n}\n',
    ".cursor/mcp.json": '{\r\n  "mcpServers": {\r\n    "gh": {"command": "gh"}\r\n  }\r\n}\r\n',
    ".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "theirs"}]}}',
    ".zed/settings.json": '\ufeff{\n  // Zed\n  "context_servers": {\n  },\n}\n',
    "opencode.jsonc": '{\n  /* mcp */\n  "mcp": {"gh": {"type": "local", "command": ["gh"]}}\n}\n',
    ".factory/mcp.json": "",
}
"""A file of each host that has one for projects, as people have them."""

USER = {
    ".claude.json": '{"numStartups": 3, "mcpServers": {}, "projects": {}}',
    ".claude/settings.json": "{}",
    ".codex/config.toml": 'model = "m"',
    ".gemini/settings.json": '{\n  "mcpServers": {}\n}\n',
    ".qwen/settings.json": "{\n}\n",
    ".copilot/mcp-config.json": '{"mcpServers": {}}\n',
    ".config/Code/User/mcp.json": '{\n\t"servers": {}\n}\n',
    ".cursor/mcp.json": '{"mcpServers": {"gh": {"command": "gh"}}}\n',
    ".codeium/windsurf/mcp_config.json": '{\n  "mcpServers": {\n  }\n}\n',
    ".config/zed/settings.json": '// Zed settings\n{\n  "theme": "One Dark",\n}\n',
    ".config/opencode/opencode.json": '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
    ".cline/data/settings/cline_mcp_settings.json": '{\n  "mcpServers": {}\n}\n',
    ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json": (
        '{\n  "mcpServers": {}\n}\n'
    ),
    ".factory/mcp.json": '{"mcpServers": {}}\n',
    ".config/Claude/claude_desktop_config.json": '{\n  "globalShortcut": ""\n}\n',
}
"""A file of each host of a user."""


def contains(held: Any, part: Any) -> bool:
    """Whether all of a value is in another, in its order."""
    if isinstance(part, dict):
        order = [key for key in held if key in part]
        return order == list(part) and all(contains(held[key], part[key]) for key in part)
    return bool(held == part)


def test_every_host_with_a_project_file_is_connected_and_the_rest_of_it_stays(
    person: Person,
) -> None:
    person.has(PROJECT)

    ran = person("init", "--yes", "--no-guide", *ALL)

    assert (ran.code, ran.err) == (0, "")
    files = person.files()
    own = {".codex/hooks.json", ".opencode/plugins/hansard.js", ".windsurf/hooks.json"}
    own |= {f".cline/hooks/{event}" for event in HOSTS["cline"].events}
    assert set(files) == {*PROJECT, ".hansard.toml", ".factory/settings.json", *own}
    for name, text in PROJECT.items():
        held = files[name].decode()
        assert PROGRAM in held
        assert all(remark in held for remark in re.findall(r"# .*|// .*|/\* .*\*/", text))
        assert contains(document(name, held).data, document(name, text).data)
    assert files[".hansard.toml"].decode().endswith('project = "shop"\n')


@pytest.mark.parametrize("scope", ["project", "user"])
def test_once_more_changes_nothing_and_uninstall_brings_every_byte_back(
    person: Person, scope: str
) -> None:
    base = person.repository if scope == "project" else person.home
    person.has(PROJECT if scope == "project" else USER, base)
    before = person.files(base)
    words = ["--yes", "--no-guide", *ALL, *(["--user"] if scope == "user" else [])]

    first = person("init", *words)
    installed = person.files(base)
    again = person("init", *words)
    same = person.files(base)
    person("init", "--uninstall", *words)

    assert (first.code, again.code) == (0, 0)
    assert "Nothing was changed." in again.out
    assert all(PROGRAM.encode() in installed[name] for name in before)
    assert installed == same
    after = person.files(base)
    # What the project is called stays: without it, what was recorded would not be found here.
    after.pop(".hansard.toml", None)
    assert after == before


def test_files_that_were_made_are_gone_after_an_uninstall(person: Person) -> None:
    person("init", "--yes", *ALL)
    assert len(person.files()) > 8

    person("init", "--yes", "--uninstall")

    assert set(person.files()) == {".hansard.toml"}
    assert {path.name for path in person.repository.iterdir()} == {".git", ".hansard.toml"}


def test_what_somebody_wrote_since_stays_after_an_uninstall(person: Person) -> None:
    person.has({".mcp.json": '{\n  "mcpServers": {\n    "gh": {"command": "gh"}\n  }\n}\n'})
    person("init", "--yes", "claude-code", "cursor")
    path, made = person.repository / ".mcp.json", person.repository / ".cursor" / "mcp.json"
    path.write_text(path.read_text().replace('"gh": {', '"new": {}, "gh": {'))
    made.write_text(made.read_text().replace('{\n  "mcp', '{\n  "mine": 1,\n  "mcp'))

    person("init", "--yes", "--uninstall")

    assert path.read_text() == (
        '{\n  "mcpServers": {\n    "new": {}, "gh": {"command": "gh"}\n  }\n}\n'
    )
    assert json.loads(made.read_text()) == {"mine": 1}


def test_what_somebody_wrote_between_two_runs_stays_after_an_uninstall(person: Person) -> None:
    person.has({".mcp.json": '{\n  "mcpServers": {}\n}\n'})
    person("init", "--yes", "claude-code")
    path = person.repository / ".mcp.json"
    path.write_text(path.read_text().replace(PROGRAM, "/gone/hansard").replace("{\n", "{ //x\n", 1))
    person("init", "--yes", "claude-code")
    assert PROGRAM in path.read_text()

    person("init", "--yes", "--uninstall")

    assert path.read_text() == '{ //x\n  "mcpServers": {}\n}\n'


def test_a_server_of_another_name_that_runs_us_is_updated_and_gets_no_twin(person: Person) -> None:
    entry = {"command": "/gone/bin/hansard", "args": ["--store=/data"], "env": {"A": "b"}}
    person.has({".cursor/mcp.json": json.dumps({"mcpServers": {"memory": entry}})})

    person("init", "--yes", "cursor")

    assert person.servers(".cursor/mcp.json") == {"memory": entry | {"command": PROGRAM}}


def test_uninstall_brings_back_what_the_entry_was(person: Person) -> None:
    text = json.dumps({"mcpServers": {"memory": {"command": "/gone/hansard", "args": ["-x"]}}})
    person.has({".cursor/mcp.json": text})
    person("init", "--yes", "--no-hooks", "cursor", "--store", "/data")
    path = person.repository / ".cursor" / "mcp.json"
    assert person.servers(".cursor/mcp.json")["memory"]["args"] == ["-x", "--store=/data"]
    path.write_text(path.read_text() + "\n")

    person("init", "--yes", "--uninstall", "cursor")

    assert path.read_text() == text + "\n"


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "http://127.0.0.1:8377/mcp"},
        {"command": "docker", "args": ["run", "hansard"]},
        {"command": "uvx", "args": ["hansard@1.2"]},
    ],
    ids=["http", "docker", "uvx"],
)
def test_an_entry_that_its_user_made_in_another_way_is_left_as_it_is(
    person: Person, entry: dict[str, object]
) -> None:
    text = json.dumps({"mcpServers": {"hansard": entry}})
    person.has({".cursor/mcp.json": text})

    ran = person("init", "--yes", "--no-hooks", "cursor")

    assert ran.code == 0
    assert (person.repository / ".cursor/mcp.json").read_text() == text


def test_hosts_that_share_a_file_share_the_entry(person: Person) -> None:
    person("init", "--yes", "claude-code", "copilot-cli")

    assert list(person.servers(".mcp.json")) == ["hansard"]


@pytest.mark.parametrize("place", ["user", "local"])
def test_what_the_user_has_for_all_projects_is_not_started_twice(
    person: Person, place: str
) -> None:
    servers = {"mcpServers": {"memory": {"command": PROGRAM}}}
    known = servers if place == "user" else {"projects": {str(person.repository): servers}}
    person.has({".claude.json": json.dumps(known)}, person.home)

    ran = person("init", "--yes", "--no-hooks", "claude-code")

    assert "~/.claude.json" in ran.out
    assert not (person.repository / ".mcp.json").exists()


def test_hooks_that_the_user_has_for_all_projects_do_not_run_twice(person: Person) -> None:
    person("init", "--yes", "--user", "claude-code")

    person("init", "--yes", "--no-guide", "claude-code")

    assert set(person.files()) == {".hansard.toml"}


def test_hooks_are_added_beside_others_and_taken_out_alone(person: Person) -> None:
    theirs = {"matcher": "Edit", "hooks": [{"type": "command", "command": "lint"}]}
    person.has({".claude/settings.json": json.dumps({"hooks": {"PostToolUse": [theirs]}})})
    path = person.repository / ".claude/settings.json"

    person("init", "--yes", "claude-code")
    held = json.loads(path.read_text())["hooks"]
    path.write_text(path.read_text() + " ")
    person("init", "--yes", "--uninstall")

    assert held["PostToolUse"][0] == theirs
    assert held["PostToolUse"][1]["hooks"][0]["command"] == f"{PROGRAM} hook claude-code"
    assert {"SessionStart", "UserPromptSubmit", "PreToolUse", "SessionEnd"} < set(held)
    assert json.loads(path.read_text()) == {"hooks": {"PostToolUse": [theirs]}}


def test_hooks_that_an_earlier_version_wrote_see_shells_too(person: Person) -> None:
    former = {"type": "command", "command": f"{PROGRAM} hook claude-code", "timeout": 30}
    group = {"matcher": "Edit|Write|MultiEdit|NotebookEdit", "hooks": [former]}
    person.has({".claude/settings.json": json.dumps({"hooks": {"PostToolUse": [group]}})})

    person("init", "--yes", "--no-guide", "claude-code", "copilot-cli", "vscode")

    held = json.loads((person.repository / ".claude/settings.json").read_text())["hooks"]
    assert all(len(groups) == 1 for groups in held.values())
    [now] = held["PostToolUse"]
    assert {"Edit", "Bash", "bash", "run_in_terminal"} < set(now["matcher"].split("|"))
    assert now["hooks"] == [former]


def test_print_shows_the_change_and_makes_none(person: Person) -> None:
    person.has(PROJECT)
    before = person.files()

    ran = person("init", "--print", *ALL)

    assert ran.code == 0
    assert "+++ .codex/config.toml" in ran.out
    assert "+[mcp_servers.hansard]" in ran.out
    assert person.files() == before
    assert not (person.home / ".local").exists()


def test_without_anybody_to_ask_nothing_is_written(person: Person) -> None:
    person.has(PROJECT)
    before = person.files()

    ran = person("init", *ALL)

    assert ran.code == 2
    assert person.files() == before


def test_on_a_terminal_each_file_is_asked_about(person: Person) -> None:
    words = ["init", "--no-hooks", "--no-guide", "claude-code", "codex"]
    with terminal(person.hansard, *words, **person.environment) as typist:
        typist.until("Write .hansard.toml? [y/N]")
        typist.type("n\n")
        shown = typist.until("Write .mcp.json? [y/N]")
        typist.type("y\n")
        typist.until("Write .codex/config.toml? [y/N]")
        typist.type("\n")
        code, _ = typist.end()

    assert code == 0
    assert "+++ .mcp.json" in shown
    assert set(person.files()) == {".mcp.json"}


def test_only_hosts_that_are_there_are_connected(person: Person) -> None:
    (person.bin / "codex").write_text("#!/bin/sh\n")
    (person.bin / "codex").chmod(0o755)
    (person.home / ".gemini").mkdir()
    person.has({".vscode/mcp.json": "{}"})

    person("init", "--yes", "--no-guide")

    assert set(person.files()) == {
        ".hansard.toml",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".vscode/mcp.json",
        # Whose hooks VS Code reads.
        ".claude/settings.json",
    }


def unreadable(path: Path) -> None:
    path.write_text('{"mcpServers": {')


def read_only(path: Path) -> None:
    path.write_text("{}")
    path.chmod(0o444)


def not_utf8(path: Path) -> None:
    path.write_bytes('{"a": "ä"}'.encode("utf-16"))


def leads_out(path: Path) -> None:
    outside = path.parents[2] / "outside.json"
    outside.write_text("{}")
    path.symlink_to(outside)


def leads_nowhere(path: Path) -> None:
    path.symlink_to(path.parent / "missing.json")


def a_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    "make", [unreadable, read_only, not_utf8, leads_out, leads_nowhere, a_folder]
)
def test_a_file_that_is_not_ours_to_write_is_told_of_and_left_alone(
    person: Person, make: Callable[[Path], None]
) -> None:
    path = person.repository / ".cursor" / "mcp.json"
    path.parent.mkdir()
    make(path)
    before = path.read_bytes() if path.is_file() else None

    ran = person("init", "--yes", "--no-hooks", "cursor", "gemini-cli")

    assert ran.code == 1
    assert ".cursor/mcp.json" in ran.out
    assert (path.read_bytes() if path.is_file() else None) == before
    # The others are done all the same.
    assert PROGRAM in (person.repository / ".gemini/settings.json").read_text()


def test_a_link_within_the_project_stays_a_link(person: Person) -> None:
    person.has({"config/mcp.json": "{}"})
    (person.repository / ".mcp.json").symlink_to("config/mcp.json")

    person("init", "--yes", "--no-hooks", "claude-code")

    assert (person.repository / ".mcp.json").is_symlink()
    assert PROGRAM in (person.repository / "config/mcp.json").read_text()


def test_the_mode_of_a_file_stays_and_copies_are_the_owners_alone(person: Person) -> None:
    person.has({".gemini/settings.json": '{"key": "secret"}'}, person.home)
    path = person.home / ".gemini" / "settings.json"
    path.chmod(0o640)

    person("init", "--yes", "--user", "gemini-cli")

    assert path.stat().st_mode & 0o777 == 0o640
    copies = [one for one in (person.home / ".local").rglob("*") if one.is_file()]
    assert b'{"key": "secret"}' in [one.read_bytes() for one in copies]
    assert {one.stat().st_mode & 0o777 for one in copies} == {0o600}
    assert not list(path.parent.glob("*.tmp")) + list(path.parent.glob(".*.tmp"))


def test_settings_given_here_go_into_the_entry_with_whole_paths(
    person: Person, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    person("init", "--yes", "claude-code", "--store", "data", "--read-only", "--project", "lantern")

    words = [f"--store={tmp_path / 'data'}", "--read-only"]
    assert person.servers(".mcp.json")["hansard"]["args"] == words
    hooks = (person.repository / ".claude/settings.json").read_text()
    assert f"hook claude-code {words[0]} --read-only" in hooks
    assert 'project = "lantern"' in (person.repository / ".hansard.toml").read_text()


def test_a_password_goes_into_no_file(person: Person) -> None:
    ran = person("init", "--yes", "claude-code", "--store", "postgresql://me:hunter2@db/x")

    assert ran.code == 2
    assert person.files() == {}


def test_the_project_is_called_what_the_store_calls_it(person: Person, tmp_path: Path) -> None:
    other = repository(tmp_path / "other" / "shop")
    for folder in (other, person.repository):
        ran = person("records", "new", "--title", "x", "--body", "b", "--workspace", str(folder))
        assert ran.code == 0, ran.err

    person("init", "--yes")

    assert 'project = "shop-2"' in (person.repository / ".hansard.toml").read_text()


def test_a_subfolder_connects_the_repository(person: Person) -> None:
    (person.repository / "src").mkdir()

    person(
        "init", "--yes", "--no-guide", "claude-code", "--workspace", str(person.repository / "src")
    )

    assert set(person.files()) == {".hansard.toml", ".mcp.json", ".claude/settings.json"}


def test_an_unknown_host_is_refused_with_those_there_are(person: Person) -> None:
    ran = person("init", "--yes", "emacs")

    assert ran.code == 2
    assert "claude-code" in ran.err
    assert person.files() == {}


def test_a_host_without_a_project_file_says_how_to_connect_it(person: Person) -> None:
    ran = person("init", "--yes", "--no-guide", "windsurf")

    assert "hansard init --user windsurf" in ran.out
    assert person.files(person.home) == {}


@pytest.mark.parametrize("was", ["{}", None])
def test_a_file_that_changed_since_it_was_looked_at_is_not_written_over(
    tmp_path: Path, was: str | None
) -> None:
    path = tmp_path / "mcp.json"
    if was is not None:
        path.write_text(was)
    found = look(path)
    path.write_text('{"host": "was faster"}')

    with pytest.raises(LeftAloneError):
        write(found, b"{}")

    assert path.read_text() == '{"host": "was faster"}'


def test_a_host_file_cannot_act_on_the_terminal(person: Person) -> None:
    person.has({".mcp.json": '{\n  "a": "\x9b2J\u202e"\n}\n'})

    ran = person("init", "--print", "claude-code")

    assert "\x9b" not in ran.out
    assert "\u202e" not in ran.out


def test_every_host_of_the_table_has_a_user_file_and_a_name_to_be_known_by(tmp_path: Path) -> None:
    where = around(tmp_path, {})

    for host in ALL.values():
        assert host.files("user", where)
        assert host.clients
        assert all(name == name.casefold() for name in host.clients)


def test_a_program_in_a_cache_that_comes_and_goes_is_run_by_its_runner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = tmp_path / "bin" / "uvx"
    runner.parent.mkdir()
    runner.touch(0o755)
    inside = tmp_path / "cache" / "uv" / "archive-v0" / "x1" / "bin" / "python"
    monkeypatch.setattr(sys, "executable", str(inside))
    monkeypatch.setenv("PATH", str(runner.parent))

    assert wanted(["--read-only"]).program == (str(runner), "hansard")
