"""Search over everything: each kind has rules of its own, and one ranking orders all hits.

Scores of different indexes do not compare. So each hit gets a relevance in 0..1: the share of the
query's words that the best hit of its kind has (or how near that is in meaning), times how the hit
compares with the best.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import Literal

from hansard.app import search_facts, search_sources, search_spelling
from hansard.app.search_answers import (
    CURRENT,
    HITS_MAX,
    OLD,
    Kind,
    Narrow,
    SearchRequest,
    Thing,
    ThingsFoundAnswer,
)
from hansard.app.search_contents import HeldLine, HeldTexts, contexts, files
from hansard.app.search_facts import Facts
from hansard.decisions.contract import SearchDecisions
from hansard.decisions.git import history
from hansard.decisions.ranking import ACTIVE_BONUS
from hansard.decisions.search import Searching
from hansard.decisions.tables import WORDS as DECISION_WORDS
from hansard.entities import places as entity_places
from hansard.entities.reading import FoundEntity, found, texts_of
from hansard.entities.views import WORDS as ENTITY_WORDS
from hansard.kernel.cursor import from_cursor, refused, to_cursor
from hansard.kernel.engine import Hit, Position, ReadTx, Row, Topic, Where
from hansard.kernel.meaning import Meanings
from hansard.kernel.operation import Capability, Context, Operation
from hansard.kernel.query_meaning import near, today
from hansard.kernel.rank_fusion import fuse, weight_for
from hansard.kernel.snippet import snippet
from hansard.kernel.spelling import doubtful
from hansard.kernel.surroundings import remembered, surroundings
from hansard.kernel.words import coverage, is_name, query_stems, shown_words
from hansard.records.budget import Budget
from hansard.records.contract import SearchRecords
from hansard.records.search import search_records
from hansard.records.views import WORDS as RECORD_WORDS

WORDS_SHOWN_MAX = 8

TOPICS: Mapping[Kind, Topic] = {
    "record": RECORD_WORDS,
    "decision": DECISION_WORDS,
    "timeline": search_sources.WORDS,
    "file": search_sources.WORDS,
    "checkpoint": search_sources.WORDS,
    "entity": ENTITY_WORDS,
    "commit": history.COMMIT_WORDS,
}
"""By kind, the topic that indexes its words."""

LITTLE = 3
FEW_WORDS = 3
"""A word may be mistyped if no more than this was found by words, or asked for with it."""

LOOKED_AT = 20
"""How many hits are checked for the words of the query."""

NAME_SHARE = 0.9
"""The weight of a match in only the name of a file or checkpoint.

