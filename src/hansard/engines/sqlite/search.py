"""Full-text search on FTS5: rare words decide which documents are ranked, common words only rank.

FTS5 is given the stems that `kernel.words` makes of texts and queries. They are letters and digits,
so any string is a query, none is an operator, and every engine finds the same.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hansard.engines.plan import Step, in_place, plan
from hansard.engines.sqlite.schema import documents_name, table_name, topic_name
from hansard.kernel.engine import Hit, Topic
from hansard.kernel.words import query_beginnings, query_stems, stems

RARE_MAX = 4_000
"""A word in up to this many documents is rare. All documents with a rare word can be ranked."""

NEWEST_MAX = 1_000
"""Of documents that have only common words, so many are ranked, the newest."""

FEW_ROWS_MAX = 10_000
"""Rows that are fetched before the documents are looked at, if words are common and rows rare."""

NO_LIMIT = -1

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


class Search:
    """One question, answered step by step until there are enough hits."""

    def __init__(self, ask: Ask, scope: Scope, *, beginnings: bool = False) -> None:
        """Ask nothing yet."""
        self._ask = ask
        self._asks_beginnings = beginnings
        self._beginnings: Mapping[str, str] = {}
        self._scope = scope
        self._words = topic_name(scope.topic)
        self._documents = documents_name(scope.topic)
        self._rows = table_name(scope.topic.table)

    def hits(self, query: str, limit: int) -> list[Hit]:
        """Find documents with all words first, then, where there is room, with some of them."""
        self._beginnings = query_beginnings(query) if self._asks_beginnings else {}
        counts = {word: self._count(word) for word in query_stems(query)}
        is_common = any(count > RARE_MAX for count in counts.values())
        few_rows = is_common and self._scope.is_filtered and self._has_few_rows()
        found: dict[str, Hit] = {}
        for step in plan(counts, RARE_MAX, few_rows=few_rows):
            if len(found) >= limit:
                break
            for key, score in self._ranked(step, limit, rows_first=few_rows and step.is_broad):
                found.setdefault(key, Hit(key, in_place(score, step)))
        return list(found.values())[:limit]

    def _count(self, word: str) -> int:
        """Count the documents that have a word, but not past the point where it is common."""
        [[count]] = self._ask(
            f"SELECT count(*) FROM (SELECT 1 FROM {self._words} WHERE {self._words} MATCH ? "
            "AND rowid BETWEEN ? AND ? LIMIT ?)",
            self._any([word]),
            self._scope.first,
            self._scope.last,
            RARE_MAX + 1,
        )
        return int(count)

    def _ranked(self, step: Step, limit: int, *, rows_first: bool) -> list[tuple[str, float]]:
        scope, words = self._scope, self._words
        weights = ", ".join(str(float(weight)) for weight in scope.topic.columns.values())
        return self._ask(
            f"SELECT key, score FROM (SELECT d.key, -bm25({words}, {weights}) AS score "
            f"FROM {words} CROSS JOIN {self._documents} d ON d.number = {words}.rowid "
            f"CROSS JOIN {self._rows} r ON r.key = d.key AND {scope.clauses} "
            f"WHERE {words} MATCH ? AND {words}.rowid BETWEEN ? AND ? "
            f"{self._of_matching_rows if rows_first else ''} "
            f"ORDER BY {words}.rowid DESC LIMIT ?) ORDER BY score DESC, key LIMIT ?",
            *scope.values,
            self._match(step),
            scope.first,
            scope.last,
            *(scope.values if rows_first else ()),
            max(NEWEST_MAX, limit) if step.is_broad else NO_LIMIT,
            limit,
        )

    @property
    def _of_matching_rows(self) -> str:
        # The plus keeps SQLite from starting the match anew for each number.
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

    def _match(self, step: Step) -> str:
        """Write a step as FTS5 reads it; the words that decide count twice if there are others."""
        if step.needs_all:
            return " AND ".join(self._any([word]) for word in step.deciders)
        if len(step.rankers) == len(step.deciders):
            return self._any(step.deciders)
        return f"({self._any(step.deciders)}) AND ({self._any(step.rankers)})"

    def _any(self, words: Iterable[str]) -> str:
        return " OR ".join(
            f'("{word}" OR "{self._beginnings[word]}"*)'
            if word in self._beginnings
            else f'"{word}"'
            for word in words
        )


def document(topic: Topic, texts: Mapping[str, str]) -> list[str]:
    """Write a document as FTS5 is to index it, column by column."""
    return [" ".join(stems(texts.get(column, ""))) for column in topic.columns]
