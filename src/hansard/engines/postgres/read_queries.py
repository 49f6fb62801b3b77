"""How a read queries PostgreSQL: only what is not cached, in one batch, from one snapshot."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, cast

from hansard.engines.postgres.connections import Connection, pipelined
from hansard.engines.postgres.heads import Asked, ask_head, asked_unmoved, found_head
from hansard.engines.postgres.object_store import Objects
from hansard.engines.postgres.prefetch import LackingError, Prefetch
from hansard.engines.postgres.query_trails import Asking, Step, Trails, asking
from hansard.engines.postgres.row_cache import (
    ROW_BYTES_MAX,
    UNKNOWN,
    Answer,
    Kept,
    Mark,
    Place,
    Question,
    RowCache,
    Unknown,
    asked_alike,
)
from hansard.engines.postgres.schema import Names
from hansard.engines.postgres.search import WITHOUT_WHOLE_TABLES, Ask
from hansard.kernel.blob import Blob
from hansard.kernel.engine import Topic
from hansard.kernel.event import Head

K = TypeVar("K", str, Blob)
T = TypeVar("T")

BEGIN_LOOK = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class MovedError(Exception):
    """The project was changed between two parts of one read, which must then start again."""


class PostgresReads:
    """What one read of a project has found so far on its connection, and how it asks for more.

    It begins with the head alone, and what is remembered of a project with that head is not asked
    for. With all else the head is asked for again: if it is the same, so was the project, and what
    was answered is of one state with what was found before. That takes no transaction.
    """

    def __init__(
        self,
        connection: Connection,
        names: Names,
        project: str,
        hot: RowCache,
        *,
        is_begun: bool = False,
        objects: Objects | None = None,
        find_head: Callable[[Connection, str], Mark] | None = None,
        trails: Trails | None = None,
    ) -> None:
        """`is_begun` says that a transaction guarantees that all is of one state.

        `find_head` may know a recent head, and `trails` what is asked next.
        """
        self.project = project
        self._connection = connection
        self._names = names
        self._hot = hot
        self._found: Mark | None = None
        self._is_begun = is_begun
        self._objects = objects
        self._find_head = find_head
        self._prefetch = Prefetch()
        self._trails = trails
        self._rows_ahead: dict[Hashable, Place] = {}
        """Of questions that are prefetched, those that are for one row each."""
        self.trail: dict[Step, None] = {}
        """What was asked so far."""

    def prefetch(self, *asks: Callable[[], object]) -> None:
        self._prefetch.prefetch(asks, self._asked_ahead)

    def head(self) -> Head:
        return self._at().head

    def _at(self) -> Mark:
        if self._found is None and self._find_head:
            self._found = self._find_head(self._connection, self.project)
        elif self._found is None:
            asked = ask_head(self._connection, self._names, self.project)
            self._found = found_head(asked, self.project)
        return self._found

    def _begin(self) -> None:
        """Begin a transaction that sees one state: the one whose head was found."""
        if self._is_begun:
            return
        seen = self._at()
        with pipelined(self._connection):
            self._connection.execute(BEGIN_LOOK)
            head = ask_head(self._connection, self._names, self.project)
        if found_head(head, self.project) != seen:
            raise MovedError
        self._is_begun = True

    def _remembered(self, place: Place, ask: Callable[[], K | None]) -> K | None:
        """Give what is remembered of a project with this head, or ask, and remember it."""
        found = self._known(place)
        if found is UNKNOWN:
            self._go_on(place)
            found = self._known(place)
        else:
            self.trail.setdefault(place)
        if found is UNKNOWN:
            asked = ask()
            self._learn(place, asked)
            return asked
        return cast("K | None", found)

    def _known(self, place: Place) -> Kept | Unknown:
        return self._hot.find(self.project, self._at(), place)

    def _learn(self, place: Place, found: Kept) -> None:
        self._hot.learn(self.project, self._at(), {place: found})

    def _all(self, about: str, statement: str, *values: Any) -> Answer:
        """Give what is remembered of a table of a project with this head, or ask, and remember."""
        self._go_on(asking(about, (statement, values)))
        [answer] = self._answers(about, [(statement, values)], self._asked)
        return answer

    def _answers(self, about: str, questions: Sequence[Question], ask: Ask) -> list[Answer]:
        where = self.project, self._at(), about
        known = {number: self._hot.answer(*where, one) for number, one in enumerate(questions)}
        unknown = [number for number, answer in known.items() if answer is None]
        asked = ask([questions[number] for number in unknown]) if unknown else []
        for number, answer in zip(unknown, asked, strict=True):
            self._hot.note(*where, questions[number], answer)
            known[number] = answer
        return [answer for answer in known.values() if answer is not None]

    def _go_on(self, step: Step) -> None:
        """Note what is asked; if it is lacking, ask for what followed it the last time, too."""
        self.trail.setdefault(step)
        if self._trails and not self._prefetch.is_on and self._lacks(step):
            ahead = [step, *self._trails.after(self.project, step, self.trail)]
            lacking = [one for one in ahead if self._lacks(one)]
            if len(lacking) > 1:
                self._fetch(lacking)

    def _lacks(self, step: Step) -> bool:
        if isinstance(step, Asking):
            where = self.project, self._at(), step.about
            return self._hot.answer(*where, step.question) is None
        return self._known(step) is UNKNOWN

    def _fetch(self, steps: Sequence[Step]) -> None:
        """Ask for rows and answers together, and remember them."""
        asks = [step for step in steps if isinstance(step, Asking)]
        keys: dict[str, list[str]] = {}
        for table, key in (step for step in steps if not isinstance(step, Asking)):
            keys.setdefault(table, []).append(key)
        digests = keys.pop(self._names.blobs, [])
        tables = sorted(keys)
        rows = [self._rows_question(tables, keys)] if keys else []
        blobs: list[Question] = [(self._small_blobs, (self.project, digests))] if digests else []
        found = self._asked([*rows, *blobs, *(step.question for step in asks)])
        there = (row for answer in found[: len(rows)] for row in answer)
        bodies = {(tables[number], key): body for number, key, body in there}
        for place in ((table, key) for table in tables for key in keys[table]):
            self._learn(place, bodies.get(place))
        for answer in found[len(rows) : len(rows) + len(blobs)]:
            for digest, *blob in answer:
                self._learn((self._names.blobs, digest), Blob(digest, *blob))
        for step, answer in zip(asks, found[len(rows) + len(blobs) :], strict=True):
            self._hot.note(self.project, self._at(), step.about, step.question, answer)

    def _rows_question(self, tables: Sequence[str], keys: Mapping[str, Sequence[str]]) -> Question:
        """Ask for rows of several tables in one statement, each with the number of its table."""
        parts = [
            f"SELECT {number}, key, body FROM {table} "
            f"WHERE project = %s AND key = ANY(%s){self._names.standing(table)}"
            for number, table in enumerate(tables)
        ]
        values = [value for table in tables for value in (self.project, keys[table])]
        return " UNION ALL ".join(parts), values

    @property
    def _small_blobs(self) -> str:
        return (
            f"SELECT digest, size, codec, packed, base, depth FROM {self._names.blobs} "
            "WHERE project = %s AND digest = ANY(%s) AND object IS NULL "
            f"AND octet_length(packed) <= {ROW_BYTES_MAX}"
        )

    def _ask(self, statement: str, *values: Any) -> Answer:
        [answer] = self._asked([(statement, values)])
        return answer

    def _row(self, place: Place) -> Answer:
        """Ask for one row."""
        table, key = place
        statement = f"SELECT body FROM {table} WHERE project = %s AND key = %s"
        question = statement + self._names.standing(table), (self.project, key)
        if self._prefetch.is_on:
            self._rows_ahead[asked_alike(question)] = place
        [answer] = self._asked([question])
        return answer

    def _asked_ahead(self, questions: Sequence[Question]) -> list[Answer]:
        """Ask what is prefetched, all rows of it in one statement."""
        places = [self._rows_ahead.get(asked_alike(question)) for question in questions]
        keys: dict[str, list[str]] = {}
        for table, key in filter(None, places):
            keys.setdefault(table, []).append(key)
        tables = sorted(keys)
        rows = [self._rows_question(tables, keys)] if keys else []
        others = (one for one, place in zip(questions, places, strict=True) if place is None)
        found = iter(self._asked([*rows, *others]))
        there = next(found) if rows else []
        bodies = {(tables[number], key): [(body,)] for number, key, body in there}
        return [next(found) if place is None else bodies.get(place, []) for place in places]

    def _asked(self, questions: Sequence[Question], *, prepare: bool | None = None) -> list[Answer]:
        """Ask the server, all together; or what is prefetched."""
        if self._prefetch.is_on:
            return self._prefetch.answers(questions)
        if self._is_begun:
            return self._sent(questions, prepare=prepare)
        *others, last = questions
        seen = asked_unmoved(self._names, self.project, self._at(), last)
        *answers, found = self._sent([*others, seen], prepare=prepare)
        if not found[0][0]:
            raise MovedError
        return [*answers, [row[2:] for row in found if row[1]]]

    def _sent(self, questions: Sequence[Question], *, prepare: bool | None) -> list[Answer]:
        """Send statements together."""

        def send() -> list[Asked]:
            run = partial(self._connection.execute, binary=True, prepare=prepare)
            return [run(statement.encode(), values) for statement, values in questions]

        return [cursor.fetchall() for cursor in self._in_one_trip(send, count=len(questions))]

    def _in_one_trip(self, send: Callable[[], T], *, count: int) -> T:
        """Send so many statements; one alone without a pipeline, which costs more than it does."""
        if count == 1:
            return send()
        with pipelined(self._connection):
            return send()

    def _planned(self, questions: Sequence[Question]) -> list[Answer]:
        """Run statements whose best plans depend on their values, together: none is prepared."""
        if self._prefetch.is_on:
            raise LackingError({})
        _, *answers = self._asked([(WITHOUT_WHOLE_TABLES, ()), *questions], prepare=False)
        return answers

    def _counted(self, topic: Topic, questions: Sequence[Question]) -> list[Answer]:
        """Run such statements about all documents of a topic, whatever their rows are."""
        return self._answers(self._names.topic(topic), questions, self._planned)
