"""The seam between capabilities, which have texts, and what finds texts by their meaning.

A capability says which passages its events make or unmake. A follower embeds them at its own pace,
so what is found by meaning may be stale: whoever asks checks each hit against the tables.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from hansard.kernel.blob import Digest
from hansard.kernel.engine import Hit
from hansard.kernel.event import Event


@dataclass(frozen=True, slots=True)
class Passage:
    """The text that a document is found by, under the same key as in the full-text topic."""

    topic: str
    key: str
    text: str | None
    """`None` takes it away."""


ReadContent = Callable[[Digest], bytes]

Passages = Mapping[type[Event], Callable[[Any, ReadContent], Iterable[Passage]]]
"""By kind of event: the passages that follow from it."""


class Meanings(Protocol):
    """Finds documents that mean what a query means."""

    name: str
    """The embedder, as every search answer shows it; `none` where there is none."""

    def nearest(self, project: str, topic: str, query: str, *, limit: int) -> list[Hit]:
        """Find the nearest documents of a topic, best first; scores are cosines.

        Called outside any transaction, since embedding the query takes milliseconds.
        """

    def lag(self, project: str) -> int:
        """Say how many entries of the project are yet to be looked at."""


class NoMeanings:
    """What a Hansard without an embedder has: words only."""

    name = "none"

    def nearest(self, project: str, topic: str, query: str, *, limit: int) -> list[Hit]:
        """Find nothing."""
        del project, topic, query, limit
        return []

    def lag(self, project: str) -> int:
        """Be never behind."""
        del project
        return 0
