"""`hansard init` takes and changes only what is its own: the rest of a file is its user's."""

import json
from typing import Any

import pytest

from hansard.cli.setup.document import document
from tests.cli.setup.person import PROGRAM, Person

THEIRS: dict[str, dict[str, Any]] = {
    "http": {"hansard": {"url": "https://h.example/mcp", "headers": {"Authorization": "Bearer x"}}},
    "uvx": {"hansard": {"command": "uvx", "args": ["--from", "hansard[pg]", "hansard"]}},
    "docker": {"hansard": {"command": "docker", "args": ["run", "hansard"]}},
    "another": {"Hansard": {"command": "npx", "args": ["-y", "uk-parliament-hansard-mcp"]}},
    "the same name": {"hansard": {"command": "npx", "args": ["uk-parliament-hansard-mcp"]}},
    "of another name": {"mine": {"command": "/opt/other/hansard", "args": ["--role", "agent"]}},
}


@pytest.mark.parametrize("servers", THEIRS.values(), ids=THEIRS)
@pytest.mark.parametrize("host", ["cursor", "codex"])
def test_an_entry_that_was_never_written_here_stays_after_an_uninstall(
    person: Person, servers: dict[str, Any], host: str
) -> None:
    if host == "cursor":
        name, text = ".cursor/mcp.json", json.dumps({"mcpServers": servers})
    else:
        name, text = ".codex/config.toml", ""
        for server, entry in servers.items():
            plain = {key: one for key, one in entry.items() if not isinstance(one, dict)}
            text = document("a.toml", text).put(("mcp_servers", server), plain).text
    person.has({name: text})

    person("init", "--yes", "--uninstall", host)

    assert (person.repository / name).read_text() == text


@pytest.mark.parametrize("name", ["hansard", "Hansard"])
def test_another_server_of_our_name_is_told_of_and_left_as_it_is(person: Person, name: str) -> None:
    text = json.dumps({"mcpServers": {name: {"command": "npx", "args": ["hansard-mcp"]}}})
    person.has({".cursor/mcp.json": text})

    ran = person("init", "--yes", "--no-hooks", "cursor")

    assert "another server" in ran.out
    assert (person.repository / ".cursor/mcp.json").read_text() == text


def test_a_hook_that_was_never_written_here_stays_after_an_uninstall(person: Person) -> None:
    hook = {"type": "command", "command": "/opt/other/hansard hook claude-code --mine"}
    text = json.dumps({"hooks": {"SessionEnd": [{"hooks": [hook]}]}})
    other = json.dumps({"hooks": {"stop": [{"command": "/opt/other/hansard hook stop"}]}})
    person.has({".claude/settings.json": text, ".cursor/hooks.json": other})

    person("init", "--yes", "--uninstall")

    assert (person.repository / ".claude/settings.json").read_text() == text
    assert (person.repository / ".cursor/hooks.json").read_text() == other


def test_what_an_install_elsewhere_wrote_is_taken_out(person: Person) -> None:
    person("init", "--yes", "--no-guide", "claude-code", "cursor")
    for name, content in person.files().items():
        path = person.repository / name
        path.write_bytes(content.replace(PROGRAM.encode(), b"/gone/bin/hansard") + b"\n")

    person("init", "--yes", "--uninstall")

    assert not any(b"/gone/" in content for content in person.files().values())


def test_an_uninstall_keeps_a_copy_of_what_it_writes_over(person: Person) -> None:
    person("init", "--yes", "--no-guide", "claude-code")
    path = person.repository / ".mcp.json"
    text = path.read_text().replace("{\n", '{\n  "mine": 1,\n', 1)
    path.write_text(text)

    person("init", "--yes", "--uninstall")

    copies = [one for one in (person.home / ".local").rglob("*") if one.is_file()]
    assert text.encode() in [one.read_bytes() for one in copies]


def test_an_uninstall_leaves_what_is_empty_where_nothing_of_ours_is(person: Person) -> None:
    theirs = {
        ".cursor/mcp.json": '{"mcpServers": {}}',
        ".claude/settings.json": '{"hooks": {"Stop": []}}',
    }
    person.has(theirs)

    person("init", "--yes", "--uninstall")

    assert person.files() == {name: text.encode() for name, text in theirs.items()}
