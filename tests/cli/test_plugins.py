"""What is shipped beside the package says the same as the package."""

import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

import hansard
from hansard.cli import plugins

ROOT = Path(__file__).parents[2]
DESCRIPTION_CHARS_MAX = 100
"""What the registry of MCP servers takes."""


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return plugins.files()


def documents(made: dict[str, str]) -> dict[str, Any]:
    return {name: json.loads(text) for name, text in made.items() if name.endswith(".json")}


def test_the_version_comes_from_the_package_alone(made: dict[str, str]) -> None:
    said = re.findall(
        r'"version": "([^"]+)"|hansard(?:@|==)([0-9][^"\s`]*)', "\n".join(made.values())
    )

    assert {one for pair in said for one in pair if one} == {hansard.__version__}


def test_every_plugin_that_a_list_names_is_there_under_that_name(made: dict[str, str]) -> None:
    files = documents(made)

    for path in plugins.CATALOGUES:
        for plugin in files[path]["plugins"]:
            folder = plugin["source"].removeprefix("./")
            assert files[f"{folder}/.claude-plugin/plugin.json"]["name"] == plugin["name"]


def test_every_host_is_told_to_run_the_same_program(made: dict[str, str]) -> None:
    entries = [
        one["mcpServers"]["hansard"] for one in documents(made).values() if "mcpServers" in one
    ]

    assert len(entries) == 6
    program = " ".join(plugins.PROGRAM)
    assert all(" ".join([one["command"], *one["args"]]).endswith(program) for one in entries)


def test_every_hook_runs_our_hook(made: dict[str, str]) -> None:
    commands = [
        handler["command"]
        for name, one in documents(made).items()
        if name.endswith("hooks.json")
        for groups in one["hooks"].values()
        for group in groups
        for handler in group["hooks"]
        if handler["type"] == "command"
    ]

    assert commands
    assert all(command.startswith(" ".join([*plugins.PROGRAM, "hook "])) for command in commands)


def test_the_registrys_name_is_the_one_that_the_readme_vouches_for(made: dict[str, str]) -> None:
    entry = documents(made)["plugins/registry/server.json"]

    assert f"<!-- mcp-name: {entry['name']} -->" in (ROOT / "README.md").read_text()
    assert len(entry["description"]) <= DESCRIPTION_CHARS_MAX


def test_the_links_hold_what_the_files_hold(made: dict[str, str]) -> None:
    links = dict(
        re.findall(r"\| (VS Code|Cursor) \| `([^`]+)` \|", made["docs/reference/install.md"])
    )
    wanted = documents(made)["plugins/claude-code/.mcp.json"]["mcpServers"]["hansard"]

    vscode = json.loads(unquote(urlsplit(links["VS Code"]).query))
    cursor = json.loads(b64decode(parse_qs(urlsplit(links["Cursor"]).query)["config"][0]))

    assert vscode == {"name": "hansard", "type": "stdio", **wanted}
    assert cursor == wanted
