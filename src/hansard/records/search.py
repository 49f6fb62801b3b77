"""Finding records by words.

Scores of an engine compare only within one answer, so `relevance` is relative to its best hit, and
that one's is the part of the words asked for that it has: 1 means all of them, and none better.
"""

from collections.abc import Sequence

from hansard.kernel.engine import Hit, Position, ReadTx, Row
from hansard.kernel.operation import Context
from hansard.kernel.page import from_cursor, to_cursor
from hansard.kernel.problem import InvalidInput
from hansard.kernel.snippet import snippet
from hansard.kernel.words import query_stems, stems
from hansard.records import answers, contract, limits, reading
from hansard.records.filters import of_kind
from hansard.records.views import RECORDS, WORDS, labels, subtree


def search_records(request: contract.SearchRecords, context: Context) -> answers.SearchResults:
    """Find records, best first. Any query is answered; one without words finds nothing."""
    first = _first(request.cursor)

    def work(tx: ReadTx) -> answers.SearchResults:
        where = of_kind(request.states, request.types)
        if request.parent_id is not None:
            where["path"] = subtree(reading.require(tx, request.parent_id)["path"])
        hits = tx.search(WORDS, request.query, where=where, limit=limits.SEARCH_HITS_MAX)
        until = first + request.limit
        return answers.SearchResults(
            results=_results(tx, request.query, hits[0], hits[first:until]) if hits else [],
            total=len(hits),
            total_is_exact=len(hits) < limits.SEARCH_HITS_MAX,
            nextCursor=to_cursor(Position(until, "")) if until < len(hits) else None,
        )

    return context.read(work)


def _first(cursor: str | None) -> int:
    position = from_cursor(cursor)
    if position is None:
        return 0
    if not isinstance(position.value, int) or not 0 <= position.value <= limits.SEARCH_HITS_MAX:
        raise InvalidInput("cursor: not one that a list returned", argument="cursor")
    return position.value


def _results(tx: ReadTx, query: str, best: Hit, hits: Sequence[Hit]) -> list[answers.RecordFound]:
    coverage = _coverage(query, _text(tx, _row(tx, best)))
    return [_found(tx, query, hit, coverage * hit.score / best.score) for hit in hits]


def _found(tx: ReadTx, query: str, hit: Hit, relevance: float) -> answers.RecordFound:
    row = _row(tx, hit)
    return answers.RecordFound(
        **dict(reading.ref(tx, row)),
        relevance=round(relevance, 3),
        snippet=snippet(_text(tx, row), query, chars=limits.SNIPPET_CHARS),
    )


def _row(tx: ReadTx, hit: Hit) -> Row:
    row = tx.get(RECORDS, hit.key)
    assert row is not None, f"{hit.key} is indexed but is not a record"
    return row


def _text(tx: ReadTx, row: Row) -> str:
    whole = "\n".join([row["title"], row["summary"], reading.body(tx, row), labels(row)])
    return whole[: limits.SNIPPET_TEXT_CHARS_MAX]


def _coverage(query: str, text: str) -> float:
    """Say which part of the words asked for a text has: at least one, since it was found."""
    asked = query_stems(query)
    there = set(stems(text))
    return max(sum(word in there for word in asked), 1) / len(asked)
