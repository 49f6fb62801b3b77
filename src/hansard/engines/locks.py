"""Locks that end only by release or with their process."""

from collections.abc import Callable

from hansard.kernel.engine import Lock, lock_lost


class ProcessLock:
    """A lock that this process has, and cannot lose while it lives."""

    def __init__(self, is_held: Callable[[], bool], release: Callable[[], None]) -> None:
        """Make the handle of a lock that was taken."""
        self._is_held = is_held
        self._release = release

    def __enter__(self) -> None:
        """Nothing is left to do: it was taken already."""

    def __exit__(self, *_: object) -> None:
        self._release()

    def is_ours(self) -> bool:
        """Whether it was not released."""
        return self._is_held()

    def renew(self) -> bool:
        """Say whether it is still held; only a release can lose it."""
        return self._is_held()


class UnderProcessLocks:
    """A transaction of an engine whose locks cannot be lost."""

    def require(self, lock: Lock) -> None:
        """Refuse to go on under a released lock."""
        if not lock.is_ours():
            raise lock_lost()

    def release(self, lock: Lock) -> None:
        """Leave it to the end of the lock's `with`, which asks nobody."""