Matches in texts come first, unless the query itself is a name or a path.
"""

Source = Callable[[str, Context, int], Sequence[Thing]]
"""Finds things of one kind, given the query, its context and a limit."""


def capability(meanings: Meanings) -> Capability:
    """Make the capability that spans the others."""
    everything = Everything(meanings)
    operation = Operation(
        "search",
        "Search all, or only kinds.",
        SearchRequest,
        ThingsFoundAnswer,
        everything.search,
        writes=False,
        gives_context=True,
        toolsets=("core", "default"),
    )
    return Capability("search", (operation,), views=(search_sources.VIEW,))


@dataclass(frozen=True, slots=True)
class Everything:
    """Searches all kinds."""

    meanings: Meanings
    contents: HeldTexts = field(default_factory=HeldTexts)

    def search(self, request: SearchRequest, context: Context) -> ThingsFoundAnswer:
        """Find things, best first. Any query is answered."""
        first = _first(request.cursor)
        until = first + request.limit
        # With a filter, the wanted hits may be far behind unwanted ones.
        most = HITS_MAX if request.where else min(until + 1, HITS_MAX)
        query, instead = request.query, dict[str, str]()
        things = self._found(request, query, context, most)
        if words := _doubted(query, things):
            kinds = request.kinds or list(TOPICS)
            topics = list({TOPICS[kind].name: TOPICS[kind] for kind in kinds}.values())
            instead = context.read(lambda tx: search_spelling.corrections(tx, topics, words))
        if instead:
            query = search_spelling.corrected(query, instead)
            things = self._found(request, query, context, most)
            instead = _as_written(instead, things)
        shown = context.read(partial(_shown, found=things[first:until], query=query))
        fitting = _fitting(shown, request.budget_tokens)
        end = first + len(fitting)
        has_more = len(things) > end and end < HITS_MAX
        return ThingsFoundAnswer(
            results=fitting,
            left_out=len(shown) - len(fitting),
            corrected=instead or None,
            nextCursor=to_cursor(Position(end, "")) if has_more else None,
            index=self.meanings.name,
            index_lag=self.meanings.lag(context.project),
        )

    def _found(
        self, request: SearchRequest, query: str, context: Context, most: int
    ) -> list[Thing]:
        """Find things of all kinds asked for, best first."""
        sources = self._sources()
        placed = [
            (place, thing)
            for kind in dict.fromkeys(request.kinds or sources)
            for place, thing in enumerate(sources[kind](query, context, most))
        ]
        # Scores are shown rounded: equals of a kind keep the order in which they were found.
        placed.sort(key=lambda one: (-one[1].score, one[1].status == OLD, one[0], one[1].kind))
        things = [thing for _, thing in placed]
        if request.where:
            things = context.read(partial(_narrowed, found=things, where=request.where))
        return things

    def _sources(self) -> Mapping[Kind, Source]:
        return {
            "record": self._records,
            "decision": self._decisions,
            "timeline": _timeline,
            "file": self._files,
            "checkpoint": self._checkpoints,
            "entity": self._entities,
            "commit": _commits,
        }

    def _records(self, query: str, context: Context, limit: int) -> list[Thing]:
        request = SearchRecords(query=query, limit=limit)
        return [
            Thing(
                kind="record",
                id=one.id,
                title=one.title,
                snippet=one.snippet,
                score=one.relevance,
                status=one.state,
            )
            for one in search_records(request, context, self.meanings).results
        ]

    def _decisions(self, query: str, context: Context, limit: int) -> list[Thing]:
        request = SearchDecisions(query=query, limit=limit)
        found = Searching(self.meanings).search(request, context).results
        if not found:
            return []
        # The bonus for being active counts among decisions only.
        scores = [one.score - (ACTIVE_BONUS if one.status == "active" else 0) for one in found]
        said = f"{found[0].title} {found[0].target} {found[0].preview}"
        by_words = coverage(query, said) if shown_words(query, said) else 0.0
        share = max(scores[0], by_words) / scores[0] if scores[0] > 0 else 1.0
        # What no longer holds never comes before what does, however well it matches.
        falling = accumulate((min(score * share, 1.0) for score in scores), min)
        return [
            Thing(
                kind="decision",
                id=one.id,
                title=one.title,
                snippet=one.preview,
                score=round(score, 3),
                status=one.status,
            )
            for one, score in zip(found, falling, strict=True)
        ]

    def _files(self, query: str, context: Context, limit: int) -> list[Thing]:
        def work(tx: ReadTx) -> list[Thing]:
            named = {one.id: one for one in _named(tx, "file", query, limit)}
            for held in self.contents.find(tx, files(tx), query, limit=limit):
                key = f"path:{held.name}"
                known = named.get(key) or Thing(
                    kind="file", id=key, title=held.name, snippet="", score=0
                )
                named[key] = _with_line(known, held).model_copy(update={"line": held.line})
            return sorted(named.values(), key=lambda one: -one.score)[:limit]

        return context.read(work)

    def _checkpoints(self, query: str, context: Context, limit: int) -> list[Thing]:
        def work(tx: ReadTx) -> list[Thing]:
            named = {one.id: one for one in _named(tx, "checkpoint", query, limit)}
            for held in self.contents.find(tx, contexts(tx), query, limit=limit):
                row = tx.get(search_sources.THINGS, held.name)
                assert row is not None, f"{held.name} is a checkpoint that cannot be found"
                known = named.get(held.name) or _thing("checkpoint", held.name, row, query, 0)
                named[held.name] = _with_line(known, held)
            return sorted(named.values(), key=lambda one: -one.score)[:limit]

        return context.read(work)

    def _entities(self, query: str, context: Context, limit: int) -> list[Thing]:
        # The same number for every page, so that the next page continues the same order.
        meant = near(self.meanings, ENTITY_WORDS, query, context, limit=HITS_MAX, texts=texts_of)

        def work(tx: ReadTx) -> list[Thing]:
            words = tx.search(ENTITY_WORDS, query, limit=HITS_MAX)
            look = remembered(partial(entity_places.places, tx))
            around = surroundings(query, look, today(context))
            best = partial(_best, query, words, meant.hits)
            weight = weight_for(query)
            fused = fuse(words, meant.hits, around, weight=weight, alike=meant.alike)
            return _listed(tx, query, fused, best, limit)

        return context.read(work)


def _narrowed(tx: ReadTx, found: Sequence[Thing], where: Narrow) -> list[Thing]:
    return [one for one in found if where.has(one, search_facts.facts(tx, one.kind, one.id))]


def _shown(tx: ReadTx, found: Sequence[Thing], query: str) -> list[Thing]:
    """Add to hits who is behind them, when, what holds instead, and the words that matched."""
    return [_signed(one, search_facts.facts(tx, one.kind, one.id), query) for one in found]


def _doubted(query: str, found: Sequence[Thing]) -> list[str]:
    """Give the words that may be mistyped, judging by what was found."""
    texts = [f"{one.title} {one.snippet}" for one in found[:LOOKED_AT]]
    is_little = sum(bool(shown_words(query, text)) for text in texts) < LITTLE
    if not is_little and len(query_stems(query)) > FEW_WORDS:
        return []
    return doubtful(query, texts)


def _as_written(instead: Mapping[str, str], found: Sequence[Thing]) -> dict[str, str]:
    """Give the words that were probably meant, in a form that the hits contain."""
    text = " ".join(f"{one.title} {one.snippet}" for one in found[:LOOKED_AT])
    forms = {
        word: [one.casefold() for one in shown_words(meant, text)]
        for word, meant in instead.items()
    }
    return {
        word: meant if meant in forms[word] or not forms[word] else forms[word][0]
        for word, meant in instead.items()
    }


def _fitting(shown: Sequence[Thing], tokens: int) -> list[Thing]:
    """Give the best hits that fit a budget, and the very best in any case."""
    return list(Budget(tokens).take_while(shown)) or list(shown[:1])


def _signed(thing: Thing, known: Facts, query: str) -> Thing:
    return thing.model_copy(
        update={
            "author": known.author,
            "at": known.at,
            "instead": thing.instead or known.instead,
            "words": tuple(shown_words(query, f"{thing.title} {thing.snippet}")[:WORDS_SHOWN_MAX]),
        }
    )


def _listed(
    tx: ReadTx,
    query: str,
    hits: Sequence[Hit],
    best: Callable[[Hit, FoundEntity], float],
    limit: int,
) -> list[Thing]:
    """Put entities into one order; an old version leads to the current one, which precedes it."""
    listed: dict[str, Thing] = {}
    share = 0.0
    for hit in hits:
        entity = found(tx, hit.key)
        # Something found by meaning may be gone by now.
        if entity is None:
            continue
        share = share or best(hit, entity) / (hit.score or 1.0)
        for key in (entity.current_id or hit.key, hit.key):
            if key not in listed and (shown := found(tx, key)):
                listed[key] = _entity(key, shown, query, round(share * hit.score, 3))
        if len(listed) >= limit:
            break
    return list(listed.values())[:limit]


def _best(
    query: str, words: Sequence[Hit], meant: Sequence[Hit], hit: Hit, entity: FoundEntity
) -> float:
    """Say how relevant the first is: by its words, its meaning, or only by its neighbours."""
    has_words = any(one.key == hit.key for one in words)
    by_words = coverage(query, f"{entity.title} {entity.text}") if has_words else 0.0
    by_meaning = (one.score for one in meant if one.key == hit.key)
    return min(max([by_words, *by_meaning]) or hit.score, 1.0)


def _timeline(query: str, context: Context, limit: int) -> list[Thing]:
    return context.read(lambda tx: _named(tx, "timeline", query, limit))


def _named(
    tx: ReadTx, kind: Literal["timeline", "file", "checkpoint"], query: str, limit: int
) -> list[Thing]:
    """Find things by what they are called."""
    share = 1.0 if kind == "timeline" or is_name(query) else NAME_SHARE
    named = _by_words(tx, search_sources.WORDS, query, _words_of, limit=limit, kind=kind)
    return [_thing(kind, key, row, query, share * score) for key, row, score in named]


def _thing(kind: Kind, key: str, row: Row, query: str, score: float) -> Thing:
    return Thing(
        kind=kind,
        id=key,
        title=row["title"],
        snippet=snippet(row["title"], query),
        score=round(score, 3),
        session=row["session"],
    )


def _with_line(known: Thing, held: HeldLine) -> Thing:
    """Give the line of a hit that matched."""
    score = max(known.score, held.relevance)
    return known.model_copy(update={"snippet": held.text, "score": score})


def _entity(key: str, entity: FoundEntity, query: str, score: float) -> Thing:
    is_version = entity.current_id is not None
    return Thing(
        kind="entity",
        id=key,
        title=entity.title or entity.type,
        snippet=snippet(f"{entity.title} {entity.text}", query),
        score=score,
        status=(CURRENT if entity.current_id == key else OLD) if is_version else None,
        instead=entity.current_id if entity.current_id != key else None,
    )


def _commits(query: str, context: Context, limit: int) -> list[Thing]:
    def work(tx: ReadTx) -> list[Thing]:
        found = _by_words(tx, history.COMMIT_WORDS, query, _words_of_commit, limit=limit)
        return [
            Thing(
                kind="commit",
                id=f"commit:{key}",
                title=row["subject"],
                snippet=snippet(_words_of_commit(row), query),
                score=score,
            )
            for key, row, score in found
        ]

    return context.read(work)


def _by_words(
    tx: ReadTx,
    topic: Topic,
    query: str,
    words_of: Callable[[Row], str],
    *,
    limit: int,
    kind: str | None = None,
) -> Iterator[tuple[str, Row, float]]:
    """Find documents with their rows and how relevant they are."""
    where: Where | None = {"kind": kind} if kind else None
    hits = tx.search(topic, query, where=where, limit=limit)
    best = 0.0
    for hit in hits:
        row = tx.get(topic.table, hit.key)
        assert row is not None, f"{hit.key} is indexed but is not there"
        best = best or coverage(query, words_of(row))
        yield hit.key, row, round(best * hit.score / hits[0].score, 3)


def _words_of(row: Row) -> str:
    return f"{row['title']} {row['labels']}"


def _words_of_commit(row: Row) -> str:
    return " ".join([row["subject"], row["author"], *row["paths"]])


def _first(cursor: str | None) -> int:
    position = from_cursor(cursor)
    value = position.value if position else 0
    if not isinstance(value, int) or not 0 <= value <= HITS_MAX:
        raise refused()
    return value
