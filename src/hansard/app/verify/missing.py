"""Missing blobs: an entry names them, nothing released them, and they are not there.

What was collected is forgiven until an entry names it again. Only what is missing is remembered, so
that a sound journal of any length takes no room.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice

from hansard.kernel.blob import Digest

ASKED_MAX = 1_000
"""How many blobs are asked for at a time."""

Kept = Callable[[Collection[Digest]], Collection[Digest]]
"""Says which of these are kept."""


class Missing:
    """Blobs that should be there, each with the first entry to name it since it was let go."""

    def __init__(self) -> None:
        """Miss nothing yet."""
        self.by: dict[Digest, int] = {}
        self._said: list[tuple[Digest, int | None]] = []
        """What entries said in turn that was not looked up yet: who names it, or that it went."""

    def name(self, digests: Iterable[Digest], seq: int) -> None:
        """Note what an entry names."""
        self._said += ((digest, seq) for digest in digests)

    def let_go(self, digests: Iterable[str]) -> None:
        """Note what an entry says was collected."""
        self._said += ((Digest(digest), None) for digest in digests)

    def look_up(self, kept: Kept) -> None:
        """Find out what of all this is missing."""
        names = {digest for digest, seq in self._said if seq is not None}
        absent = {one for some in _portions(names) for one in some.difference(kept(some))}
        for digest, seq in self._said:
            if seq is None:
                self.by.pop(digest, None)
            elif digest in absent:
                self.by.setdefault(digest, seq)
        self._said.clear()


def _portions(digests: Collection[Digest]) -> Iterator[set[Digest]]:
    left = iter(digests)
    while portion := set(islice(left, ASKED_MAX)):
        yield portion
