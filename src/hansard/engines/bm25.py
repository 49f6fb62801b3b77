"""Scores how well a document matches a query: BM25 over one project's documents. Pure.

An engine finds documents and says how often each has what is asked for, an occurrence counting its
column's weight. All else is decided here, so that engines agree.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from hansard.kernel.engine import Hit
from hansard.kernel.words import Term

SATURATION = 2.0
LENGTH_PENALTY = 0.75
"""How repeated words and long documents are damped. See ADR 47 for what was measured."""

ALL_FIRST_WORDS_MAX = 3
"""For a query of up to this many words, what has all of them comes before what has some.

Somebody who types so few means each of them. In a longer question some words only lead to the
others.
"""

SOME_SHARE = 0.9
"""What at most is scored by what has only some of a few words: all of them score more."""

MEAN_OF_DOCUMENTS = 1_000
"""How many documents, the newest, say how long one is. More would only take longer."""

Places = Mapping[str, Sequence[tuple[int, float]]]
"""By stem, where a document has it, in order, and what an occurrence there counts."""


class Candidate(NamedTuple):
    """A document with how often it has each term, and how long it is."""

    key: str
    times: Sequence[float]
    length: float


class Ranking:
    """What each term of a query is worth among the documents of one project."""

    def __init__(
        self, terms: Sequence[Term], counts: Sequence[int], total: int, length_mean: float
    ) -> None:
        """Weigh terms, given in how many documents of all each is; of a phrase that is not asked.

        Words side by side are taken to be as rare as the rarest of them: counting them would take
        longer than all the rest, and ranked no better.
        """
        self.terms = terms
        self._length_mean = max(length_mean, 1.0)
        rarity: dict[str, float] = {}
        for term, count in zip(terms, counts, strict=True):
            if not term.is_phrase:
                rarity |= dict.fromkeys(term.forms, _rarity(count, max(total, count)))
        most = _rarity(0, total)
        self.worth = [
            term.weight * max((rarity.get(word, most) for word in term.words()), default=0.0)
            for term in terms
        ]
        self._ideal = sum(worth for worth, term in self._worths() if term.is_word)
        self._words = sum(term.is_word for term in terms)
        self._wants_all = self._words <= ALL_FIRST_WORDS_MAX

    def ranked(self, candidates: Iterable[Candidate]) -> list[Hit]:
        """Put documents into order, best first; 1 is what a document could ideally score."""
        hits = (Hit(one.key, self._placed(one)) for one in candidates)
        return sorted(hits, key=lambda hit: (-hit.score, hit.key))

    def _placed(self, one: Candidate) -> float:
        score = min(self._score(one), 1.0)
        if not self._wants_all:
            return score
        # Words come before what else there is.
        has_all = all(one.times[: self._words])
        return SOME_SHARE + (1 - SOME_SHARE) * score if has_all else SOME_SHARE * score

    def _worths(self) -> Iterator[tuple[float, Term]]:
        return zip(self.worth, self.terms, strict=True)

    def _score(self, one: Candidate) -> float:
        relative = one.length / self._length_mean
        damping = SATURATION * (1 - LENGTH_PENALTY + LENGTH_PENALTY * relative)
        got = 0.0
        for worth, times in zip(self.worth, one.times, strict=True):
            if times:
                got += worth * times / (times + damping)
        return got / self._ideal if self._ideal else 0.0


def deciders(terms: Sequence[Term], counts: Sequence[int], rare_max: int) -> list[Term]:
    """Choose the words that decide what is ranked: as many, rarest first, as few enough have.

    The others only rank: looking at all that has a common word is linear in the store.
    """
    counted = [(count, term) for count, term in zip(counts, terms, strict=True) if count]
    rarest = sorted((one for one in counted if not one[1].is_phrase), key=lambda one: one[0])
    totals = accumulate(count for count, _ in rarest)
    return [term for total, (_, term) in zip(totals, rarest, strict=True) if total <= rare_max]


def occurrences(term: Term, places: Places) -> float:
    """Add up what the occurrences of a term count in a document."""
    stems = {form for form in term.forms if " " not in form}
    if term.beginning:
        stems |= {word for word in places if word.startswith(term.beginning)}
    alone = sum(counts for stem in stems for _, counts in places.get(stem, ()))
    return alone + sum(_side_by_side(form.split(), places) for form in term.forms if " " in form)


def _side_by_side(words: Sequence[str], places: Places) -> float:
    if not all(word in places for word in words):
        return 0.0
    first, *others = words
    following = [{place for place, _ in places[word]} for word in others]
    return sum(
        counts
        for place, counts in places[first]
        if all(place + step in there for step, there in enumerate(following, start=1))
    )


def _rarity(count: int, total: int) -> float:
    return math.log1p((total - count + 0.5) / (count + 0.5))
