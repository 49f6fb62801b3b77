"""Full-text search on `tsvector`: rare words decide which documents are ranked, and weigh more."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hansard.engines.plan import Step, in_place, plan
from hansard.engines.postgres.schema import Names
from hansard.engines.postgres.text import rank_weights, tsquery
from hansard.kernel.engine import Hit, Topic
from hansard.kernel.words import query_stems

RARE_MAX = 1_000
"""A word in up to this many documents is rare. All documents with a rare word can be ranked."""

NEWEST_MAX = 500
"""Of documents that have only common words, so many are ranked, the newest."""

SURELY_COMMON = 4 * RARE_MAX
"""A word that PostgreSQL expects in so many documents is not counted: that would take longest."""

DOCUMENTS_COUNTED_MAX = 20_000
"""How far documents are counted to tell how rare a word is among them."""

BY_LENGTH = 1
"""How `ts_rank` is asked to count: words of a long document for less."""

WITHOUT_WHOLE_TABLES = "SELECT " + ", ".join(
    f"set_config('enable_{way}', 'off', true)" for way in ("seqscan", "hashjoin", "mergejoin")
)
"""For this transaction: PostgreSQL does not know how long it takes to unpack a `tsvector`."""

Ask = Callable[..., list[tuple[Any, ...]]]
"""Runs a statement with its values and gives all rows."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search among the documents of one project whose rows `r` match the clauses."""

    ask: Ask
    names: Names
    topic: Topic
    project: str
    clauses: str
    values: Sequence[Any]
    beginnings: Mapping[str, str]
    """The words asked for that may begin others, by their stems."""

    def hits(self, query: str, limit: int) -> list[Hit]:
        """Find documents with all words first, then, where there is room, with some of them."""
        words = query_stems(query)
        if not words:
            return []
        self.ask(WITHOUT_WHOLE_TABLES)
        counts = {word: self._count(self._tsquery([word]), RARE_MAX + 1) for word in words}
        total = max(self._count(None, DOCUMENTS_COUNTED_MAX), *counts.values())
        rarity = {word: math.log1p((total - n + 0.5) / (n + 0.5)) for word, n in counts.items()}
        found: dict[str, Hit] = {}
        for step in plan(counts, RARE_MAX):
            if len(found) >= limit:
                break
            for key, score in self._ranked(step, rarity, limit):
                found.setdefault(key, Hit(key, in_place(score, step)))
        return list(found.values())[:limit]

    def _tsquery(self, words: Sequence[str], *, operator: str = "&") -> str:
        return tsquery(words, operator=operator, beginnings=self.beginnings)

    def _count(self, match: str | None, most: int) -> int:
        """Count documents, all or those that match, but not past what is many."""
        having = f"SELECT 1 FROM {self.names.topic(self.topic)} WHERE project = %s"
        values = [self.project]
        if match is not None:
            having, values = f"{having} AND words @@ %s::tsquery", [self.project, match]
            [[[planned]]] = self.ask(f"EXPLAIN (FORMAT JSON) {having}", *values)
            if planned["Plan"]["Plan Rows"] > SURELY_COMMON:
                return int(planned["Plan"]["Plan Rows"])
        [[count]] = self.ask(
            f"SELECT count(*) FROM ({having} LIMIT %s) AS documents", *values, most
        )
        return int(count)

    def _ranked(
        self, step: Step, rarity: Mapping[str, float], limit: int
    ) -> list[tuple[str, float]]:
        """Rank the newest documents that match, each word counting by how rare it is."""
        return self.ask(
            "SELECT key, (SELECT sum(rarity * ts_rank(%s::real[], words, word, %s)) "
            "FROM unnest(%s::text[]::tsquery[], %s::float8[]) AS wanted(word, rarity)) AS score "
            "FROM (SELECT coalesce(r.whole_key, r.key) AS key, d.words "
            f"FROM {self.names.topic(self.topic)} d "
            f"JOIN {self.names.table(self.topic.table)} r USING (project, key) "
            f"WHERE {self.clauses} AND d.words @@ %s::tsquery "
            "ORDER BY d.number DESC LIMIT %s) AS candidates "
            "ORDER BY score DESC, key LIMIT %s",
            rank_weights(self.topic),
            BY_LENGTH,
            [self._tsquery([word]) for word in step.rankers],
            [rarity[word] for word in step.rankers],
            *self.values,
            self._tsquery(step.deciders, operator="&" if step.needs_all else "|"),
            max(NEWEST_MAX, limit) if step.is_broad else None,
            limit,
        )
