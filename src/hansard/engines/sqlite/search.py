"""Full-text search on FTS5: rare words select documents, common words only rank them.

FTS5 is given the stems that `kernel.words` makes of texts and queries. They are letters and digits,
so any string is a query, none is an operator, and every engine finds the same. It is asked only
which documents have a word, and how often: what that is worth depends on the project alone.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from hansard.engines.bm25 import MEAN_OF_DOCUMENTS, Candidate, Ranking
from hansard.engines.sqlite.schema import documents_name, table_name, topic_name
from hansard.engines.sqlite.word_counts import TIMES
from hansard.kernel.engine import Hit, Topic
from hansard.kernel.words import Term, query_terms, stems

RARE_MAX = 2_000
"""A word in up to this many documents is rare. All documents with a rare word can be ranked."""

NEWEST_MAX = 1_000
"""How many documents that have only common words are ranked: the newest."""

FEW_ROWS_MAX = 10_000
"""Rows that are fetched before the documents are read, if words are common and rows rare."""

LOOKED_AT = 200
"""How many documents are scored at a time, those with rare words first."""

KNOWN_MAX = 100
"""How many documents with a word are counted, to tell which of two words is the common one."""

Ask = Callable[..., list[tuple[Any, ...]]]
"""Runs a statement with its values and gives all rows."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a search may find: documents of one project, whose rows `r` match the clauses."""

    topic: Topic
    first: int
    last: int
    clauses: str
    values: Sequence[Any]
    is_filtered: bool


@dataclass(frozen=True, slots=True)
class _Having:
    """The documents that have a term, newest first, as many as were looked up."""

    term: Term
    numbers: Sequence[int]
    count: int
    """How many there are; where they are many, how many there may well be."""

    @property
    def is_rare(self) -> bool:
        """Whether all documents with it were looked up."""
        return len(self.numbers) <= RARE_MAX


@dataclass(frozen=True, slots=True)
class _Batch:
    """Documents to score, and what FTS5 finds them by without reading others."""

    numbers: Sequence[int]
    found_by: str


