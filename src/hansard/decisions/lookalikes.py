"""One form for texts that look the same. Pure.

Two texts are alike if they differ only in case, in spaces, in characters that are not seen, in how
Unicode writes a letter (NFKC: wide, styled and joined forms), or in letters of another script that
look like Latin ones. Digits are left alone: `v0` and `vo` are different names.

Which letters look alike depends on the word. In a word that has Latin letters, one of another
script is meant to be mistaken, and is read by its shape. A word of one other script is read by its
capitals, so that case still makes no difference, and no two letters of it become one.
"""

# ruff: noqa: RUF001 - letters that look like others are what this is about

import re
import unicodedata

from hansard.kernel.hidden_characters import KINDS

_UNSEEN = re.compile("[" + "".join(KINDS.values()) + "\ufe0f]")
_LATIN = re.compile("[a-z]", re.IGNORECASE)

_DASHES = str.maketrans(dict.fromkeys("\u2010\u2012\u2013\u2014\u2015\u2212\ufe58", "-"))

_CYRILLIC = ("авеёкморстухіїјѕԁԛԝӏ", "abeëkmopctyxiïjsdqwl")

_SHAPES = (
    _CYRILLIC,
    ("АВЕЁКМНОРСТУХІЇЈЅӀ", "ABEËKMHOPCTYXIÏJSI"),
    ("нһҺүҮ", "hhHyY"),
    ("αγικνορτυχηω", "ayikvoptuxnw"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
    ("ıɑɡօոսհ", "iagonuh"),
)

AMONG_LATIN = str.maketrans(*("".join(side) for side in zip(*_SHAPES, strict=True)))
"""Letters by their shape, for words that have Latin letters."""

_CAPITALS = (_CYRILLIC, ("н", "h"), ("αβεζηικμνορτυχ", "abezhikmnoptyx"))

ALONE = str.maketrans(*("".join(side) for side in zip(*_CAPITALS, strict=True)))
"""Small letters by the shape of their capitals, or by their own, for words that have none."""


def alike(text: str) -> str:
    """Give texts that look alike the same form."""
    plain = unicodedata.normalize("NFKC", text).translate(_DASHES)
    seen = "".join(char for char in plain if char.isspace() or not _UNSEEN.match(char))
    return " ".join(map(_word, seen.split()))


def _word(word: str) -> str:
    if word.isascii():
        return word.lower()
    has_latin = _LATIN.search(word) is not None
    word = word.translate(AMONG_LATIN) if has_latin else word
    small = unicodedata.normalize("NFKC", word.casefold())
    return small if has_latin else small.translate(ALONE)
