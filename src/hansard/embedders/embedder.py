"""The interface of an embedder, which turns text into vectors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    """Some vectors of length 1, a row each."""


class EmbedderUnavailable(Exception):
    """The embedder cannot embed now; what it says is why, in a sentence without a full stop."""


class EmbedderRefused(EmbedderUnavailable):
    """The embedder does not take these texts, and would not take them later."""


class Embedder(Protocol):
    """Turns text into vectors that lie near each other where texts mean the same."""

    id: str
    """Names the model and how it is used. Vectors of two ids do not compare."""

    name: str
    """What people call it, in every search answer."""

    batch: int
    """How many texts to give it at a time when there are many."""

    def embed(self, texts: Sequence[str]) -> "list[Vectors]":
        """Embed texts. A long one becomes several vectors, its beginning first."""

    def embed_query(self, query: str) -> "Vectors":
        """Embed a query, as one vector and within a time that a person would wait."""

    def close(self) -> None:
        """End what is in progress, as if it were unavailable; nothing more will be asked."""
