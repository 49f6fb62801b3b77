"""Cut texts: never longer than asked, never taken for whole, and known when they come back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.truncation import cut, is_cut_of, left_out

LONG = "The beginning of something\nthat goes on. " * 20


@given(st.text(max_size=200), st.integers(40, 250))
def test_a_cut_text_is_no_longer_than_asked_and_known_for_it(text: str, chars_max: int) -> None:
    shown = cut(text, chars_max)

    assert len(shown) <= chars_max
    assert (shown == text) == (len(text) <= chars_max)


def test_a_cut_text_says_how_much_is_missing() -> None:
    shown = cut(LONG, 100)

    head, _, rest = shown.partition("…")
    assert LONG.startswith(head)
    assert rest == left_out(len(LONG) - len(head))[1:]


@pytest.mark.parametrize(
    "given_back",
    [cut(LONG, 100), cut(LONG, 100).replace("\n", " "), f"{left_out(800)}that goes on."],
)
def test_what_was_shown_of_a_text_is_known(given_back: str) -> None:
    assert is_cut_of(given_back, LONG)


@pytest.mark.parametrize(
    "other", [LONG, LONG[:100], LONG[:100] + "…", f"Something else{left_out(9)}", left_out(9), ""]
)
def test_another_text_is_not(other: str) -> None:
    assert not is_cut_of(other, LONG)


def test_a_text_that_just_fits_is_shown_whole() -> None:
    assert cut(LONG, len(LONG)) == LONG
    assert cut(LONG, len(LONG) - 1) != LONG


@pytest.mark.parametrize("chars_max", [0, 1, 5])
def test_where_there_is_no_room_all_of_it_is_said_to_be_missing(chars_max: int) -> None:
    assert cut(LONG, chars_max) == left_out(len(LONG))


def test_a_text_that_itself_speaks_of_cuts_is_known_when_it_was_cut() -> None:
    whole = f"It said {left_out(7)} at the end. {LONG}"

    assert is_cut_of(cut(whole, 100), whole)
    assert not is_cut_of(f"It said {left_out(7)}", LONG)
