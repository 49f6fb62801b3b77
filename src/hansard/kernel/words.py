"""How text becomes the words one searches by, the same on every engine. Pure.

A word is a run of letters and digits, without case and accents; of an English word, the stem. Some
words are also found by their pieces: `fooBar` by `foo` and by `bar`. Scripts that put no spaces
between words are cut into pairs of characters, the customary way to search them.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain

WORD_CHARS_MAX = 64
"""Longer runs are hashes and encodings; they are found by their beginning."""

QUERY_WORDS_MAX = 32
"""Past this many different words a query is a text; its first words stand for it."""

BEGINNING_CHARS_MIN = 3
"""Beginnings shorter than this are those of too many words to mean anything."""

STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then"
    " there these they this to was will with s t d m ll re ve don".split()
)
"""Words nearly every text has, and what an apostrophe leaves of others."""

STEMS_KNOWN_MAX = 50_000

# The insides of character classes, by script.
_SOUTHEAST = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ede\u1000-\u1049\u1050-\u109f\u1780-\u17d3"
_EAST = (
    "\u3005\u3007\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003fffd"
)
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_ACCENTS = "\u00ad\u0300-\u036f\u200c\u200d\ufe00-\ufe0f"
_HEBREW_POINTS = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
_ARABIC_POINTS = "\u0610-\u061a\u064b-\u065f\u0670"

SPACELESS = _SOUTHEAST + _EAST
"""Characters of scripts without spaces between words, and of Korean, whose words take particles."""

WORD_CHAR = f"[\\w{_INDIC}{_SOUTHEAST}]"
"""A letter, a digit, or a vowel that is neither to `\\w` and yet within the word."""

RUN = re.compile(f"{WORD_CHAR}+")
_SPACELESS_RUN = re.compile(f"[{SPACELESS}]+")

_FOLDED_AWAY = re.compile(f"[{_ACCENTS}{_HEBREW_POINTS}{_ARABIC_POINTS}]+")
# Where a name like fooBar or HTTPServer goes on; it stands on the capital.
_HUMP = re.compile("[A-Z](?:(?<=[a-z0-9].)|(?<=[A-Z].)[a-z]{2})")
_HUMPED = re.compile("(?<![A-Za-z0-9])[A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2})[A-Za-z0-9]*")


def stems(text: str) -> Iterator[str]:
    """Give what a text is found by: the stems of its words and of their pieces."""
    return map(stem, chain(split(text), pieces(text)))


def query_stems(query: str) -> list[str]:
    """Give what to look for: each stem once, stop words only if there is nothing else."""
    return list(dict.fromkeys(map(stem, _telling(query))))[:QUERY_WORDS_MAX]


def query_beginnings(query: str) -> dict[str, str]:
    """Give the words asked for that may also be the beginnings of others, by their stems.

    A word as it was asked for: its stem begins too many others.
    """
    long = [word for word in _telling(query) if len(word) >= BEGINNING_CHARS_MIN]
    return {stem(word): word for word in reversed(long)}


def _telling(query: str) -> list[str]:
    found = list(dict.fromkeys(split(query)))
    return [word for word in found if word not in STOP_WORDS] or found


def coverage(query: str, text: str) -> float:
    """Say which part of the words asked for a text has: at least one, since it was found."""
    asked, there = query_stems(query), set(stems(text))
    return max(sum(word in there for word in asked), 1) / len(asked) if asked else 0.0


def split(text: str) -> list[str]:
    """Give the words of a text, in order."""
    plain = fold(text).replace("_", " ")
    if not plain.isascii():
        plain = _SPACELESS_RUN.sub(_in_pairs, plain)
    return [run[:WORD_CHARS_MAX] for run in RUN.findall(plain)]


def fold(text: str) -> str:
    """Take from a text what makes no difference to a search: case, accents, ways to write."""
    if text.isascii():
        return text.lower()
    plain = _FOLDED_AWAY.sub("", unicodedata.normalize("NFKD", text).casefold())
    # Put together again what is no accent: the syllables of Korean, the sounds of Japanese.
    return unicodedata.normalize("NFC", plain)


def pieces(text: str) -> Iterator[str]:
    """Give what some words are found by besides themselves."""
    # Most texts have no such names, and looking for a hump costs a tenth of looking for a name.
    for name in _HUMPED.findall(text) if _HUMP.search(text) else ():
        if len(name) <= WORD_CHARS_MAX:
            yield from _HUMP.sub(r" \g<0>", name).lower().split()
    if not text.isascii():
        for run in _SPACELESS_RUN.findall(fold(text)):
            yield from run


def _in_pairs(run: re.Match[str]) -> str:
    chars = run.group()
    pairs = [chars[start : start + 2] for start in range(len(chars) - 1)] or [chars]
    return f" {' '.join(pairs)} "


# The stemmer is M. F. Porter's of 1980; the names of its steps are his.


@lru_cache(STEMS_KNOWN_MAX)
def stem(word: str) -> str:
    """Cut an English word down to what its forms share; other words stay as they are."""
    if len(word) < len("its") or not (word.isascii() and word.isalpha()):
        return word
    word = _step_1c(_step_1b(_step_1a(word)))
    word = _replace_ending(word, _STEP_2, measure_min=1)
    word = _replace_ending(word, _STEP_3, measure_min=1)
    word = _replace_ending(word, _STEP_4, measure_min=2)
    return _step_5(word)


def _step_1a(word: str) -> str:
    """Undo plurals."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    """Undo past tenses and participles, and mend what that leaves."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) >= 1 else word
    ending = next((end for end in ("ed", "ing") if word.endswith(end)), "")
    base = word.removesuffix(ending)
    if not ending or "v" not in _shape(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if _shape(base).endswith("c") and base[-2:-1] == base[-1] and base[-1] not in "lsz":
        return base[:-1]
    return base + "e" if _measure(base) == 1 and _is_short(base) else base


def _step_1c(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and "v" in _shape(word[:-1]) else word


def _step_5(word: str) -> str:
    """Drop a final e, and one of two final l."""
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _is_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _replace_ending(word: str, endings: Mapping[str, str], *, measure_min: int) -> str:
    """Replace the longest of these endings that the word has, if enough is left before it."""
    ending = max((end for end in endings if word.endswith(end)), key=len, default="")
    base = word.removesuffix(ending)
    if not ending or _measure(base) < measure_min:
        return word
    if ending == "ion" and not base.endswith(("s", "t")):
        return word
    return base + endings[ending]


def _measure(base: str) -> int:
    """Count how often consonants follow vowels: roughly, the syllables that end."""
    return _shape(base).count("vc")


def _is_short(base: str) -> bool:
    return _shape(base).endswith("cvc") and base[-1] not in "wxy"


def _shape(base: str) -> str:
    """Write a word as vowels and consonants; y is a vowel where it follows a consonant."""
    shape = ""
    for char in base:
        is_vowel = char in "aeiou" or (char == "y" and shape.endswith("c"))
        shape += "v" if is_vowel else "c"
    return shape


def _endings(table: str) -> dict[str, str]:
    return {end: new for end, _, new in (pair.partition(":") for pair in table.split())}


_STEP_2 = _endings(
    "ational:ate tional:tion enci:ence anci:ance izer:ize logi:log bli:ble alli:al entli:ent eli:e"
    " ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous"
    " aliti:al iviti:ive biliti:ble"
)
_STEP_3 = _endings("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
_STEP_4 = _endings(
    "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive:"
    " ize:"
)
