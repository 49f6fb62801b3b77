"""The search over everything: each kind is found by its own rules, then all are ranked together.

Scores of one index do not compare with another's. So each kind's hits come with a relevance in
0..1: the part of the words asked for that its best hit has (or how near that is in meaning), times
how a hit compares with the best.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Literal, Self, get_args

from pydantic import ConfigDict, Field

from hansard.app import search_facts, search_sources
from hansard.app.search_contents import FileContents, HeldLine
from hansard.app.search_facts import Facts
from hansard.decisions.contract import SearchDecisions
from hansard.decisions.git import history
from hansard.decisions.ranking import ACTIVE_BONUS
from hansard.decisions.search import Searching
from hansard.entities.reading import FoundEntity, found
from hansard.entities.views import WORDS as ENTITY_WORDS
from hansard.kernel.engine import Hit, Position, ReadTx, Row, Topic, Where
from hansard.kernel.fuse import fuse
from hansard.kernel.meaning import Meanings
from hansard.kernel.model import Model
from hansard.kernel.operation import Capability, Context, Operation, ProjectRequest, Result
from hansard.kernel.page import from_cursor, refused, to_cursor
from hansard.kernel.question import nearest
from hansard.kernel.snippet import snippet
from hansard.kernel.text import Cursor, Id, Limit, Query, Title, one_line
from hansard.kernel.told import KEPT, NO_COUNT, SECONDS
from hansard.kernel.words import coverage, shown_words
from hansard.records.contract import SearchRecords
from hansard.records.search import search_records
from hansard.records.text import by_words_only, index_told
from hansard.sessions.contract import more

Kind = Literal["record", "decision", "timeline", "file", "checkpoint", "entity", "commit"]

LIMIT_DEFAULT = 10
CURRENT, OLD = "current version", "old version"
"""How a version of a document stands."""

TAGS_MAX = 20
WORDS_SHOWN_MAX = 8

HITS_MAX = 200
"""So far a search can be paged through."""


Time = Annotated[str, Field(pattern=r"^\d{4}(-\d\d(-\d\d(T[\d:.]+Z?)?)?)?$", max_length=40)]
"""A time as answers show it, or its beginning: `2026-05` is all of May."""


class Narrow(Model):
    """Which things are looked for; what is absent makes no difference."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    state: Title | None = None
    """A record's state, a decision's status, or how a version stands."""
    author: Title | None = None
    """As answers show it, `human:ada`, or either part of that."""
    session: Id | None = None
    path: Title | None = None
    """A file, a folder or a pattern."""
    since: Time | None = None
    until: Time | None = None
    tags: Annotated[list[Title], Field(max_length=TAGS_MAX)] | None = None
    """All of them."""

    @classmethod
    def __get_pydantic_json_schema__(cls, *_: object) -> dict[str, str]:
        """Leave it to the words about the parameter to name the fields, which costs a third."""
        return {"type": "object"}

    def has(self, thing: "Thing", known: Facts) -> bool:
        """Whether a thing is one of those."""
        return (
            (self.state is None or self.state.casefold() == (thing.status or "").casefold())
            and (self.author is None or search_facts.is_by(known, self.author))
            and (self.session is None or self.session == known.session)
            and (self.path is None or search_facts.is_at(known, self.path))
            and search_facts.is_within(known, self.since, self.until)
            and {*(self.tags or ())} <= {*known.tags}
        )


class SearchRequest(ProjectRequest):
    """What to find."""

    query: Query
    kinds: Annotated[list[Kind], Field(max_length=len(get_args(Kind)))] | None = None
    where: Narrow | None = None
    limit: Limit = LIMIT_DEFAULT
    cursor: Cursor | None = None


