"""Remarks in a host's file are its user's: an uninstall leaves them, wherever they stand."""

import pytest

from hansard.cli.setup.document import document
from tests.cli.setup.person import Person


def test_a_file_that_was_made_stays_for_the_remarks_in_it(person: Person) -> None:
    person("init", "--yes", "--no-guide", "--no-hooks", "cursor", "codex")
    json, toml = person.repository / ".cursor/mcp.json", person.repository / ".codex/config.toml"
    json.write_text("// mine\n" + json.read_text())
    toml.write_text(toml.read_text() + '\n# [mcp_servers.gh]\n# command = "gh"\n')

    person("init", "--yes", "--uninstall")

    assert json.read_text().split() == ["//", "mine", "{}"]
    assert toml.read_text() == '\n# [mcp_servers.gh]\n# command = "gh"\n'


def test_a_server_that_is_commented_out_stays(person: Person) -> None:
    person("init", "--yes", "--no-guide", "--no-hooks", "cursor")
    path = person.repository / ".cursor/mcp.json"
    remark = '    // "gh": {"command": "gh"}\n'
    path.write_text(path.read_text().replace('"mcpServers": {\n', '"mcpServers": {\n' + remark))

    person("init", "--yes", "--uninstall")

    assert path.read_text() == '{\n  "mcpServers": {\n' + remark + "  }\n}\n"


def test_a_hook_that_is_commented_out_stays(person: Person) -> None:
    person("init", "--yes", "--no-guide", "cursor")
    path = person.repository / ".cursor/hooks.json"
    remark = '      // {"command": "lint"}\n'
    text = path.read_text()
    path.write_text(text.replace('"afterFileEdit": [\n', '"afterFileEdit": [\n' + remark))
    assert remark in path.read_text()

    person("init", "--yes", "--uninstall")

    assert remark in path.read_text()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "after",
    [
        "\n# mine\n",
        "# mine",
        "\n\n# [mcp_servers.gh]\n# x = 1\n\n",
        "\n# a\n\n# of b\n[b]\nc = 1\n",
    ],
)
def test_what_stands_after_a_table_stays_when_it_goes(after: str, newline: str) -> None:
    before = "# top\n"
    table = '[mcp_servers.hansard]\ncommand = "x"\nargs = [\n  "#a",\n]\n'
    text = (before + table + after).replace("\n", newline)

    removed = document("config.toml", text).remove(("mcp_servers", "hansard")).text

    assert removed == (before + after).replace("\n", newline)


def test_comments_in_the_table_of_servers_stay(person: Person) -> None:
    person("init", "--yes", "--no-guide", "codex")
    path = person.repository / ".codex/config.toml"
    path.write_text("[mcp_servers]\n# gh = { command = 'gh' }\n\n" + path.read_text())

    person("init", "--yes", "--uninstall")

    assert path.read_text().startswith("[mcp_servers]\n# gh = { command = 'gh' }\n")


def test_a_hook_that_is_commented_out_beside_ours_stays(person: Person) -> None:
    person("init", "--yes", "--no-guide", "claude-code")
    path = person.repository / ".claude/settings.json"
    remark = '          // {"type": "command", "command": "lint"}\n'
    path.write_text(path.read_text().replace('"hooks": [\n', '"hooks": [\n' + remark, 1))
    assert remark in path.read_text()

    person("init", "--yes", "--uninstall")

    assert remark in path.read_text()
    assert "hook claude-code" not in path.read_text()
