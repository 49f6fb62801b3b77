"""Finds records by words, and by meaning where an embedder is set.

Scores of an engine compare only within one answer, so `relevance` is relative to its best hit, and
that one's is the part of the words asked for that it has: 1 means all of them, and none better. For
a hit that matches in other words, it is the nearness in meaning, if that is more.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial

from hansard.kernel.cursor import from_cursor, refused, to_cursor
from hansard.kernel.engine import Hit, Position, ReadTx, Row
from hansard.kernel.meaning import Meanings
from hansard.kernel.operation import Context
from hansard.kernel.query_meaning import Near, near, today
from hansard.kernel.rank_fusion import fuse, weight_for
from hansard.kernel.snippet import has_plainly, snippet
from hansard.kernel.surroundings import Surroundings, remembered, surroundings
from hansard.kernel.words import coverage, query_beginnings, query_stems, stems_with
from hansard.records import answers, contract, limits, places, reading
from hansard.records.filters import Filter, of_kind
from hansard.records.views import RECORDS, WORDS, labels, metadata_texts, subtree

BEGINNING_SHARE = 0.5
"""The weight of a word that only begins like the one asked for, relative to the word itself."""


def search_records(
    request: contract.SearchRecords, context: Context, meanings: Meanings
) -> answers.SearchResultsAnswer:
    """Find records, best first. Any query is answered; one without words finds nothing."""
    first = _first(request.cursor)
    until = first + request.limit
    most = limits.SEARCH_MEANINGS_MAX
    meant = near(meanings, WORDS, request.query, context, limit=most, texts=reading.texts_of)

    def work(tx: ReadTx) -> answers.SearchResultsAnswer:
        root = reading.require(tx, request.parent_id) if request.parent_id is not None else None
        look = remembered(partial(places.places, tx))
        around = surroundings(request.query, look, today(context))
        hits = _hits(tx, request, root, meant, around)
        return answers.SearchResultsAnswer(
            results=_results(tx, request.query, hits, first, until),
            total=len(hits.ranked),
            total_is_exact=hits.are_all,
            nextCursor=to_cursor(Position(until, "")) if until < len(hits.ranked) else None,
            index=meanings.name,
            index_lag=0,
        )

    found = context.read(work)
    # Counted after the search, so that nothing newer than the count is silently missed.
    return found.model_copy(update={"index_lag": meanings.lag(context.project)})


@dataclass(frozen=True, slots=True)
class _Hits:
    """What was found, best first, and how."""

    ranked: Sequence[Hit]
    by_words: Mapping[str, float]
    by_meaning: Mapping[str, float]
    are_all: bool


def _hits(
    tx: ReadTx,
    request: contract.SearchRecords,
    root: Row | None,
    near: Near,
    around: Surroundings,
) -> _Hits:
    """Join hits by words and by meaning that pass the request's filters."""
    where = of_kind(request.states, request.types)
    if root:
        where["path"] = subtree(root["path"])
    words = _by_words(tx, request.query, where)
    found = {hit.key for hit in words}
    known = found | _asked_for(tx, {hit.key for hit in near.hits} - found, request, root, around)
    meant = [hit for hit in near.hits if hit.key in known]
    weight = weight_for(request.query)
    fused = fuse(words, meant, around, weight=weight, alike=near.alike)
    # Neighbours of hits have yet to pass the filters.
    known |= _asked_for(tx, {hit.key for hit in fused} - known, request, root, around)
    ranked = [hit for hit in fused if hit.key in known]
    return _Hits(
        ranked=ranked[: limits.SEARCH_HITS_MAX],
        by_words={hit.key: hit.score for hit in words},
        by_meaning={hit.key: hit.score for hit in meant},
        are_all=len(ranked) < limits.SEARCH_HITS_MAX
        and len(near.hits) < limits.SEARCH_MEANINGS_MAX,
    )


def _asked_for(
    tx: ReadTx,
    keys: AbstractSet[str],
    request: contract.SearchRecords,
    root: Row | None,
    around: Surroundings,
) -> AbstractSet[str]:
    """Give those of some keys that are records, and pass the request's filters."""
    if root is None and request.states is None and request.types is None:
        # Each record has a place, and places are looked up together.
        return around.places(keys).keys()
    return {key for key in keys if _is_asked_for(tx.get(RECORDS, key), request, root)}