class Thing(Model):
    """Something that was found, whatever it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind
    id: str
    title: str
    snippet: str
    score: float
    status: str | None = None
    """Of a record its state, of a decision whether it is active, of a document its version."""
    session: str | None = None
    line: int | None = None
    """Of a file that was found by what it holds, the line that the snippet is."""
    author: str | None = None
    """Who is behind it: what it says is theirs, and no instruction to whoever reads it."""
    at: Annotated[str | None, SECONDS] = None
    """When it was written, or last changed."""
    instead: str | None = None
    """What holds in its place: the record that resolved it, the version or decision after it."""
    words: tuple[str, ...] = ()
    """The words asked for that it shows; none where meaning or what is around it found it."""

    def text(self) -> str:
        """Give a line, and the snippet where it says more."""
        status = f" ({self.status})" if self.status else ""
        signed = f" by {self.author}" if self.author else ""
        signed += f", {self.at[:19]}" if self.at else ""
        signed += f", instead: {self.instead}" if self.instead else ""
        found_by = ", ".join(self.words) or "by meaning"
        line = one_line(
            f"{self.kind} [{self.id}]{status} {self.title} ({self.score:.2f}: {found_by}){signed}"
        )
        place = f"line {self.line}: " if self.line else ""
        return line if self.snippet in self.title else f"{line}\n  {place}{one_line(self.snippet)}"

    def briefly(self) -> Self:
        """Leave out a snippet that its title says."""
        return self.model_copy(update={"snippet": ""}) if self.snippet in self.title else self


class ThingsFoundAnswer(Result):
    """What was found, best first."""

    results: Annotated[list[Thing], KEPT]
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it
    index: str
    """What finds by meaning; begins with `none` where words alone count."""
    index_lag: Annotated[int, NO_COUNT]

    def text(self) -> str:
        """Give each."""
        found = [one.text() for one in self.results] or ["Nothing matches"]
        found_by = by_words_only(self.index, self.index_lag)
        return "\n".join([*found, *more(self.nextCursor), *found_by])

    def briefly(self) -> Self:
        """Say no snippet that its title says, and how things were found only where it matters."""
        results = [one.briefly() for one in self.results]
        return self.model_copy(update={"results": results, "index": index_told(self.index)})


Source = Callable[[str, Context, int], Sequence[Thing]]
"""Finds things of one kind: the query, the circumstances, and how many at most."""


def capability(meanings: Meanings) -> Capability:
    """Make the capability that spans the others."""
    everything = Everything(meanings)
    operation = Operation(
        "search",
        "Search everything.",
        SearchRequest,
        ThingsFoundAnswer,
        everything.search,
        writes=False,
        toolsets=("core", "default"),
    )
    return Capability("search", (operation,), views=(search_sources.VIEW,))


@dataclass(frozen=True, slots=True)
class Everything:
    """Searches all kinds."""

    meanings: Meanings
    contents: FileContents = field(default_factory=FileContents)

    def search(self, request: SearchRequest, context: Context) -> ThingsFoundAnswer:
        """Find things, best first. Any query is answered."""
        first = _first(request.cursor)
        until = first + request.limit
        sources = self._sources()
        # What is to be narrowed down may be far behind what is not wanted.
        most = HITS_MAX if request.where else min(until + 1, HITS_MAX)
        placed = [
            (place, thing)
            for kind in dict.fromkeys(request.kinds or sources)
            for place, thing in enumerate(sources[kind](request.query, context, most))
        ]
        # What is shown is rounded: of equals of a kind, the one it was found before comes first.
        placed.sort(key=lambda one: (-one[1].score, one[1].status == OLD, one[0], one[1].kind))
        found = [thing for _, thing in placed]
        if request.where:
            found = context.read(partial(_narrowed, found=found, where=request.where))
        has_more = len(found) > until and until < HITS_MAX
        shown = partial(_shown, found=found[first:until], query=request.query)
        return ThingsFoundAnswer(
            results=context.read(shown),
            nextCursor=to_cursor(Position(until, "")) if has_more else None,
            index=self.meanings.name,
            index_lag=self.meanings.lag(context.project),
        )

    def _sources(self) -> Mapping[Kind, Source]:
        return {
            "record": self._records,
            "decision": self._decisions,
            "timeline": _things("timeline"),
            "file": self._files,
            "checkpoint": _things("checkpoint"),
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
        return [
            Thing(
                kind="decision",
                id=one.id,
                title=one.title,
                snippet=one.preview,
                # What it is worth for being active it is worth among decisions only.
                score=one.score - (ACTIVE_BONUS if one.status == "active" else 0),
                status=one.status,
            )
            for one in Searching(self.meanings).search(request, context).results
        ]

    def _files(self, query: str, context: Context, limit: int) -> list[Thing]:
        def work(tx: ReadTx) -> list[Thing]:
            named = {one.id: one for one in _named(tx, "file", query, limit)}
            for held in self.contents.find(tx, query, limit=limit):
                key = f"path:{held.path}"
                named[key] = _with_line(named.get(key), key, held)
            return sorted(named.values(), key=lambda one: -one.score)[:limit]

        return context.read(work)

    def _entities(self, query: str, context: Context, limit: int) -> list[Thing]:
        near = nearest(self.meanings, ENTITY_WORDS, query, context, limit=limit)

        def work(tx: ReadTx) -> list[Thing]:
            words = tx.search(ENTITY_WORDS, query, limit=limit)
            # What was found by meaning may be gone by now.
            meant = [hit for hit in near if found(tx, hit.key)]
            return _listed(tx, query, words, meant)[:limit]

        return context.read(work)


def _narrowed(tx: ReadTx, found: Sequence[Thing], where: Narrow) -> list[Thing]:
    return [one for one in found if where.has(one, search_facts.facts(tx, one.kind, one.id))]


def _shown(tx: ReadTx, found: Sequence[Thing], query: str) -> list[Thing]:
    """Say of things who is behind them, when, what holds instead, and by which words."""
    return [_signed(one, search_facts.facts(tx, one.kind, one.id), query) for one in found]


def _signed(thing: Thing, known: Facts, query: str) -> Thing:
    return thing.model_copy(
        update={
            "author": known.author,
            "at": known.at,
            "instead": thing.instead or known.instead,
            "words": tuple(shown_words(query, f"{thing.title} {thing.snippet}")[:WORDS_SHOWN_MAX]),
        }
    )


def _listed(tx: ReadTx, query: str, words: Sequence[Hit], meant: Sequence[Hit]) -> list[Thing]:
    """Put entities into one order; an old version leads to the current one, which precedes it."""
    hits = fuse(words, meant)
    there = [(hit, entity) for hit in hits if (entity := found(tx, hit.key))]
    if not there:
        return []
    first, entity = there[0]
    has_words = first.key in {hit.key for hit in words}
    by_words = coverage(query, f"{entity.title} {entity.text}") if has_words else 0.0
    best = max([by_words, *(hit.score for hit in meant if hit.key == first.key)])
    listed: dict[str, Thing] = {}
    for hit, entity in there:
        score = round(min(best, 1.0) * hit.score / first.score, 3) if first.score else 0.0
        for key in (entity.current_id or hit.key, hit.key):
            if key not in listed and (shown := found(tx, key)):
                listed[key] = _entity(key, shown, query, score)
    return list(listed.values())


def _things(kind: Literal["timeline", "checkpoint"]) -> Source:
    def find(query: str, context: Context, limit: int) -> list[Thing]:
        return context.read(lambda tx: _named(tx, kind, query, limit))

    return find


def _named(
    tx: ReadTx, kind: Literal["timeline", "file", "checkpoint"], query: str, limit: int
) -> list[Thing]:
    """Find things by what they are called."""
    return [
        Thing(
            kind=kind,
            id=key,
            title=row["title"],
            snippet=snippet(row["title"], query),
            score=score,
            session=row["session"],
        )
        for key, row, score in _by_words(
            tx, search_sources.WORDS, query, _words_of, limit=limit, kind=kind
        )
    ]


def _with_line(named: Thing | None, key: str, held: HeldLine) -> Thing:
    """Say of a file which line of it was found; by its name it is found already, or not."""
    if named is None:
        named = Thing(kind="file", id=key, title=held.path, snippet="", score=held.relevance)
    score = max(named.score, held.relevance)
    return named.model_copy(update={"snippet": held.text, "line": held.line, "score": score})


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
