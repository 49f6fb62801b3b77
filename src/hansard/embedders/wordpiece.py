"""Splits text into word pieces for BERT models. Pure, apart from reading the vocabulary.

The vocabulary is that of `bert-base-uncased` (Google, Apache-2.0), which the MiniLM models share.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib import resources

WORD_CHARS_MAX = 100
"""A longer run is no word; the model was taught to see it as unknown."""

UNKNOWN = "[UNK]"
BEGIN = "[CLS]"
END = "[SEP]"
CONTINUED = "##"

_CHINESE = (
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ebe0"
    "\U0002f800-\U0002fa1f"
)
# The insides of a character class: what is neither a letter nor a digit in ASCII.
_SIGNS = r"!-/:-@\[-`{-~"
_PLAIN_WORD = re.compile(rf"[{_SIGNS}]|[^\s{_SIGNS}]+")
_CONTROLS = frozenset({"Cc", "Cf", "Co", "Cs"})
_CHINESE_CHARACTER = re.compile(f"[{_CHINESE}]")


@cache
def vocabulary() -> dict[str, int]:
    """Read the vocabulary: each piece with its number."""
    text = resources.files(__package__).joinpath("vocab.txt").read_text(encoding="utf-8")
    return {piece: number for number, piece in enumerate(text.split("\n")[:-1])}


def pieces(text: str) -> Iterator[int]:
    """Give the numbers of a text's pieces, in order, as they are needed."""
    known = vocabulary()
    for word in _words(text):
        yield from _cut(word, known)


def _words(text: str) -> Iterator[str]:
    """Give words and signs without case and accents, each Chinese character on its own."""
    if text.isascii():
        visible = text if text.isprintable() else "".join(map(_visible, text))
        yield from _PLAIN_WORD.findall(visible.lower())
        return
    spaced = _CHINESE_CHARACTER.sub(r" \g<0> ", "".join(map(_visible, text)))
    plain = unicodedata.normalize("NFD", spaced.lower())
    for run in plain.split():
        yield from _parted(char for char in run if unicodedata.category(char) != "Mn")


def _visible(char: str) -> str:
    category = unicodedata.category(char)
    if char in "\t\n\r" or category == "Zs":
        return " "
    return "" if category in _CONTROLS or char == "\ufffd" else char


def _parted(run: Iterator[str]) -> Iterator[str]:
    word = ""
    for char in run:
        is_sign = bool(_PLAIN_WORD.match(char)) and char.isascii() and not char.isalnum()
        if is_sign or unicodedata.category(char).startswith("P"):
            if word:
                yield word
            yield char
            word = ""
        else:
            word += char
    if word:
        yield word


def _cut(word: str, known: dict[str, int]) -> list[int]:
    """Cut a word into the longest pieces that are known, from its beginning."""
    if word in known:
        return [known[word]]
    if len(word) > WORD_CHARS_MAX:
        return [known[UNKNOWN]]
    found, start = [], 0
    while start < len(word):
        mark = CONTINUED if start else ""
        end = next(
            (end for end in range(len(word), start, -1) if mark + word[start:end] in known), None
        )
        if end is None:
            return [known[UNKNOWN]]
        found.append(known[mark + word[start:end]])
        start = end
    return found