class SqliteSearch:
    """One question, answered a batch of documents after another until there are enough hits."""

    def __init__(self, ask: Ask, scope: Scope, *, beginnings: bool = False) -> None:
        """Prepare; nothing is asked yet."""
        self._ask = ask
        self._asks_beginnings = beginnings
        self._scope = scope
        self._words = topic_name(scope.topic)
        self._documents = documents_name(scope.topic)
        self._rows = table_name(scope.topic.table)

    def hits(self, query: str, limit: int) -> list[Hit]:
        """Find the documents that answer a query, best first."""
        terms = query_terms(query, beginnings=self._asks_beginnings)
        total, length_mean = self._size() if terms else (0, 0.0)
        if not total:
            return []
        having = self._all_having(terms, total)
        ranking = Ranking(terms, [one.count for one in having], total, length_mean)
        found: list[Hit] = []
        for batch in self._batches(having, ranking.worth, max(NEWEST_MAX, limit)):
            if len(found) >= limit:
                break
            found += _after(found, ranking.ranked(self._looked_at(batch, terms)))
        return found[:limit]

    def _size(self) -> tuple[int, float]:
        """Say how many documents the project has, about, and how long one is."""
        [[last, length]] = self._ask(
            f"SELECT max(number), avg(length) FROM (SELECT number, length FROM {self._documents} "
            "WHERE number BETWEEN ? AND ? ORDER BY number DESC LIMIT ?)",
            self._scope.first,
            self._scope.last,
            MEAN_OF_DOCUMENTS,
        )
        return (0, 0.0) if last is None else (last - self._scope.first, length)

    def _all_having(self, terms: Sequence[Term], total: int) -> list[_Having]:
        having = [self._having(term, total) for term in terms]
        is_common = not all(one.is_rare for one in having)
        if not (is_common and self._scope.is_filtered and self._has_few_rows()):
            return having
        # Few documents are wanted and have the word, however many have the word.
        few = [self._having(term, total, among=self._of_matching_rows) for term in terms]
        return [
            _Having(one.term, narrow.numbers, one.count)
            for one, narrow in zip(having, few, strict=True)
        ]

    def _having(self, term: Term, total: int, *, among: str = "") -> _Having:
        if term.is_phrase:
            return _Having(term, (), 0)
        rows = self._ask(
            f"SELECT rowid FROM {self._words} WHERE {self._words} MATCH ? "
            f"AND rowid BETWEEN ? AND ? {among} ORDER BY rowid DESC LIMIT ?",
            _any([term]),
            self._scope.first,
            self._scope.last,
            *(self._scope.values if among else ()),
            RARE_MAX + 1,
        )
        numbers = [number for (number,) in rows]
        if len(numbers) <= RARE_MAX:
            return _Having(term, numbers, len(numbers))
        # As dense among all documents as among the newest.
        newest = self._scope.first + total - numbers[-1] + 1
        return _Having(term, numbers, max(len(numbers) * total // max(newest, 1), len(numbers)))

    def _batches(
        self, having: Sequence[_Having], worth: Sequence[float], newest_max: int
    ) -> Iterator[_Batch]:
        """Give what to score: what has the most rare words, then what has only common ones."""
        valued = list(zip(having, worth, strict=True))
        rare = [one for one in valued if one[0].is_rare and one[0].numbers]
        common = [one for one in valued if not one[0].is_rare]
        seen: set[int] = set()
        if rare:
            numbers = _likeliest(rare, {number for one, _ in rare for number in one.numbers})
            seen.update(numbers)
            yield from _batched(numbers, _any(one.term for one, _ in rare))
        elif len(common) > 1:
            match = " AND ".join(f"({_any([one.term])})" for one, _ in common)
            numbers = self._newest(match, newest_max)
            seen.update(numbers)
            yield from _batched(numbers, match)
        if common:
            match = _any(one.term for one, _ in common)
            fresh = {*self._newest(match, newest_max + len(seen))} - seen
            yield from _batched(_likeliest(common, fresh), match)

    def _newest(self, match: str, limit: int) -> list[int]:
        rows = self._ask(
            f"SELECT {self._words}.rowid FROM {self._words} "
            f"CROSS JOIN {self._documents} d ON d.number = {self._words}.rowid "
            f"CROSS JOIN {self._rows} r ON r.key = d.key AND {self._scope.clauses} "
            f"WHERE {self._words} MATCH ? AND {self._words}.rowid BETWEEN ? AND ? "
            f"ORDER BY {self._words}.rowid DESC LIMIT ?",
            *self._scope.values,
            match,
            self._scope.first,
            self._scope.last,
            limit,
        )
        return [number for (number,) in rows]

    def _looked_at(self, batch: _Batch, terms: Sequence[Term]) -> Iterator[Candidate]:
        scope, words = self._scope, self._words
        rows = self._ask(
            f"SELECT d.key, {TIMES}({words}, ?), d.length "
            f"FROM {words} CROSS JOIN {self._documents} d ON d.number = {words}.rowid "
            f"CROSS JOIN {self._rows} r ON r.key = d.key AND {scope.clauses} "
            f"WHERE {words} MATCH ? AND {words}.rowid BETWEEN ? AND ? "
            f"AND +{words}.rowid IN (SELECT value FROM json_each(?))",
            _spec(scope.topic, terms),
            *scope.values,
            f"({_any(terms)}) AND ({batch.found_by})",
            min(batch.numbers),
            max(batch.numbers),
            orjson.dumps(batch.numbers).decode(),
        )
        for key, times, length in rows:
            yield Candidate(key, array("d", times), length)

    @property
    def _of_matching_rows(self) -> str:
        # The plus keeps SQLite from repeating the match for each number.
        return (
            f"AND +{self._words}.rowid IN (SELECT d.number FROM {self._rows} r "
            f"CROSS JOIN {self._documents} d ON d.project = r.project AND d.key = r.key "
            f"WHERE {self._scope.clauses})"
        )

    def _has_few_rows(self) -> bool:
        [[count]] = self._ask(
            f"SELECT count(*) FROM (SELECT 1 FROM {self._rows} r WHERE {self._scope.clauses} "
            "LIMIT ?)",
            *self._scope.values,
            FEW_ROWS_MAX + 1,
        )
        return bool(count <= FEW_ROWS_MAX)


def having(
    ask: Ask, topic: Topic, first: int, last: int, words: Sequence[str]
) -> tuple[int, list[int]]:
    """Count the newest documents between two numbers, and those of them that have each stem."""
    [[total, oldest]] = ask(
        f"SELECT count(*), min(number) FROM (SELECT number FROM {documents_name(topic)} "
        "WHERE number BETWEEN ? AND ? ORDER BY number DESC LIMIT ?)",
        *(first, last, MEAN_OF_DOCUMENTS),
    )
    if not total:
        return 0, [0] * len(words)
    name = topic_name(topic)
    # From the newest down, or all documents with a word would be read up to them.
    found = [
        ask(
            f"SELECT count(*) FROM (SELECT rowid FROM {name} WHERE {name} MATCH ? "
            "AND rowid BETWEEN ? AND ? ORDER BY rowid DESC)",
            *(_any([Term((word,))]), oldest, last),
        )
        for word in words
    ]
    return total, [count for [[count]] in found]


def known(ask: Ask, topic: Topic, first: int, last: int, words: Sequence[str]) -> dict[str, int]:
    """Count the documents between two numbers that have each of these stems, as far as some have.

    Of many words most are nowhere: a half that no document has is skipped as a whole.
    """
    if not words:
        return {}
    name = topic_name(topic)
    [[count]] = ask(
        f"SELECT count(*) FROM (SELECT rowid FROM {name} WHERE {name} MATCH ? "
        "AND rowid BETWEEN ? AND ? LIMIT ?)",
        *(_any(Term((word,)) for word in words), first, last, KNOWN_MAX),
    )
    if not count or len(words) == 1:
        return {words[0]: count} if count else {}
    half = len(words) // 2
    parts = (words[:half], words[half:])
    return {
        word: count
        for part in parts
        for word, count in known(ask, topic, first, last, part).items()
    }


def document(topic: Topic, texts: Mapping[str, str]) -> list[str]:
    """Write a document as FTS5 is to index it, column by column."""
    return [" ".join(stems(texts.get(column, ""))) for column in topic.columns]


def length_of(topic: Topic, columns: Sequence[str]) -> float:
    """Say how long a document is that was written like this, words counting what columns do."""
    weights = topic.columns.values()
    return sum(
        weight * (text.count(" ") + 1)
        for weight, text in zip(weights, columns, strict=True)
        if text
    )


def _spec(topic: Topic, terms: Sequence[Term]) -> str:
    """Write down what columns weigh, and how many forms each term is looked for in."""
    forms = [len(one.forms) + (one.beginning is not None) for one in terms]
    return orjson.dumps([list(topic.columns.values()), forms]).decode()


def _any(terms: Iterable[Term]) -> str:
    """Write terms as FTS5 reads them, all forms of one after those of another."""
    return " OR ".join(form for term in terms for form in _forms(term))


def _forms(term: Term) -> Iterator[str]:
    for form in term.forms:
        yield f'"{form}"'
    if term.beginning is not None:
        yield f'"{term.beginning}"*'


def _likeliest(valued: Iterable[tuple[_Having, float]], among: set[int]) -> list[int]:
    """Put documents in the order of what they are known to have; the newest of equals first."""
    values: defaultdict[int, float] = defaultdict(float)
    for having, worth in valued:
        for number in having.numbers:
            values[number] += worth
    return sorted(among, key=lambda number: (-values.get(number, 0.0), -number))


def _batched(numbers: Sequence[int], found_by: str) -> Iterator[_Batch]:
    for first in range(0, len(numbers), LOOKED_AT):
        yield _Batch(numbers[first : first + LOOKED_AT], found_by)


def _after(before: Sequence[Hit], ranked: Sequence[Hit]) -> list[Hit]:
    """Cap scores at those found before, so that a longer answer begins like a shorter one."""
    most = before[-1].score if before else float("inf")
    return [Hit(hit.key, min(hit.score, most)) for hit in ranked]
