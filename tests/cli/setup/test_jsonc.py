"""Editing JSON as people write it: what was meant changes, and not a byte else."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.cli.setup import jsonc
from hansard.cli.setup.document import document
from hansard.cli.setup.texts import LeftAloneError

ENTRY = {"command": "/bin/hansard"}
PATH = ("mcpServers", "hansard")


def added(text: str) -> str:
    return document("x.json", text).put(PATH, ENTRY).text


def test_a_member_is_added_after_the_last_and_comments_stay_where_they_are() -> None:
    text = '{\n  // ours\n  "mcpServers": {\n    "a": {} // first\n    // "b": {}\n  }\n}\n'

    assert added(text) == (
        '{\n  // ours\n  "mcpServers": {\n    "a": {}, // first\n'
        '    "hansard": {\n      "command": "/bin/hansard"\n    }\n    // "b": {}\n  }\n}\n'
    )


SPREAD = """\
{
  "mcpServers": {
    "hansard": {
      "command": "/bin/hansard"
    }
  }
}"""

TABS = """\
{
\t"mcpServers": {
\t\t"a": 1,
\t\t"hansard": {
\t\t\t"command": "/bin/hansard"
\t\t},
\t},
}"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", SPREAD + "\n"),
        ("{}", SPREAD),
        ('{"a": 1}', '{"a": 1, "mcpServers": {"hansard": {"command": "/bin/hansard"}}}'),
        ('{"mcpServers": {}}', '{"mcpServers": {"hansard": {"command": "/bin/hansard"}}}'),
        (
            '{"mcpServers": {"a": {},}}',
            '{"mcpServers": {"a": {}, "hansard": {"command": "/bin/hansard"},}}',
        ),
        ('{\n\t"mcpServers": {\n\t\t"a": 1,\n\t},\n}', TABS),
        ('{\n     "mcpServers": {}\n}', SPREAD.replace("  ", "     ")),
        (
            '{\n  "mcpServers": { /* none */ }\n}',
            SPREAD.replace('Servers": {', 'Servers": { /* none */'),
        ),
    ],
    ids=["empty", "braces", "line", "line-within", "comma", "tabs", "five", "comment"],
)
def test_an_addition_is_written_as_the_rest_of_the_file_is(text: str, expected: str) -> None:
    assert added(text) == expected


def test_line_ends_and_the_mark_of_byte_order_stay() -> None:
    text = '\ufeff{\r\n  "mcpServers": {\r\n    "a": 1\r\n  }\r\n}'

    result = added(text)

    assert result.startswith("\ufeff{")
    assert "\n" not in result.replace("\r\n", "")
    assert not result.endswith("\n")
    assert jsonc.read(result) == {"mcpServers": {"a": 1, "hansard": ENTRY}}


def test_a_value_is_exchanged_and_nothing_around_it() -> None:
    text = '{"mcpServers": {"hansard": {"command": /* old */ "x", "env": {"A": "b"}}}} // end'

    changed = document("x.json", text).put((*PATH, "command"), "y").text

    assert changed == text.replace('"x"', '"y"')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, "b": 2, "c": 3}', '{"a": 1, "c": 3}'),
        ('{"a": 1, "b": 2}', '{"a": 1}'),
        ('{"b": 2, "a": 1}', '{"a": 1}'),
        ('{"b": 2}', "{}"),
        ('{\n  "a": 1, // one\n  "b": 2\n}\n', '{\n  "a": 1 // one\n}\n'),
        ('{\n  "a": 1,\n  "b": 2,\n}\n', '{\n  "a": 1,\n}\n'),
        ('{\n  "b": {\n    "x": 1\n  },\n  "a": 1\n}\n', '{\n  "a": 1\n}\n'),
    ],
)
def test_a_member_is_taken_out_with_its_comma_and_its_lines(text: str, expected: str) -> None:
    assert document("x.json", text).remove(("b",)).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"a": 1 "b": 2}',
        "{'a': 1}",
        "{a: 1}",
        "[1]",
        '{"a": 1} x',
        '{"a": "\n"}',
        '{"a": /* open }',
        '{"mcpServers": {}, "mcpServers": {}}',
        '{"mcpServers": []}',
        '{"mcpServers": null}',
        '{"a": NaN}',
        "[" * 1_000,
        '{"a":' * 1_000,
    ],
)
def test_what_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(LeftAloneError):
        added(text)


def test_a_pretended_comment_in_a_text_is_part_of_the_text() -> None:
    text = '{"url": "https://x/*y*/", "q": "\\"}, //"}'

    assert jsonc.read(added(text)) == json.loads(text) | {"mcpServers": {"hansard": ENTRY}}


GAPS = st.sampled_from(["", " ", "\n  ", "\r\n", "\t", " // it's, {[\n", "/* } */", "\n/*\n*/\n"])
PLAIN = st.none() | st.booleans() | st.integers() | st.text()


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """Write a value with anything between its tokens that may stand there."""

    def gap() -> str:
        return draw(GAPS)

    def write(one: Any) -> str:
        if not isinstance(one, dict | list):
            return json.dumps(one)
        keys = [f"{json.dumps(key)}{gap()}:{gap()}" for key in one] if isinstance(one, dict) else []
        names = keys or [""] * len(one)
        values = one.values() if isinstance(one, dict) else one
        parts = [f"{gap()}{n}{write(v)}{gap()}" for n, v in zip(names, values, strict=True)]
        trails: bool = draw(st.booleans())
        comma = "," + gap() if parts and trails else ""
        return (
            ("{}" if isinstance(one, dict) else "[]")[0]
            + ",".join(parts)
            + comma
            + (gap() + ("}" if isinstance(one, dict) else "]"))
        )

    return gap() + write(value) + gap()


DATA = st.dictionaries(
    st.text(max_size=4) | st.just("mcpServers"),
    st.recursive(
        PLAIN, lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=3), one)
    ),
    max_size=4,
).map(lambda data: data | {"mcpServers": {"a": 1, "b": {"c": [1]}}})


@settings(deadline=None, max_examples=50)
@given(DATA.flatmap(lambda data: st.tuples(st.just(data), written(data))))
def test_whatever_stands_between_the_tokens_all_of_it_is_kept(made: tuple[Any, str]) -> None:
    data, text = made
    comments = re.compile(r"// it's, \{\[|/\* \} \*/|/\*\n\*/")

    put = document("x.json", text).put(PATH, ENTRY)
    back = put.remove(PATH)

    assert put.data == data | {"mcpServers": data["mcpServers"] | {"hansard": ENTRY}}
    assert back.data == data
    assert comments.findall(put.text) == comments.findall(text) == comments.findall(back.text)
