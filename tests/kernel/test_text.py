"""What text from callers may be: up to each limit, counted without the space around it."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from hansard.kernel import limits, text
from hansard.kernel.text import between_marks, one_line, whole_number


def accepts(kind: Any, given: object) -> bool:
    try:
        return bool(TypeAdapter(kind).validate_python(given) == given)
    except ValidationError:
        return False


@pytest.mark.parametrize(
    ("kind", "most", "least"),
    [
        (text.Title, limits.TITLE_CHARS_MAX, 1),
        (text.LineTitle, limits.TITLE_CHARS_MAX, 1),
        (text.Summary, limits.SUMMARY_CHARS_MAX, 0),
        (text.Description, limits.DESCRIPTION_CHARS_MAX, 0),
        (text.Label, limits.LABEL_CHARS_MAX, 1),
        (text.LineLabel, limits.LABEL_CHARS_MAX, 1),
        (text.Id, limits.ID_CHARS_MAX, 1),
        (text.Point, limits.POINT_CHARS_MAX, 0),
        (text.Query, limits.QUERY_CHARS_MAX, 0),
        (text.Cursor, limits.CURSOR_CHARS_MAX, 0),
    ],
)
def test_a_text_is_as_long_as_its_limit_and_no_longer(kind: Any, most: int, least: int) -> None:
    assert accepts(kind, "é" * most)
    assert not accepts(kind, "é" * (most + 1))
    assert accepts(kind, "é" * least)
    assert least == 0 or not accepts(kind, "é" * (least - 1))


@pytest.mark.parametrize("kind", [text.Title, text.Summary, text.Label, text.Id])
def test_space_around_a_text_is_kept_and_not_counted(kind: Any) -> None:
    assert accepts(kind, "  x\n")
    assert accepts(kind, " \n ") is (kind is text.Summary)


@pytest.mark.parametrize("kind", [text.Title, text.Summary, text.Body, text.Id])
def test_no_text_that_is_stored_holds_a_nul(kind: Any) -> None:
    assert not accepts(kind, "a\0b")


def test_a_body_is_counted_in_bytes() -> None:
    assert accepts(text.Body, "é" * (limits.BODY_BYTES_MAX // 2))
    assert not accepts(text.Body, "é" * (limits.BODY_BYTES_MAX // 2) + "x")


@pytest.mark.parametrize("broken", ["a\nb", "a\rb", "a\tb", "a\x85b", "a\u2028b", "a\x7fb"])
def test_what_is_listed_a_line_each_is_one_line(broken: str) -> None:
    assert accepts(text.Title, broken)
    assert not accepts(text.LineTitle, broken)
    assert not accepts(text.LineLabel, broken)
    assert one_line(broken) == "a b"


@pytest.mark.parametrize(
    ("said", "dashes"), [("", 3), ("--", 3), ("---", 4), ("a -- b ----- c", 6)]
)
def test_a_text_between_marks_can_end_neither(said: str, dashes: int) -> None:
    mark = "-" * dashes

    assert between_marks("be\ngins", said, "ends") == (
        f"{mark} be gins {mark}\n{said}\n{mark} ends {mark}"
    )


@pytest.mark.parametrize(
    ("given", "is_one"),
    [
        *((1, True), (limits.LIST_LIMIT_MAX, True), (5.0, True)),
        *((0, False), (limits.LIST_LIMIT_MAX + 1, False), (5.5, False), ("x", False)),
    ],
)
def test_a_limit_is_a_whole_number_within_bounds(given: object, is_one: bool) -> None:
    assert accepts(text.Limit, given) is is_one


def test_only_what_is_whole_is_taken_for_a_whole_number() -> None:
    assert [repr(whole_number(one)) for one in (5.0, 5.5, 5, "5", None)] == [
        *("5", "5.5", "5", "'5'", "None")
    ]
