"""Locks of files, and what happens if one is lost during a change."""

from collections.abc import Callable, Collection, Iterable, Mapping

from hansard.kernel.engine import Lock
from hansard.kernel.problem import StorageUnavailable


class FileLocks:
    """The locks of some files, by the files' ids, from the first look at them to the outcome."""

    def __init__(self, locks: Mapping[str, Lock], owner_is_alive: Callable[..., bool]) -> None:
        """Keep locks that were taken.

        `owner_is_alive` says whether their owner lives and has the locks that it is asked about.
        """
        self._locks = locks
        self._owner_is_alive = owner_is_alive

    @property
    def files(self) -> Collection[str]:
        """The files that they are of."""
        return self._locks.keys()

    def each(self) -> Collection[Lock]:
        """Give them all."""
        return self._locks.values()

    def require(self, files: Iterable[str]) -> None:
        """Refuse to touch files that others may have changed since we first looked."""
        if self._owner_is_alive(*(self._locks[file] for file in files)):
            return
        raise StorageUnavailable(
            "The connection that held the locks on the files was lost, so others may be at them",
            hint="Nothing was changed; ask again",
            outcome="unchanged",
        )
