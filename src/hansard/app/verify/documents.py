"""The documents that searches read equal what the views derive from the journal."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Self

from hansard.app.verify.report import ViewDifference
from hansard.app.verify.scratch import room
from hansard.kernel import paging
from hansard.kernel.engine import Engine, ReadTx, Row, Schema, Table, Topic
from hansard.kernel.limits import ENTRIES_PAGE

NOBODY = ""
"""The project an engine names for a document that belongs to none."""

FOUND = Table("found_documents")
"""By topic and key: the mark of a document as it was found."""

SCHEMA = Schema((FOUND,))

WANTED = Table("wanted_documents")
"""By topic and key: the mark that a rebuild gives a document, `None` if it takes it away, and the
entry that made it so."""


def document_key(topic: Topic, key: str) -> str:
    """Name a document among those of all topics."""
    return f"{topic.name}\n{key}"


class Documents:
    """All documents of a store as one read found them, in a temporary store."""

    def __init__(self, aside: Engine, seqs: Mapping[str, int]) -> None:
        """Say where they lie, and how far each project was when that read began."""
        self.seqs = seqs
        self._aside = aside
        self._buffer: defaultdict[str, dict[str, Row]] = defaultdict(dict)
        self._nobodys: Counter[str] = Counter()

    @classmethod
    def looked(cls, engine: Engine, topics: Iterable[Topic], aside: Engine) -> Self:
        """Read them. What is written from now on is not compared, so writers are not waited for."""
        found = cls(aside, {project: head.seq for project, head in engine.heads().items()})
        for topic in topics:
            engine.marks(topic, partial(found._take, topic))
        found._lay_aside()
        return found

    def nobodys(self) -> Iterator[str]:
        """Say which documents belong to no project."""
        for topic, count in self._nobodys.items():
            yield f"{topic}: {count} documents of the full-text index are nobody's"

    def differences(self, project: str, wanted: ReadTx) -> Iterator[ViewDifference]:
        """Compare a project's documents with those that a rebuild makes."""
        return iter(self._aside.read(project, lambda found: list(self._differ(found, wanted))))

    def _take(self, topic: Topic, project: str, key: Any, mark: str) -> None:
        # A key that is no text was never written, so nobody looks for it.
        if project == NOBODY or not isinstance(key, str):
            self._nobodys[topic.name] += 1
            return
        self._buffer[project][document_key(topic, key)] = {"mark": mark}
        if len(self._buffer[project]) >= ENTRIES_PAGE:
            self._lay_aside()

    def _lay_aside(self) -> None:
        with room():
            for project, rows in self._buffer.items():
                self._aside.write(project, partial(_put_all, rows))
        self._buffer.clear()

    def _differ(self, found: ReadTx, wanted: ReadTx) -> Iterator[ViewDifference]:
        until = self.seqs.get(found.project, 0)
        for one in paging.rows(found, FOUND):
            noted = wanted.get(WANTED, one.key) or {"mark": None, "seq": 0}
            if noted["seq"] <= until and one.row["mark"] != noted["mark"]:
                yield _difference(one.key, one.row["mark"], noted["mark"])
        for one in paging.rows(wanted, WANTED):
            is_due = one.row["seq"] <= until and one.row["mark"] is not None
            if is_due and found.get(FOUND, one.key) is None:
                yield _difference(one.key, None, one.row["mark"])


def _put_all(rows: dict[str, Row], tx: Any) -> None:
    for key, row in rows.items():
        tx.put(FOUND, key, row, seq=1)


def _difference(name: str, found: str | None, wanted: str | None) -> ViewDifference:
    topic, _, key = name.partition("\n")
    what = "has other words than a rebuild gives it"
    if found is None:
        what = "is missing"
    elif wanted is None:
        what = "is there, and a rebuild does not make it"
    return ViewDifference(topic, f"{topic}: the document {key!r} {what}", key)
