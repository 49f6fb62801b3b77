"""The seam between capabilities, which have texts, and the index that finds texts by meaning.

A capability says which passages its events add or remove. A follower embeds them at its own pace,
so hits by meaning may be stale: the caller checks each hit against the tables.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hansard.kernel.blob import Digest
from hansard.kernel.content import content
from hansard.kernel.engine import Hit, ReadTx, Row, Table
from hansard.kernel.event import Event
from hansard.kernel.similarity import Likeness


@dataclass(frozen=True, slots=True)
class Passage:
    """The text that a document is found by, under the same key as in the full-text topic."""

    topic: str
    key: str
    text: str | None
    """`None` takes it away."""
    head: str | None = None
    """What the text is about, if that is to count as much as all of it."""


ReadContent = Callable[[Digest], bytes]


@dataclass(frozen=True, slots=True)
class Sources:
    """What passages are made of: what blobs hold, and rows as they stand when they are asked for.

    Rows may be later than the event. That is as it should be: a text that has been replaced in the
    meantime need not be embedded, and one that is replaced later is looked at again.
    """

    tx: ReadTx

    def __call__(self, digest: Digest) -> bytes:
        """Read what a blob holds."""
        return content(self.tx, digest)

    def row(self, table: Table, key: str) -> Row | None:
        """Read a row as it stands."""
        return self.tx.get(table, key)


Passages = Mapping[type[Event], Callable[[Any, Sources], Iterable[Passage]]]
"""By kind of event: the passages that follow from it.

`Sources` can be called like a `ReadContent`, so a function that needs only blobs may ask for that.
"""


class Meanings(Protocol):
    """Finds documents that mean what a query means."""

    @property
    def name(self) -> str:
        """Name the embedder, as every search answer shows it.

        It begins with `none` where there is none, or none that answers: then words alone count.
        """

    def nearest(
        self,
        project: str,
        topic: str,
        query: str,
        *,
        limit: int,
        are_alike: bool = False,
        about: str = "",
    ) -> list[Hit]:
        """Find the nearest documents of a topic, best first; scores are cosines.

        Where documents are alike, what they share says little: only what tells them apart counts.
        What they are all `about`, if the query says so, is taken off it too.

        Called outside any transaction, since embedding the query takes milliseconds. A document
        that is too far from the query to mean anything like it is not found, however few there are.
        """

    def alike(self, project: str, topic: str, query: str, keys: Sequence[str]) -> Likeness:
        """Say how similar the documents found for a query are to each other.

        Nothing is read or embedded for it, so it may be asked within a transaction. Empty if the
        query is near to none of them, or they are too large a part of all documents: then
        similarity means nothing.
        """

    def lag(self, project: str) -> int:
        """Say how many entries of the project are yet to be processed."""


class NoMeanings:
    """What a Hansard without an embedder has: words only."""

    name = "none"

    def nearest(
        self,
        project: str,
        topic: str,
        query: str,
        *,
        limit: int,
        are_alike: bool = False,
        about: str = "",
    ) -> list[Hit]:
        """Find nothing."""
        del project, topic, query, limit, are_alike, about
        return []

    def alike(self, project: str, topic: str, query: str, keys: Sequence[str]) -> Likeness:
        """Say nothing."""
        del project, topic, query, keys
        return ()

    def lag(self, project: str) -> int:
        """It keeps nothing, so it is never behind."""
        del project
        return 0
