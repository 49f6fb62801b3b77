"""A talk is cut between its turns, and nothing else is."""

from collections.abc import Iterator

import pytest

from hansard.embedders.cutting import cut, turns_of

TALK = """Ana: Did the parcel come?
Boris: Not yet, they say tomorrow.
[10:05] Ana: Fine.
And what of the van?
Boris (laughing): Do not ask."""


def words(text: str) -> Iterator[int]:
    return iter(range(len(text.split())))


def sizes(text: str, *, pieces_max: int = 254, chunks_max: int = 8) -> list[int]:
    return [len(one) for one in cut(text, words, pieces_max=pieces_max, chunks_max=chunks_max)]


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


def test_turns_are_put_together_up_to_a_few_and_a_long_one_stands_alone() -> None:
    short = [f"{'Ana' if number % 2 else 'Bo'}: {'word ' * 15}" for number in range(6)]
    long = f"Ana: {'word ' * 400}"

    assert sizes("\n".join(short)) == [48, 48]
    assert sizes("\n".join([*short[:3], long, *short[3:]])) == [48, 254, 48]


def test_a_text_fills_so_many_chunks_and_no_more() -> None:
    assert sizes("word " * 600) == [254, 254, 92]
    assert sizes("word " * 9_000) == [254] * 8
    assert sizes("") == [0]
    talk = "\n".join(f"{'Ana' if number % 2 else 'Bo'}: {'word ' * 15}" for number in range(999))
    assert sum(sizes(talk)) == 254 * 8
