"""Full-text search on `tsvector`: rare words select documents, common words only rank them.

PostgreSQL says where a document has the words; what that is worth, `engines.bm25` says.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hansard.engines.bm25 import MEAN_OF_DOCUMENTS, Candidate, Ranking, deciders, occurrences
from hansard.engines.postgres.row_cache import Answer, Question
from hansard.engines.postgres.schema import Names
from hansard.engines.postgres.text import places, tsquery
from hansard.kernel.engine import Hit, Topic
from hansard.kernel.words import Term

RARE_MAX = 1_000
"""A word in up to this many documents is rare. All documents with a rare word can be ranked."""

NEWEST_MAX = 500
"""How many documents that have only common words are ranked: the newest."""

DOCUMENTS_COUNTED_MAX = 20_000
"""How many documents are counted at most to tell how rare a word is."""

LOOKED_AT = 300
"""How many documents are scored, those with rare words first."""

WITHOUT_WHOLE_TABLES = "SELECT " + ", ".join(
    f"set_config('enable_{way}', 'off', true)" for way in ("seqscan", "hashjoin", "mergejoin")
)
"""For this transaction: PostgreSQL does not account for the time it takes to unpack a
`tsvector`."""

Ask = Callable[[Sequence[Question]], list[Answer]]
"""Runs statements in one round trip and gives all rows of each."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search among the documents of one project whose rows `r` match the clauses."""

    ask: Ask
    ask_of_all: Ask
    """Asks what does not depend on rows, only on documents."""
    names: Names
    topic: Topic
    project: str
    clauses: str
    values: Sequence[Any]

    @property
    def begun(self) -> str:
        """Give what this project's words begin with."""
        return self.names.lexemes_of(self.project)

    def hits(self, terms: Sequence[Term], limit: int) -> list[Hit]:
        """Find the documents that answer a query, best first."""
        if not terms:
            return []
        total, length_mean, counts = self._counted(terms)
        if not total:
            return []
        ranking = Ranking(terms, counts, max(total, *counts), length_mean)
        found: dict[str, Hit] = {}
        for match, is_broad in _steps(terms, counts, self.begun):
            if len(found) >= limit:
                break
            most = max(NEWEST_MAX, limit) if is_broad else None
            for skipped in self._skipping(found, limit):
                hits = ranking.ranked(self._candidates(ranking, match, most, skipped))
                least = min((hit.score for hit in found.values()), default=float("inf"))
                for hit in hits:
                    found.setdefault(hit.key, Hit(hit.key, min(hit.score, least)))
                if len(hits) < LOOKED_AT:
                    break
        return list(found.values())[:limit]

    def _skipping(self, found: dict[str, Hit], limit: int) -> Iterator[int]:
        skipped = 0
        while skipped == 0 or len(found) < limit:
            yield skipped
            skipped += LOOKED_AT

    def _counted(self, terms: Sequence[Term]) -> tuple[int, float, list[int]]:
        """Count the documents, how long they are, and those that have each term.

        How common the other words are is estimated from the newest documents; phrases are not
        counted. Nothing is asked of PostgreSQL's statistics, which are of all projects together.
        """
        name = self.names.topic(self.topic)
        matches = ["" if one.is_phrase else tsquery([one], self.begun) for one in terms]
        asked = [match for match in matches if match]
        every = f"SELECT 1 FROM {name} WHERE project = %s LIMIT %s"
        newest = f"SELECT length FROM {name} WHERE project = %s ORDER BY number DESC LIMIT %s"
        having = f"SELECT 1 FROM {name} WHERE project = %s AND words @@ %s::tsquery LIMIT %s"
        count = f"SELECT count(*) FROM ({having}) AS d"
        [[total]], [[length]], *counted = self.ask_of_all(
            [
                (f"SELECT count(*) FROM ({every}) AS d", (self.project, DOCUMENTS_COUNTED_MAX)),
                (f"SELECT avg(length) FROM ({newest}) AS d", (self.project, MEAN_OF_DOCUMENTS)),
                *((count, (self.project, match, RARE_MAX + 1)) for match in asked),
            ]
        )
        counts = {match: int(rows[0][0]) for match, rows in zip(asked, counted, strict=True)}
        counts |= self._estimated([one for one in asked if counts[one] > RARE_MAX], int(total))
        return int(total), float(length or 0.0), [counts.get(match, 0) for match in matches]

    def _estimated(self, matches: Sequence[str], total: int) -> dict[str, int]:
        """Say in how many of all documents common words are, by the share of the newest."""
        if not matches:
            return {}
        newest, counts = _among_newest(
            self.ask_of_all, self.names, self.topic, self.project, matches
        )
        return {
            match: max(RARE_MAX + 1, count * total // newest)
            for match, count in zip(matches, counts, strict=True)
        }

    def _candidates(
        self, ranking: Ranking, match: str, newest: int | None, skipped: int
    ) -> Iterator[Candidate]:
        """Look closely at the documents that match and have the most of what is rare."""
        words = [
            (term, worth)
            for term, worth in zip(ranking.terms, ranking.worth, strict=True)
            if not term.is_phrase
        ]
        statement = (
            "SELECT key, length, ARRAY(SELECT lexeme || ' ' || array_to_string(positions, ',') "
            "|| ' ' || array_to_string(weights, '') FROM unnest(words) WHERE lexeme = ANY(%s) "
            "OR EXISTS (SELECT 1 FROM unnest(%s::text[]) AS b(begun) "
            "WHERE starts_with(lexeme, begun))) "
            "FROM (SELECT coalesce(r.whole_key, r.key) AS key, d.length, d.words, d.number "
            f"FROM {self.names.topic(self.topic)} d "
            f"JOIN {self.names.table(self.topic.table)} r USING (project, key) "
            f"WHERE {self.clauses} AND d.words @@ %s::tsquery "
            "ORDER BY d.number DESC LIMIT %s) AS candidates "
            "ORDER BY (SELECT sum(CASE WHEN words @@ word THEN worth ELSE 0 END) "
            "FROM unnest(%s::text[]::tsquery[], %s::float8[]) AS wanted(word, worth)) DESC, "
            "number DESC LIMIT %s OFFSET %s"
        )
        stems = {stem for one in ranking.terms for form in one.forms for stem in form.split()}
        values = (
            sorted(self.begun + stem for stem in stems),
            [self.begun + one.beginning for one in ranking.terms if one.beginning],
            *self.values,
            match,
            newest,
            [tsquery([term], self.begun) for term, _ in words],
            [worth for _, worth in words],
            LOOKED_AT,
            skipped,
        )
        [rows] = self.ask([(statement, values)])
        for key, length, noted in rows:
            there = places(noted, self.topic, self.begun)
            yield Candidate(key, [occurrences(one, there) for one in ranking.terms], length)


def having(
    ask: Ask, names: Names, topic: Topic, project: str, words: Sequence[str]
) -> tuple[int, list[int]]:
    """Count the newest documents, and those of them that have each stem."""
    begun = names.lexemes_of(project)
    matches = [tsquery([Term((word,))], begun) for word in words]
    return _among_newest(ask, names, topic, project, matches)


def _among_newest(
    ask: Ask, names: Names, topic: Topic, project: str, matches: Sequence[str]
) -> tuple[int, list[int]]:
    """Count the newest documents, and those of them that match each of these."""
    statement = (
        f"SELECT count(*){', count(*) FILTER (WHERE words @@ %s::tsquery)' * len(matches)} "
        f"FROM (SELECT words FROM {names.topic(topic)} WHERE project = %s "
        "ORDER BY number DESC LIMIT %s) AS newest"
    )
    [[[total, *counts]]] = ask([(statement, (*matches, project, MEAN_OF_DOCUMENTS))])
    return int(total), [int(count) for count in counts]


def known(
    ask: Ask, names: Names, topic: Topic, project: str, words: Sequence[str]
) -> dict[str, int]:
    """Count the documents that have each of these stems, among the newest that have any."""
    if not words:
        return {}
    statement = (
        "SELECT lexeme, count(*) FROM (SELECT words FROM "
        f"{names.topic(topic)} WHERE project = %s AND words @@ %s::tsquery "
        "ORDER BY number DESC LIMIT %s) AS documents, unnest(documents.words) "
        "WHERE lexeme = ANY(%s) GROUP BY lexeme"
    )
    begun = names.lexemes_of(project)
    match = tsquery([Term((word,)) for word in words], begun)
    wanted = [begun + word for word in words]
    [rows] = ask([(statement, (project, match, RARE_MAX, wanted))])
    return {str(word).removeprefix(begun): int(count) for word, count in rows}


def _steps(terms: Sequence[Term], counts: Sequence[int], begun: str) -> Iterator[tuple[str, bool]]:
    """Say what to look for: what has a rare word; else all common ones, then any of them."""
    rare = deciders(terms, counts, RARE_MAX)
    common = [
        one
        for one, count in zip(terms, counts, strict=True)
        if count and not one.is_phrase and one not in rare
    ]
    if rare:
        yield tsquery(rare, begun), False
    elif len(common) > 1:
        yield tsquery(common, begun, operator="&"), True
    if common:
        yield tsquery(common, begun), True
