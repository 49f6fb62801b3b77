"""Cursors travel through callers unharmed, and forged ones are refused."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.cursor import from_cursor, to_cursor
from hansard.kernel.engine import Position, Table
from hansard.kernel.problem import InvalidInput

KEPT = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
"""Text that every database keeps."""


@given(st.none() | st.integers(0, 2**63 - 1) | KEPT, KEPT)
def test_a_cursor_comes_back_as_it_went(value: str | int | None, key: str) -> None:
    assert from_cursor(to_cursor(Position(value, key))) == Position(value, key)


FORGED = (b"[]", b"[1,2]", b'[{},"k"]', b"{", b"\xff")


@pytest.mark.parametrize(
    "forged",
    ["", "x", "!!!", "\ud800", "🙈", *(base64.b64encode(raw).decode() for raw in FORGED)],
)
def test_a_forged_cursor_is_refused(forged: str) -> None:
    with pytest.raises(InvalidInput):
        from_cursor(forged)


@given(st.text())
def test_any_string_is_a_cursor_or_is_refused(text: str) -> None:
    try:
        position = from_cursor(text)
    except InvalidInput:
        return
    assert isinstance(position, Position)


LISTED = Table("listed", {"place": "integer", "name": "text"})


@pytest.mark.parametrize(
    ("value", "order"), [("1", "place"), (1, "name"), (None, "place"), (1, None), (True, "place")]
)
def test_a_cursor_of_another_list_is_refused(value: str | int | None, order: str | None) -> None:
    with pytest.raises(InvalidInput):
        from_cursor(to_cursor(Position(value, "key")), LISTED, order)


@pytest.mark.parametrize(("value", "order"), [(1, "place"), ("1", "name"), (None, None)])
def test_a_cursor_of_the_same_list_is_taken(value: str | int | None, order: str | None) -> None:
    cursor = to_cursor(Position(value, "key"))

    assert from_cursor(cursor, LISTED, order) == Position(value, "key")
