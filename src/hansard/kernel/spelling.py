"""Words at one typing error's distance: a letter more, less or changed, or two swapped. Pure."""

import re
from collections.abc import Iterable, Iterator

from hansard.kernel.languages import is_small
from hansard.kernel.words import query_beginnings, split, stem, stems

WORD_CHARS_MIN = 4
WORD_CHARS_MAX = 24
"""A shorter word has too many others a letter away; a longer run of letters is no word."""

WORDS_MAX = 4
"""How many words of a query are checked for typing errors."""

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"
_ALPHABETS = {
    alphabet: re.compile(f"[{alphabet}]{{{WORD_CHARS_MIN},{WORD_CHARS_MAX}}}")
    for alphabet in (_LATIN, _CYRILLIC)
}


def doubtful(query: str, shown: Iterable[str]) -> list[str]:
    """Give the words of a query that none of the texts found for it has."""
    there = {one for text in shown for one in stems(text)}
    begun = query_beginnings(query)
    words = dict.fromkeys(one for one in split(query) if not is_small(one, "english"))
    return [
        word
        for word in words
        if _alphabet(word)
        and stem(word) not in there
        and not any(one.startswith(begun.get(stem(word), word)) for one in there)
    ][:WORDS_MAX]


def likely(word: str) -> dict[str, str]:
    """Give what a word may have been, by stem, the likeliest slips first."""
    meant: dict[str, str] = {}
    for one in _a_slip_away(word, _alphabet(word)):
        if one != word:
            meant.setdefault(stem(one), one)
    meant.pop(stem(word), None)
    return meant


def replaced(query: str, word: str, by: str) -> str:
    """Write a query with another word in the place of one, also within a name."""
    return re.sub(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", by, query, flags=re.IGNORECASE)


def _alphabet(word: str) -> str:
    return next((one for one, run in _ALPHABETS.items() if run.fullmatch(word)), "")


def _a_slip_away(word: str, letters: str) -> Iterator[str]:
    """Swap two letters, then put one in, take one out, and write another one."""
    cuts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    yield from (a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1)
    yield from (a + letter + b for a, b in cuts for letter in letters)
    yield from (a + b[1:] for a, b in cuts if b)
    yield from (a + letter + b[1:] for a, b in cuts if b for letter in letters)
