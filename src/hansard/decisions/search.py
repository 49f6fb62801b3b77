"""Finds decisions by words and meaning; the graph decides which to show."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from hansard.decisions import answers, audit, contract, limits, reading
from hansard.decisions.audit import WantedDecisions
from hansard.decisions.ranking import (
    REJECTED_SHOWN_MAX,
    SECOND_SHARE,
    Ranked,
    RankedMatch,
    RankedStanding,
    rank,
)
from hansard.decisions.tables import DECISIONS, WORDS
from hansard.kernel.engine import Hit, ReadTx, Row
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.meaning import Meanings
from hansard.kernel.operation import Context
from hansard.kernel.query_meaning import NearOfAlike, nearest_of_alike
from hansard.kernel.rank_fusion import ALL_THERE, fuse, weight_for
from hansard.kernel.words import coverage, query_stems, stems

MEANING_WEIGHT = 0.7
"""How much meaning counts against words: many decisions are about the same part (ADR 84)."""

NAMED_SHARE = 0.15
"""The weight of a title and target that have the words for what a question is about."""


@dataclass(frozen=True, slots=True)
class Searching:
    """Searches, with what finds by meaning."""

    meanings: Meanings

    def search(
        self, request: contract.SearchDecisions, context: Context
    ) -> answers.DecisionsFoundAnswer:
        """Find decisions, best first. Any query is answered; one without words may find nothing."""
        audit.check(request)
        # Before the transaction, since it takes a while. It may be stale: each hit is looked up.
        near = self._nearest(request, context)

        def work(tx: ReadTx) -> tuple[list[answers.DecisionFound], int | None]:
            wanted = audit.wanted(tx, request)
            if request.history:
                return audit.history(tx, request, wanted)
            if wanted.is_narrow and not query_stems(request.query):
                return audit.listed(tx, request, wanted), None
            ranked = _ranked(tx, request, wanted, near)
            reading.prefetch_reasons(tx, [one.standing.id for one in ranked])
            return [_found(tx, request, one) for one in ranked], None

        found, earlier = context.read(work)
        return answers.DecisionsFoundAnswer(
            results=found,
            earlier=earlier or None,
            # Counted after the search, so that nothing newer is silently missed.
            index_lag=self.meanings.lag(context.project),
            index=self.meanings.name,
        )

    def _nearest(self, request: contract.SearchDecisions, context: Context) -> NearOfAlike:
        limit = max(limits.MEANINGS_MAX, _least(request))
        return nearest_of_alike(self.meanings, WORDS, request.query, context, limit=limit)


def _ranked(
    tx: ReadTx, request: contract.SearchDecisions, wanted: WantedDecisions, near: NearOfAlike
) -> list[Ranked]:
    """Read more and more matches while they lead to too few decisions.

    A long chain may match with all its versions, and what else matches comes after them.
    """
    graph = _Graph(tx)
    graph.prefetch(near.hits)
    by_meaning = [_sane(hit) for hit in near.hits if graph.knows(hit)]
    least = _least(request)
    hits_max = max(limits.HITS_FIRST, least)
    rejected_max = least if wanted.status == "rejected" else REJECTED_SHOWN_MAX
    while True:
        by_words = tx.search(WORDS, request.query, limit=hits_max)
        hits, second_share = graph.fused(request.query, by_words, by_meaning, near.about)
        matches = graph.matches(hits, request.mode, wanted)
        ranked = rank(matches, request.mode, least, rejected_max, second_share=second_share)
        is_enough = len(ranked) >= least or len(by_words) < hits_max
        if is_enough or hits_max >= limits.HITS_MAX:
            return ranked[: request.limit]
        hits_max *= 10


def _least(request: contract.SearchDecisions) -> int:
    """Say how many to rank: in `audit` all that could be asked for, so the limit orders nothing."""
    return LIST_LIMIT_MAX if request.mode == "audit" else request.limit


def _sane(hit: Hit) -> Hit:
    return Hit(hit.key, min(max(hit.score, -1.0), 1.0))


class _Graph:
    """What hits lead to, each chain looked up once."""

    def __init__(self, tx: ReadTx) -> None:
        self._tx = tx
        self._rows: dict[str, Row | None] = {}
        self._ends: dict[str, Row] = {}

    def knows(self, hit: Hit) -> bool:
        """Whether a hit is a score for something that exists."""
        # No key holds a NUL, and not every engine can be asked for one that does.
        is_sane = not math.isnan(hit.score) and "\0" not in hit.key
        return is_sane and self._row(hit.key) is not None

    def prefetch(self, hits: Sequence[Hit]) -> None:
        """Fetch what hits score, and where that leads, all together."""
        self._tx.prefetch(*(partial(self._prefetched, hit) for hit in hits))

    def _prefetched(self, hit: Hit) -> None:
        if self.knows(hit):
            self._match(hit)

    def fused(
        self,
        query: str,
        by_words: Sequence[Hit],
        by_meaning: Sequence[Hit],
        about: frozenset[str],
    ) -> tuple[list[Hit], float]:
        """Fuse both, and give the weight of a decision's second best version.

        Where there is no meaning, or something has every word of a few, words are what was meant,
        and the version that has them says it. So does one whose title has every word of many.
        """
        if not by_meaning or (by_words and by_words[0].score >= ALL_THERE):
            return fuse(by_words, by_meaning), 0.0
        hits = fuse(by_words, by_meaning, weight=weight_for(query, MEANING_WEIGHT))
        if about:
            hits = [Hit(hit.key, self._named(hit, about)) for hit in hits]
        is_titled = by_words and coverage(query, self._known(by_words[0])["title"]) == 1
        return hits, 0.0 if is_titled else SECOND_SHARE

    def _named(self, hit: Hit, about: frozenset[str]) -> float:
        """Score what a decision is about as well, if the question says what that is."""
        row = self._known(hit)
        named = len(about.intersection(stems(f"{row['title']} {row['target']}"))) / len(about)
        return (1 - NAMED_SHARE) * hit.score + NAMED_SHARE * named

    def matches(
        self, hits: Sequence[Hit], mode: contract.Mode, wanted: WantedDecisions
    ) -> list[RankedMatch]:
        """Say where hits lead, as far as the filters allow."""
        self.prefetch(hits)
        found = map(self._match, hits)
        if mode == "audit":
            return [one for one in found if wanted.has(self._shown(one.found))]
        return [one for one in found if wanted.has(self._shown(one.end))]

    def _shown(self, standing: RankedStanding) -> Row:
        row = self._row(standing.id)
        assert row is not None, f"{standing.id} is the end of a chain but is no decision"
        return row

    def _match(self, hit: Hit) -> RankedMatch:
        """Say where a hit leads."""
        row = self._known(hit)
        relevance = min(max(hit.score, 0.0), 1.0)
        return RankedMatch(_standing(row), relevance, _standing(self._end(row)))

    def _known(self, hit: Hit) -> Row:
        row = self._row(hit.key)
        assert row is not None, f"{hit.key} is indexed but is no decision"
        return row

    def _end(self, row: Row) -> Row:
        chain = row.get("chain")
        if chain is None:
            return reading.end(self._tx, row)
        if chain not in self._ends:
            self._ends[chain] = reading.end(self._tx, row)
        return self._ends[chain]

    def _row(self, identifier: str) -> Row | None:
        if identifier not in self._rows:
            self._rows[identifier] = self._tx.get(DECISIONS, identifier)
        return self._rows[identifier]


def _standing(row: Row) -> RankedStanding:
    status = row["status"]
    return RankedStanding(
        row["id"], row["target_key"], status == "active", row["seq"], status == "rejected"
    )


def _found(tx: ReadTx, request: contract.SearchDecisions, ranked: Ranked) -> answers.DecisionFound:
    row = reading.stated(tx, ranked.standing.id)
    shown = audit.shown(tx, row, request.query, is_dated=request.mode == "audit")
    return shown.model_copy(
        update={"score": round(ranked.score, 3), "matched_via": list(ranked.via)}
    )
