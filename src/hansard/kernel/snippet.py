"""The part of a text that shows why a search found it. Pure, without markup."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from hansard.kernel.languages import is_small_elsewhere
from hansard.kernel.words import (
    BEGINNING_CHARS_MIN,
    RUN,
    SPACELESS,
    WORD_CHAR,
    WORD_CHARS_MAX,
    fold,
    has_names,
    query_stems,
    stem,
    stems,
)

SNIPPET_CHARS = 160

WORDS_KNOWN_MAX = 4_096
"""Hits of one query have the same words in one text after the other."""

_WORD_CHAR = re.compile(WORD_CHAR)
_PART = re.compile(f"(?P<spaceless>[{SPACELESS}]+)|[^{SPACELESS}]+")


class Match(NamedTuple):
    """A place of one of the query's words in a text."""

    start: int
    end: int
    word: str
    is_beginning: bool
    """Whether it only begins like the word, and is no form of it."""


def snippet(text: str, query: str, *, chars: int = SNIPPET_CHARS) -> str:
    """Cut out the place that has the most of the query's words, as one line.

    It is cut between words where there are spaces, with an ellipsis on top of `chars` wherever the
    text goes on. Of a text that has none of the words, it is the beginning.
    """
    assert chars > 0, "a snippet has room for something"
    line = " ".join(text.split())
    if len(line) <= chars:
        return line
    start, end = _densest(_matches(line, tuple(query_stems(query))), chars)
    return _excerpt(line, start, end, chars)


def has_plainly(text: str, asked: Sequence[str]) -> bool:
    """Whether all of some stems are at once seen to be in a text; if not, they may yet be there."""
    found = _plain_answers(text.replace("_", " "), tuple(asked))
    return {match.word for match in found if not match.is_beginning}.issuperset(asked)


def _matches(line: str, asked: tuple[str, ...]) -> list[Match]:
    """Find the query's words: in any form, or if a word has no form here, what begins like it."""
    scanned = line.replace("_", " ")
    found = _found(scanned, asked) if asked else []
    whole = {match.word for match in found if not match.is_beginning}
    return [match for match in found if not match.is_beginning or match.word not in whole]


def _found(line: str, asked: tuple[str, ...]) -> list[Match]:
    # Stems differ from their words in the last letter at most, so words can be found by the rest.
    # What that misses begins with the same letter (`dying`: `die`), or is hidden by an accent or
    # within a name: that is worth looking at every word.
    if found := _plain_answers(line, asked):
        return found
    is_plain = line.isascii() and not has_names(line)
    return _answers(line, asked, tuple(word[0] for word in asked) if is_plain else ())


def _plain_answers(line: str, asked: tuple[str, ...]) -> list[Match]:
    return _answers(line, asked, tuple(word[:-1] or word for word in asked))


def _answers(line: str, asked: tuple[str, ...], beginnings: tuple[str, ...] = ()) -> list[Match]:
    known: dict[str, tuple[str, bool] | None] = {}
    initials = frozenset(word[0] for word in asked)
    found = []
    for start, end, run in _runs(line, beginnings):
        if run not in known:
            known[run] = None if _begins_otherwise(run, initials) else _answered(run, asked)
        if (answer := known[run]) is not None:
            found.append(Match(start, end, *answer))
    return found


def _begins_otherwise(run: str, initials: frozenset[str]) -> bool:
    """Whether no form of a plain word can be one of these: a word begins as its stem does.

    What has a capital within may be a name, which is found by its pieces too.
    """
    return run.isascii() and run[0].lower() not in initials and run[1:].islower()


def _runs(line: str, beginnings: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    """Give what may be words and where; of a script without spaces, each character and the next."""
    for run in _begun(line, beginnings) if beginnings else RUN.finditer(line):
        word = run.group()
        if word.isascii():
            yield run.start(), run.end(), word
            continue
        for part in _PART.finditer(line, run.start(), run.end()):
            if part["spaceless"]:
                for place in range(part.start(), part.end()):
                    yield place, place + 1, line[place : min(place + 2, part.end())]
            else:
                yield part.start(), part.end(), part.group()


def _begun(line: str, beginnings: tuple[str, ...]) -> Iterator[re.Match[str]]:
    """Give the runs that begin with one of these; most texts have few, so others are not met."""
    lower = line.lower()
    if len(lower) != len(line):
        # A few characters are longer in lower case: then all words are checked.
        yield from RUN.finditer(line)
        return
    places = {place for one in {*beginnings} for place in _places(lower, one)}
    for place in sorted(places):
        if run := RUN.match(line, place):
            yield run


def _places(lower: str, beginning: str) -> Iterator[int]:
    """Find where a word may begin with this."""
    place = lower.find(beginning)
    while place >= 0:
        if not place or not _WORD_CHAR.match(lower, place - 1):
            yield place
        place = lower.find(beginning, place + 1)


@lru_cache(WORDS_KNOWN_MAX)
def _answered(run: str, asked: tuple[str, ...]) -> tuple[str, bool] | None:
    """Say which word a run of letters is a form of, or begins like."""
    plain = fold(run)
    # One word of small letters in no other language has one form.
    is_simple = plain == run and run.isascii() and run.isalpha() and not is_small_elsewhere(run)
    forms = {stem(run[:WORD_CHARS_MAX])} if is_simple else set(stems(run))
    for word in asked:
        if word in forms:
            return word, False
    for word in asked:
        if len(word) >= BEGINNING_CHARS_MIN and plain.startswith(word):
            return word, True
    return None


def _densest(matches: Sequence[Match], chars: int) -> tuple[int, int]:
    """Find the stretch with the most different words, then the most words; the first of equals."""
    best, stretch = (0, 0), (0, 0)
    inside: Counter[str] = Counter()
    first = 0
    for last, match in enumerate(matches):
        inside[match.word] += 1
        while first < last and match.end - matches[first].start > chars:
            inside[matches[first].word] -= 1
            if not inside[matches[first].word]:
                del inside[matches[first].word]
            first += 1
        value = (len(inside), last - first + 1)
        if value > best:
            best, stretch = value, (matches[first].start, match.end)
    return stretch


def _excerpt(line: str, start: int, end: int, chars: int) -> str:
    """Cut a stretch out with what is around it, more of what follows than of what precedes."""
    begin = max(0, start - max(0, chars - (end - start)) // 3)
    finish = min(len(line), begin + chars)
    begin = max(0, min(begin, finish - chars))
    if begin > 0:
        begin = line.find(" ", begin - 1, start) + 1 or begin
    if finish < len(line):
        space = line.rfind(" ", min(end, finish), finish + 1)
        finish = space if space > begin else finish
    return ("…" if begin else "") + line[begin:finish] + ("…" if finish < len(line) else "")
