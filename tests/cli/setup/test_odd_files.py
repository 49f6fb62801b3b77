"""A host's file that is not as it should be is told of; the other hosts are done all the same."""

import json
from pathlib import Path

import pytest

from tests.cli.setup.person import PROGRAM, Person


@pytest.mark.parametrize("args", [True, 5, "--store", {"a": 1}])
@pytest.mark.parametrize("words", [[], ["--uninstall"]], ids=["install", "uninstall"])
def test_arguments_that_are_no_list_are_left_as_they_are(
    person: Person, args: object, words: list[str]
) -> None:
    text = json.dumps({"mcpServers": {"hansard": {"command": PROGRAM, "args": args}}})
    person.has({".cursor/mcp.json": text})

    ran = person("init", "--yes", "--no-guide", "--no-hooks", "cursor", "gemini-cli", *words)

    assert ran.code == 0
    assert (person.repository / ".cursor/mcp.json").read_text() == text
    assert (person.repository / ".gemini/settings.json").exists() is not bool(words)


@pytest.mark.parametrize("hooks", [5, True, "x", ["x"], {"SessionEnd": 5}])
def test_hooks_that_are_no_table_are_told_of_and_the_others_are_done(
    person: Person, hooks: object
) -> None:
    person("init", "--yes", "--no-guide", "--no-hooks", "gemini-cli")
    text = json.dumps({"hooks": hooks})
    person.has({".claude/settings.json": text})

    installed = person("init", "--yes", "--no-guide", "claude-code")
    removed = person("init", "--yes", "--uninstall")

    assert (installed.code, removed.code) == (1, 1)
    assert ".claude/settings.json" in removed.out
    assert set(person.files()) == {".claude/settings.json", ".hansard.toml"}
    assert (person.repository / ".claude/settings.json").read_text() == text


def test_the_users_hooks_that_are_no_table_do_not_keep_a_project_from_its_own(
    person: Person,
) -> None:
    person.has({".claude/settings.json": '{"hooks": {"Stop": 5}}'}, person.home)

    assert person("init", "--yes", "--no-guide", "claude-code").code == 0
    assert person("hosts").code == 0


def test_links_in_a_circle_are_told_of_and_the_others_are_done(person: Person) -> None:
    folder = person.repository / ".cursor"
    folder.mkdir()
    (folder / "mcp.json").symlink_to("other.json")
    (folder / "other.json").symlink_to("mcp.json")
    (person.repository / "CLAUDE.md").symlink_to("CLAUDE.md")

    ran = person("init", "--yes", "--no-hooks", "cursor", "gemini-cli", "claude-code")

    assert ran.code == 1
    assert ".cursor/mcp.json" in ran.out
    assert "CLAUDE.md" in ran.out
    assert PROGRAM in (person.repository / ".gemini/settings.json").read_text()
    assert person("hosts").code == 0


def test_without_a_place_for_copies_no_file_is_written(person: Person) -> None:
    person.has({".mcp.json": "{}", ".gemini/settings.json": "{}"})
    before = person.files()
    (person.home / ".local").write_text("no folder")

    ran = person("init", "--yes", "--no-guide", "--no-hooks", "claude-code", "gemini-cli")

    assert ran.code == 1
    assert ".mcp.json" in ran.out
    assert ".gemini/settings.json" in ran.out
    assert person.files() == before


@pytest.mark.parametrize("line", ["@AGENTS.md", "Read @AGENTS.md, then work.", "- @./AGENTS.md"])
def test_a_guide_that_takes_in_the_common_one_is_left_as_it_is(person: Person, line: str) -> None:
    person.has({"CLAUDE.md": f"# Mine\n\n{line}\n"})

    person("init", "--yes", "--no-hooks", "claude-code")

    assert (person.repository / "CLAUDE.md").read_text() == f"# Mine\n\n{line}\n"
    assert "Hansard" in Path(person.repository / "AGENTS.md").read_text()
