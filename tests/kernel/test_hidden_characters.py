"""Characters that nobody sees are found and counted, and what writing is made of is not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from hansard.kernel.hidden_characters import escape, hidden_chars, warning


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\x1b[2J\x07\x9b", {"control": 3}),
        ("a\u202eb\u2066", {"bidi": 2}),
        ("a\u200bb\u2060\u200d", {"zero_width": 3}),
        ("\U000e0041\U000e007f", {"tag": 2}),
        ("a\ufe01\U000e0100", {"variation": 2}),
        ("a\u2028b", {"separator": 1}),
        ("a\u00adb\u3164", {"invisible": 2}),
        ("lone \r", {"control": 1}),
        ("a\ufeffb", {"zero_width": 1}),
        ({"a": ["x", {"k\u202e": "\x00"}]}, {"control": 1, "bidi": 1}),
    ],
)
def test_what_nobody_sees_is_counted_by_kind(text: object, found: dict[str, int]) -> None:
    assert hidden_chars(text) == found
    assert all(f"{count} {kind}" in warning(found) for kind, count in found.items())


@pytest.mark.parametrize(
    "text",
    [
        "plain\ttext\nof lines\r\n",
        "Grüße, 漢字, עברית, العربية",
        "\ufeffa file that begins with a mark",
        "👨‍👩‍👧 and ❤️ and 🏳️‍🌈",
        "می‌خواهم",
        "क्‍ष",
        "� an unreadable one",
        ["", {}, None, 1, True],
    ],
)
def test_what_writing_is_made_of_is_not(text: object) -> None:
    assert hidden_chars(text) == {}


def test_they_are_counted_in_an_answer_but_not_in_what_its_fields_are_called() -> None:
    class Part(BaseModel):
        model_config = ConfigDict(extra="allow")
        said: str

    class Answer(BaseModel):
        parts: list[Part]
        more: dict[str, Part]

    part = Part.model_validate({"said": "a\u202eb", "k\u200b": ["\x00"]})

    found = hidden_chars(Answer(parts=[part], more={"m\u00ad": Part(said="plain")}))

    assert found == {"control": 1, "bidi": 1, "zero_width": 1, "invisible": 1}


@given(st.text())
def test_what_is_escaped_holds_none_and_means_the_same_in_json(text: str) -> None:
    written = json.dumps(text, ensure_ascii=False)

    shown = escape(written)

    assert hidden_chars(shown) == {}
    assert json.loads(shown) == text
