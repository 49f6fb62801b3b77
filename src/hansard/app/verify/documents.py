"""The documents: what searches look through is what the views make of the journal."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hansard.app.verify.report import Difference
from hansard.kernel.engine import Engine, Topic

NOBODY = ""
"""The project an engine names for a document that belongs to none."""


@dataclass(frozen=True, slots=True)
class Noted:
    """The mark a document should have, and the entry that made it so; `None` if it should go."""

    mark: str | None
    seq: int


Expected = Mapping[str, Mapping[str, Noted]]
"""By topic and key, the documents that a rebuild makes or takes away."""


class Documents:
    """All documents of a store as one look found them."""

    def __init__(self, engine: Engine, topics: Iterable[Topic]) -> None:
        """Look. What is written from now on is not compared, so writers are not waited for."""
        self._seqs = {project: head.seq for project, head in engine.heads().items()}
        self._marks: defaultdict[str, dict[str, dict[str, str]]] = defaultdict(dict)
        for topic in topics:
            marks: Mapping[tuple[str, Any], str] = engine.marks(topic)
            for (project, key), mark in marks.items():
                # A key that is no text was never written, so that nobody looks for it.
                owner = project if isinstance(key, str) else NOBODY
                self._marks[owner].setdefault(topic.name, {})[key] = mark

    def nobodys(self) -> Iterator[str]:
        """Say which documents belong to no project."""
        for topic, marks in self._marks.get(NOBODY, {}).items():
            yield f"{topic}: {len(marks)} documents of the full-text index are nobody's"

    def differences(self, project: str, expected: Expected) -> Iterator[Difference]:
        """Hold a project's documents against those that a rebuild makes."""
        marks = self._marks.get(project, {})
        for topic in sorted(marks.keys() | expected.keys()):
            found, wanted = marks.get(topic, {}), expected.get(topic, {})
            for key in sorted(found.keys() | wanted.keys()):
                noted = wanted.get(key, Noted(None, 0))
                if noted.seq <= self._seqs.get(project, 0) and found.get(key) != noted.mark:
                    yield _difference(topic, key, found.get(key), noted.mark)


def _difference(topic: str, key: str, found: str | None, wanted: str | None) -> Difference:
    what = "has other words than a rebuild gives it"
    if found is None:
        what = "is missing"
    elif wanted is None:
        what = "is there, and a rebuild does not make it"
    return Difference(topic, f"{topic}: the document {key!r} {what}", key)
