"""A talk written down as one text is known for one, and cut nowhere but between its turns."""

import pytest

from hansard.kernel.transcript import speaker_of, turns_of

TALK = """Ana: Did the parcel come?
Boris: Not yet, they say tomorrow.
[10:05] Ana: Fine.
And what of the van?
Boris (laughing): Do not ask."""


def test_a_talk_is_its_turns_and_what_goes_on_over_a_line_stays_with_it() -> None:
    assert [turn.split()[0] for turn in turns_of(TALK)] == ["Ana:", "Boris:", "[10:05]", "Boris"]
    assert "van" in turns_of(TALK)[2]


@pytest.mark.parametrize(
    "line",
    [
        "{who}: It rains.",
        "- {who}: It rains.",
        "**{who}:** It rains.",
        "**{who}**: It rains.",
        "> {who}: It rains.",
        "[1:56 pm on 8 May, 2023] {who}: It rains.",
        "8/5/23, 13:56 - {who}: It rains.",
        "2023-05-08 13:56 {who}: It rains.",
        "{who} (laughing): It rains.",
        '{who} said, "It rains."',
        "{who} asked: \u201cDoes it rain?\u201d",
    ],
)
def test_a_talk_is_known_in_whatever_way_it_is_written_down(line: str) -> None:
    lines = [line.format(who=who) for who in ("Ana", "Boris", "Ana", "Boris")]

    assert turns_of("\n".join(lines)) == lines
    assert [speaker_of(one) for one in lines] == ["Ana", "Boris", "Ana", "Boris"]


@pytest.mark.parametrize("line", ["It rains.", "Ana said nothing.", "12 of them: all", ""])
def test_a_line_that_nobody_says_has_no_speaker(line: str) -> None:
    assert speaker_of(line) is None


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
