"""A talk written down as one text is known for one, and cut nowhere but between its turns."""

import pytest

from hansard.kernel.transcript import turns_of

TALK = """Ana: Did the parcel come?
Boris: Not yet, they say tomorrow.
[10:05] Ana: Fine.
And what of the van?
Boris (laughing): Do not ask."""


def test_a_talk_is_its_turns_and_what_goes_on_over_a_line_stays_with_it() -> None:
    assert [turn.split()[0] for turn in turns_of(TALK)] == ["Ana:", "Boris:", "[10:05]", "Boris"]
    assert "van" in turns_of(TALK)[2]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "One line: no talk",
        "Title: Bread\nAuthor: Ana\nDate: May\nState: open\nTags: food",
        "def a():\n    return 1\n\ndef b():\n    return 2\n",
        "Some prose.\n\nMore of it.\n\nAnd more.\n\nAn end.",
        "Ana: yes\n" + "No speaker here\n" * 9,
    ],
)
def test_what_nobody_says_in_turn_is_no_talk(text: str) -> None:
    assert turns_of(text) == ()
