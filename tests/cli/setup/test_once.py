"""A host that reads several files is connected in one of them, and by one set of hooks."""

import json
import shutil

import pytest

from tests.cli.setup.person import PROGRAM, Person


@pytest.mark.parametrize("first", ["user", "project"])
def test_hooks_of_one_scope_are_told_of_and_get_no_second_in_the_other(
    person: Person, first: str
) -> None:
    scopes = {"user": ["--user"], "project": ["--no-guide"]}
    other = "project" if first == "user" else "user"
    bases = {"user": person.home, "project": person.repository}
    person("init", "--yes", *scopes[first], "claude-code")

    ran = person("init", "--yes", *scopes[other], "claude-code")

    assert "has the hooks from" in ran.out
    assert (bases[first] / ".claude/settings.json").exists()
    assert not (bases[other] / ".claude/settings.json").exists()


def test_hooks_that_are_in_both_scopes_are_still_renewed(person: Person) -> None:
    hook = {"type": "command", "command": "/gone/bin/hansard hook claude-code"}
    text = json.dumps({"hooks": {"SessionEnd": [{"hooks": [hook]}]}})
    person.has({".claude/settings.json": text})
    person.has({".claude/settings.json": text}, person.home)

    ran = person("init", "--yes", "--no-guide", "claude-code")

    assert "has hooks in .claude/settings.json and ~/.claude/settings.json" in ran.out
    assert "/gone/" not in (person.repository / ".claude/settings.json").read_text()


def test_an_entry_in_the_second_of_a_hosts_files_is_found_updated_and_taken_out(
    person: Person,
) -> None:
    entry = {"type": "local", "command": ["/gone/hansard", "--read-only"], "enabled": True}
    person.has({"opencode.json": "{}", "opencode.jsonc": json.dumps({"mcp": {"hansard": entry}})})

    person("init", "--yes", "--no-guide", "opencode")
    held = person.servers("opencode.jsonc", "mcp")
    told = json.loads(person("hosts", "--json").out)["hosts"]
    (person.repository / "opencode.jsonc").write_text(json.dumps({"mcp": held}))
    person("init", "--yes", "--uninstall")

    assert held["hansard"]["command"] == [PROGRAM, "--read-only"]
    assert (person.repository / "opencode.json").read_text() == "{}"
    [opencode] = [one for one in told if one["host"] == "opencode"]
    runs = {one["file"]: (one["kind"], one["state"]) for one in opencode["entries"]}
    plugin = ".opencode/plugins/hansard.js"
    assert runs == {"opencode.jsonc": ("server", "current"), plugin: ("hook", "current")}
    assert PROGRAM not in (person.repository / "opencode.jsonc").read_text()


def test_a_plugin_that_the_user_has_for_all_projects_is_not_loaded_twice(person: Person) -> None:
    person("init", "--yes", "--user", "opencode")

    ran = person("init", "--yes", "--no-guide", "opencode")

    assert "has the hooks from ~/.config/opencode/plugins/hansard.js already" in ran.out
    assert set(person.files()) == {".hansard.toml"}


def test_a_file_of_ours_is_renewed_unless_somebody_changed_it(person: Person) -> None:
    path = person.repository / ".opencode/plugins/hansard.js"
    person("init", "--yes", "--no-guide", "opencode")
    person("init", "--yes", "--no-guide", "opencode", "--store", "/data/one")
    assert "--store=/data/one" in path.read_text()

    path.write_text(path.read_text() + "// mine\n")
    person("init", "--yes", "--no-guide", "opencode", "--store", "/data/two")

    assert "--store=/data/one" in path.read_text()
    path.write_text(path.read_text().removesuffix("// mine\n"))
    person("init", "--yes", "--uninstall")
    assert not path.exists()


def test_a_host_that_runs_a_file_for_each_event_gets_them_once_and_loses_them_again(
    person: Person,
) -> None:
    person.has({".cline/data/own.json": "{}"}, person.home)
    person("init", "--yes", "--user", "cline")
    hooks = person.home / ".cline/hooks"
    written = {path.name: path.read_text() for path in hooks.iterdir()}
    modes = {path.stat().st_mode & 0o777 for path in hooks.iterdir()}
    again = person("init", "--yes", "--user", "cline")
    beside = person("init", "--yes", "--no-guide", "cline")
    person("init", "--yes", "--user", "--uninstall", "cline")

    assert {"TaskStart", "PreToolUse", "PostToolUse"} <= set(written)
    assert all(f"exec {PROGRAM} hook cline\n" in text for text in written.values())
    assert modes == {0o700}
    assert "Nothing was changed." in again.out
    assert "has the hooks from ~/.cline/hooks already" in beside.out
    assert not hooks.exists()
    assert (person.home / ".cline/data").exists()
    assert not (person.repository / ".cline").exists()


@pytest.mark.parametrize("path", [".opencode/plugins/hansard.js", ".cline/hooks/PreToolUse"])
def test_a_file_of_ours_that_somebody_else_committed_can_be_taken_out_here(
    person: Person, path: str
) -> None:
    host = path.split("/", maxsplit=1)[0].removeprefix(".")
    person("init", "--yes", "--no-guide", host)
    text = (person.repository / path).read_text().replace(PROGRAM, "/home/ann/bin/hansard")
    shutil.rmtree(person.home / ".local")
    theirs = path.replace("hansard", "own").replace("PreToolUse", "TaskCancel")
    person.has({path: text, theirs: "// Hansard is not here\n"})

    person("init", "--yes", "--uninstall")

    assert not (person.repository / path).exists()
    assert (person.repository / theirs).exists()


def test_what_concerns_projects_is_not_said_of_the_users_files(person: Person) -> None:
    here = person("init", "--yes", "--no-guide", "claude-code", "codex").out
    person("init", "--yes", "--uninstall")
    everywhere = person("init", "--yes", "--user", "claude-code", "codex").out

    assert "servers of .mcp.json" in here
    assert "servers of .mcp.json" not in everywhere
    assert "/hooks" in everywhere
