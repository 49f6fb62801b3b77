"""Editing TOML by its lines: what was meant changes, and not a byte else."""

import pytest

from hansard.cli.setup.document import Document, document
from hansard.cli.setup.texts import LeftAloneError

PATH = ("mcp_servers", "hansard")
ENTRY = {"command": "/bin/hansard", "args": ["--store=/x y"]}


def toml(text: str) -> Document:
    return document("config.toml", text)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_a_table_is_added_at_the_end(newline: str, end: str) -> None:
    text = ('model = "x" # mine\n[mcp_servers.other]\ncommand = "o"' + end).replace("\n", newline)

    result = toml(text).put(PATH, ENTRY).text

    assert result.startswith(text)
    assert result.replace(newline, "\n").endswith(
        '\n\n[mcp_servers.hansard]\ncommand = "/bin/hansard"\nargs = ["--store=/x y"]\n'
    )
    assert newline == "\n" or "\n" not in result.replace("\r\n", "")


def test_a_value_is_exchanged_with_its_comment_kept() -> None:
    text = '[mcp_servers."hansard"]\ncommand = "a # b" # why\nenv = { A = "1" }\n[x]\ncommand = 1\n'

    changed = toml(text).put((*PATH, "command"), "/new").text

    assert changed == text.replace('"a # b"', '"/new"')


def test_a_value_over_several_lines_is_exchanged_and_a_missing_one_is_added() -> None:
    text = '[mcp_servers.hansard]\nargs = [\n  "a", # one\n  "b",\n]\n'

    changed = toml(text).put((*PATH, "args"), ["c"]).put((*PATH, "command"), "/new").text

    assert changed == '[mcp_servers.hansard]\ncommand = "/new"\nargs = ["c"]\n'


def test_a_table_goes_with_those_below_it_and_not_with_the_next_ones_comment() -> None:
    text = (
        '[a]\nb = 1\n\n[mcp_servers.hansard]\ncommand = "x"\n\n'
        '[mcp_servers.hansard.env]\nA = "1"\n\n'
        "# of c\n[c]\nd = 1\n"
    )

    assert toml(text).remove(PATH).text == "[a]\nb = 1\n\n# of c\n[c]\nd = 1\n"


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { a = { command = "x" } }\n',
        "[mcp_servers\n",
        "a = 1\na = 2\n",
        "a = " + "[" * 5_000,
    ],
)
def test_what_cannot_be_edited_with_certainty_is_refused(text: str) -> None:
    with pytest.raises(LeftAloneError):
        toml(text).put(PATH, ENTRY)


def test_a_pretended_table_in_a_text_is_not_taken_for_one() -> None:
    text = (
        'a = """\n[mcp_servers.hansard]\ncommand = "x"\n"""\n[mcp_servers.hansard]\ncommand = "y"\n'
    )

    with pytest.raises(LeftAloneError):
        toml(text).put((*PATH, "command"), "/new")
