"""What surrounds a text says what it is about: the texts before and after it, its author and time.

A turn of a conversation, or a child of a record, is often too short to be found by itself. So a hit
also raises its neighbours, and a person or a day that a question names raises what that person said
and what was said that day. Pure.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from hansard.kernel.dates import Span, spans

LOOKED_AT = 100
"""How many of the best hits are compared with their surroundings."""

BESIDE = 0.3
FURTHER = 0.15
"""The share of a hit's score that its neighbours gain, and those one further (ADR 54)."""

OF_WHOLE = 0.15
"""The share that a part gains from the whole, if the whole was found itself."""

SAYS_NOTHING = 0.08
"""A hit that scores less does not raise its neighbours: it is hardly a hit itself."""

SAID_BY = 0.1
SAID_THEN = 0.15
"""What a text gains for being by a person, or from a day, that the question names."""

NAMES_KNOWN_MAX = 1_000


class TextPlace(NamedTuple):
    """Where a text is: in what, between which others, by whom, and from which day."""

    before: str | None = None
    after: str | None = None
    whole: str | None = None
    who: str | None = None
    """The author as written there; a question with all words of it names them."""
    day: date | None = None
    also: date | None = None
    """Another day, which the text mentions."""


Places = Callable[[Collection[str]], Mapping[str, TextPlace]]
"""Looks up the places of documents, as far as they have one."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The places of documents, and the people and days that a question names."""

    places: Places
    words: frozenset[str]
    days: Sequence[Span]

    def scored(self, scores: Mapping[str, float], unseen: float) -> dict[str, float]:
        """Add to scores what surroundings say; the neighbours of a good hit are found by that."""
        best = heapq.nsmallest(LOOKED_AT, scores, key=lambda key: (-scores[key], key))
        there = dict(self.places(best))
        excess = {key: max(scores[key] - SAYS_NOTHING, 0.0) for key in best}
        beside = {other for key in best for other in _beside(key, there)}
        there |= self.places(beside - there.keys())
        gained = _gained(excess, there)
        there |= self.places(gained.keys() - there.keys())
        for key in {*best, *gained} & there.keys():
            place = there[key]
            gained[key] += self._told(place) + OF_WHOLE * excess.get(place.whole or "", 0.0)
        added = dict(scores)
        for key, more in gained.items():
            added[key] = scores.get(key, unseen) + more
        return added

    def _told(self, place: TextPlace) -> float:
        """Say what a document gains for its author and its day."""
        is_theirs = bool(place.who) and self.words.issuperset(_words_of(place.who or ""))
        if not self.days:
            return SAID_BY * is_theirs
        days = [day for day in (place.day, place.also) if day]
        then = max((span.nearness(day) for span in self.days for day in days), default=0.0)
        return SAID_BY * is_theirs + SAID_THEN * then


def surroundings(query: str, places: Places, today: date) -> Surroundings:
    """Read from a question whom and which days it names."""
    # Words take a while to import, and a process that only writes needs none of this.
    from hansard.kernel.words import split

    return Surroundings(places, frozenset(split(query)), spans(query, today))


def remembered(look: Places) -> Places:
    """Look up each place once, for as long as one search takes."""
    asked: set[str] = set()
    known: dict[str, TextPlace] = {}

    def places(keys: Collection[str]) -> dict[str, TextPlace]:
        new = {*keys} - asked
        if new:
            asked.update(new)
            known.update(look(new))
        return {key: known[key] for key in keys if key in known}

    return places


@lru_cache(NAMES_KNOWN_MAX)
def _words_of(name: str) -> frozenset[str]:
    from hansard.kernel.words import split

    return frozenset(split(name))


def _beside(key: str, there: Mapping[str, TextPlace]) -> set[str]:
    """Give the neighbours of a document."""
    place = there.get(key)
    return {other for other in (place.before, place.after) if other} if place else set()


def _gained(excess: Mapping[str, float], there: Mapping[str, TextPlace]) -> defaultdict[str, float]:
    """Say what documents gain from hits beside them, or one further."""
    gained: defaultdict[str, float] = defaultdict(float)
    for key, score in excess.items():
        near = _beside(key, there)
        for other in near:
            gained[other] += BESIDE * score
        for other in {further for one in near for further in _beside(one, there)} - {key}:
            gained[other] += FURTHER * score
    return gained
