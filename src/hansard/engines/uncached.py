"""Defaults for an engine that is near: it caches nothing, and its locks ask nobody."""

from collections.abc import Collection
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from hansard.kernel.engine import Lock


class Uncached:
    """An engine to which asking is cheap, so that it remembers nothing."""

    derived: Path | None = None

    def steady(self) -> AbstractContextManager[None]:
        return nullcontext()

    def are_ours(self, locks: Collection[Lock]) -> bool:
        return all(lock.is_ours() for lock in locks)

    def forget(self) -> None:
        """Nothing is remembered."""