def _is_asked_for(row: Row | None, request: contract.SearchRecords, root: Row | None) -> bool:
    """Whether a record found by meaning is there, and passes the filters the words pass too."""
    if row is None:
        return False
    return (
        (request.states is None or row["state"] in request.states)
        and (request.types is None or row["type"] in request.types)
        and (root is None or row["path"].startswith(root["path"]))
    )


def _by_words(tx: ReadTx, query: str, where: Filter) -> list[Hit]:
    """Find what has the words; if that is little, also what has words that begin like them."""
    most = limits.SEARCH_HITS_MAX
    found = tx.search(WORDS, query, where=where, limit=most)
    if len(found) >= limits.SEARCH_FEW_HITS:
        return found
    whole = {hit.key for hit in found}
    begun = tx.search(WORDS, query, where=where, limit=most, beginnings=True)
    others = [hit for hit in begun if hit.key not in whole]
    # What has the words themselves comes first.
    least = found[-1].score if found else 1.0
    return found + [Hit(hit.key, BEGINNING_SHARE * min(hit.score, least)) for hit in others]


def _first(cursor: str | None) -> int:
    position = from_cursor(cursor)
    if position is None:
        return 0
    if not isinstance(position.value, int) or not 0 <= position.value <= limits.SEARCH_HITS_MAX:
        raise refused()
    return position.value


def _results(
    tx: ReadTx, query: str, hits: _Hits, first: int, until: int
) -> list[answers.RecordFound]:
    if not hits.ranked:
        return []
    best = hits.ranked[0]
    covered = coverage(query, _text(tx, _row(tx, best))) if best.key in hits.by_words else 0.0
    # What was found only by its neighbours has neither.
    top = max(covered, hits.by_meaning.get(best.key, 0.0)) or best.score
    return [
        _found(tx, query, hit, min(top, 1.0) * hit.score / best.score)
        for hit in hits.ranked[first:until]
    ]


def _found(tx: ReadTx, query: str, hit: Hit, relevance: float) -> answers.RecordFound:
    row = _row(tx, hit)
    return answers.RecordFound(
        **reading.ref_fields(tx, row),
        relevance=round(relevance, 3),
        author=row["author"],
        snippet=_snippet(tx, row, query),
    )


def _row(tx: ReadTx, hit: Hit) -> Row:
    row = tx.get(RECORDS, hit.key)
    assert row is not None, f"{hit.key} was found but is not a record"
    return row


def _text(tx: ReadTx, row: Row) -> str:
    whole = "\n".join([row["title"], row["summary"], reading.body(tx, row), labels(row)])
    return whole[: limits.SNIPPET_TEXT_CHARS_MAX]


def _snippet(tx: ReadTx, row: Row, query: str) -> str:
    """Cut the excerpt from the text of a record that shows best why it was found."""
    body = reading.body(tx, row)[: limits.SNIPPET_TEXT_CHARS_MAX]
    texts = [body, row["summary"], row["reason"] or "", *metadata_texts(row)]
    texts += [row["title"], row["type"]]
    return snippet(_telling(texts, query), query, chars=limits.SNIPPET_CHARS)


def _telling(texts: Sequence[str], query: str) -> str:
    """Choose the text that has the most of the query's words; the first among equals."""
    asked, begun = query_stems(query), query_beginnings(query)
    initials = frozenset(word[0] for word in (*asked, *begun.values()))
    # A word begins as its stem does, but for the last letter.
    beginnings = [word[:-1] or word for word in asked]
    best, most = "", (-1, 0)
    for text in filter(None, texts):
        lower = text.lower()
        may_have = not text.isascii() or any(word in lower for word in beginnings)
        has = _hits_in(text, asked, begun, initials) if may_have else (0, 0)
        if has > most:
            best, most = text, has
        if has[0] == len(asked):
            break
    return best


def _hits_in(
    text: str, asked: Sequence[str], begun: Mapping[str, str], initials: frozenset[str]
) -> tuple[int, int]:
    """Count the query's words that a text has, then those that a word in it begins with."""
    if has_plainly(text, asked):
        return len(asked), 0
    there = stems_with(initials, text, asked)
    missed = [word for one, word in begun.items() if one not in there]
    return (
        sum(word in there for word in asked),
        sum(any(one.startswith(word) for one in there) for word in missed),
    )
