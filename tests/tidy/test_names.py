"""Whoever reads a name knows its words: from everyday programming, or from the glossary."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from hansard.kernel.words import stem
from tests.tidy.checks import public_classes

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "hansard"
GLOSSARY = ROOT / "docs" / "glossary.md"
ORDINARY = Path(__file__).with_name("words.txt")
"""What needs no explanation: the trade's words, everyday ones, and names of other programs.

A new word of ours belongs into the glossary, not here."""


def words_of(name: str) -> list[str]:
    """Take a name apart."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)
    return [part.lower() for part in parts if not part.isdigit()]


def names() -> dict[str, set[str]]:
    """Give the words of public modules and classes, each with the files that it is in."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE).with_suffix("")
        public = [part for part in place.parts if not part.startswith("_")]
        for name in (*public, *public_classes(path.read_text())):
            for word in words_of(name):
                found[stem(word)].add(f"{word} in {place}")
    return found


def explained() -> set[str]:
    rows = re.findall(r"^\| ([^|]+) \|", GLOSSARY.read_text(), re.MULTILINE)
    return {stem(word) for row in rows for word in re.findall(r"[a-z]+", row.lower())}


def ordinary() -> set[str]:
    return {stem(word) for word in ORDINARY.read_text().split()}


def test_every_word_of_a_name_is_ordinary_or_in_the_glossary() -> None:
    unknown = names().keys() - ordinary() - explained()

    assert {place for word in unknown for place in names()[word]} == set()


def test_no_word_is_called_ordinary_that_no_name_has() -> None:
    assert ordinary() - names().keys() == set()


def test_no_word_of_the_glossary_is_called_ordinary() -> None:
    assert ordinary() & explained() == set()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("in_flight", ["in", "flight"]),
        ("HTTPServer", ["http", "server"]),
        ("ReadTx", ["read", "tx"]),
        ("Mem0Format", ["mem", "format"]),
    ],
)
def test_a_name_is_taken_apart(name: str, words: list[str]) -> None:
    assert words_of(name) == words
