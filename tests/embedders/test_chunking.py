"""A talk is cut between its turns, and nothing else is."""

from collections.abc import Iterator

from hansard.embedders.chunking import cut


def words(text: str) -> Iterator[int]:
    return iter(range(len(text.split())))


def sizes(text: str, *, pieces_max: int = 254, chunks_max: int = 8) -> list[int]:
    return [len(one) for one in cut(text, words, pieces_max=pieces_max, chunks_max=chunks_max)]


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
