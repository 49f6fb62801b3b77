"""What a mistyped word may have been: one slip away, and nothing further."""

import pytest

from hansard.kernel.spelling import WORD_CHARS_MAX, WORD_CHARS_MIN, WORDS_MAX, doubtful, likely
from hansard.kernel.spelling import replaced as with_another
from hansard.kernel.words import stem


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        *(("legder", "ledger"), ("ledgr", "ledger"), ("ledgger", "ledger"), ("ledgar", "ledger")),
        *(("eldger", "ledger"), ("ledgre", "ledger"), ("edger", "ledger"), ("zedger", "ledger")),
        ("журнла", "журнал"),
    ],
)
def test_a_slip_is_one_letter_more_less_or_another_or_two_swapped(word: str, meant: str) -> None:
    assert meant in likely(word).values()


@pytest.mark.parametrize("word", ["lgeedr", "ldgre", "ledgxx", "кедгер"])
def test_two_slips_are_another_word(word: str) -> None:
    assert "ledger" not in likely(word).values()


def test_swapped_letters_are_likeliest_and_the_word_itself_is_no_slip() -> None:
    found = likely("legder")

    assert next(iter(found.values())) == "elgder"
    assert [*found.values()].index("ledger") < [*found.values()].index("legter")
    assert not {"legder", "legders"} & {*found.values()}
    assert stem("legder") not in found


@pytest.mark.parametrize(
    ("word", "is_one"),
    [
        ("x" * (WORD_CHARS_MIN - 1), False),
        ("x" * WORD_CHARS_MIN, True),
        ("x" * WORD_CHARS_MAX, True),
        ("x" * (WORD_CHARS_MAX + 1), False),
        ("app2", False),
        ("леx!", False),
    ],
)
def test_only_a_word_of_letters_and_some_length_is_doubtful(word: str, is_one: bool) -> None:
    assert bool(doubtful(word, [])) is is_one


def test_words_that_something_shows_are_not_doubtful() -> None:
    shown = ["The ledgers were kept"]

    assert doubtful("legder kept ledger", shown) == ["legder"]
    assert doubtful("ledg", shown) == []
    assert doubtful("with this ledgr", shown) == ["ledgr"]


def test_only_the_first_doubtful_words_are_looked_at() -> None:
    words = [f"xyz{letter}" for letter in "abcdefg"]

    assert doubtful(" ".join([*words, words[0]]), []) == words[:WORDS_MAX]


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("legder of legders", "ledger of legders"),
        ("LEGDER_max", "ledger_max"),
        ("my_legder.py", "my_ledger.py"),
        ("xlegder", "xlegder"),
    ],
)
def test_a_query_is_written_with_another_word_in_its_place(query: str, written: str) -> None:
    assert with_another(query, "legder", "ledger") == written
