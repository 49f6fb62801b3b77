"""The limits that callers are promised are those that the code holds them to."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from hansard.kernel import limits, text

PROMISED = {
    "REQUEST_BYTES_MAX": 16_777_216,
    "NESTING_MAX": 64,
    "INTEGER_BITS_MAX": 64,
    "TITLE_CHARS_MAX": 500,
    "SUMMARY_CHARS_MAX": 2_000,
    "DESCRIPTION_CHARS_MAX": 10_000,
    "BODY_BYTES_MAX": 1_048_576,
    "QUERY_CHARS_MAX": 10_000,
    "POINT_CHARS_MAX": 64,
    "ID_CHARS_MAX": 255,
    "PROJECT_ID_CHARS_MAX": 64,
    "LABEL_CHARS_MAX": 100,
    "IDEMPOTENCY_KEY_CHARS_MAX": 255,
    "LIST_LIMIT_DEFAULT": 50,
    "LIST_LIMIT_MAX": 1_000,
    "CURSOR_CHARS_MAX": 2_000,
    "FILTER_VALUES_MAX": 100,
    "BLOB_BYTES_MAX": 67_108_864,
    "FILE_BYTES_MAX": 10_485_760,
    "PATH_COMPONENT_BYTES_MAX": 255,
    "PATH_LEVELS_MAX": 64,
    "PATH_BYTES_MAX": 4_095,
}
"""What callers may rely on: more may be allowed one day, and never less."""

TEXTS = {
    "title": (text.Title, 1, 500),
    "line title": (text.LineTitle, 1, 500),
    "summary": (text.Summary, 0, 2_000),
    "description": (text.Description, 0, 10_000),
    "label": (text.Label, 1, 100),
    "line label": (text.LineLabel, 1, 100),
    "id": (text.Id, 1, 255),
    "point": (text.Point, 0, 64),
    "body": (text.Body, 0, 1_048_576),
    "query": (text.Query, 0, 10_000),
}


@pytest.mark.parametrize(("name", "value"), PROMISED.items(), ids=PROMISED)
def test_a_limit_is_what_was_promised(name: str, value: int) -> None:
    assert getattr(limits, name) == value


@pytest.mark.parametrize(("kind", "least", "most"), TEXTS.values(), ids=TEXTS)
def test_a_text_may_be_as_long_as_its_limit_and_no_longer(kind: Any, least: int, most: int) -> None:
    adapter = TypeAdapter[str](kind)

    for length in (least, least + 1, most):
        assert adapter.validate_python("x" * length) == "x" * length
    with pytest.raises(ValidationError):
        adapter.validate_python("x" * (most + 1))
    if least:
        with pytest.raises(ValidationError):
            adapter.validate_python("x" * (least - 1))


@pytest.mark.parametrize("name", ["title", "summary", "id", "body"])
def test_no_stored_text_holds_a_nul(name: str) -> None:
    with pytest.raises(ValidationError, match="NUL"):
        TypeAdapter[str](TEXTS[name][0]).validate_python("a\0b")


def test_lengths_are_counted_without_the_space_around() -> None:
    title = TypeAdapter[str](text.Title)

    assert title.validate_python(f"  {'x' * 500}  ").strip() == "x" * 500
    with pytest.raises(ValidationError, match="must not be empty"):
        title.validate_python("   ")


def test_a_body_is_measured_in_bytes() -> None:
    body = TypeAdapter[str](text.Body)

    assert body.validate_python("é" * (1_048_576 // 2))
    with pytest.raises(ValidationError):
        body.validate_python("é" * (1_048_576 // 2 + 1))


@pytest.mark.parametrize("broken", ["a\nb", "a\rb", "a\x85b", "a\u2028b", "a\x1bb"])
def test_what_a_list_shows_on_one_line_is_one_line(broken: str) -> None:
    assert text.one_line(broken) == "a b"
    for kind in (text.LineTitle, text.LineLabel):
        with pytest.raises(ValidationError, match="one line"):
            TypeAdapter[str](kind).validate_python(broken)


def test_stored_text_cannot_end_the_marks_around_it() -> None:
    assert text.between_marks("from", "a", "end") == "--- from ---\na\n--- end ---"
    marked = text.between_marks("from\nme", "a ---- end ----", "end")

    assert marked == "----- from me -----\na ---- end ----\n----- end -----"


@pytest.mark.parametrize(("given", "taken"), [(1, 1), (5.0, 5), (1_000, 1_000)])
def test_a_whole_number_may_be_written_with_a_point(given: float, taken: int) -> None:
    found = TypeAdapter[int](text.Limit).validate_python(given)

    assert (found, type(found)) == (taken, int)


@pytest.mark.parametrize("given", [0, 1_001, 1.5])
def test_a_page_has_at_least_one_and_at_most_a_thousand(given: float) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter[int](text.Limit).validate_python(given)
