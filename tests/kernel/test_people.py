"""Whose name is a person's, by how texts use it."""

from collections.abc import Sequence

import pytest

from hansard.kernel.people import is_addressed


@pytest.mark.parametrize(
    "texts",
    [
        ["Thanks, Ana!"],
        ["thank you so much Ana"],
        ["Hi Ana \u2014 did it rain?"],
        ["It rains. Oh Ana, so it does."],
        ["Anyway Ana how is everything?"],
        ["@Ana look at this"],
        ["Ana, look", "It works.\nAna, come", "So it is, Ana."],
        ["Ana!!! It works"] * 3,
        ["Yes, Ana.", "I think so, Ana?", "Ana, I think so"],
        ["Hey Ana!", "Ana was right", "I told Ana", "Ana and Boris came"],
        ["Hey Ana!", "Thanks, Ana!", "It is on Ana"],
    ],
)
def test_whom_others_talk_to_is_a_person(texts: Sequence[str]) -> None:
    assert is_addressed("Ana", texts)


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["Ana"],
        ["Ana: I like it", "Ana: me too"],
        ["Ana was right"] * 9,
        ["Ana, look", "So it is, Ana."],
        ["Ana, Boris and Chen came"] * 3,
        ["We know Boris, Ana."] * 3,
        ["ana, look"] * 3,
        ["Thanks, Anastasia!", "Hi Ana-Maria!"],
        ["Thanks, Ana!", "Run Ana", "It is in Ana"],
        ["Hi Analysts of Ana"],
    ],
)
def test_what_is_only_told_of_may_be_a_thing(texts: Sequence[str]) -> None:
    assert not is_addressed("Ana", texts)
