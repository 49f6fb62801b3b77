"""Defaults for an engine that caches nothing."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path


class Uncached:
    """An engine to which asking is cheap, so that it remembers nothing."""

    derived: Path | None = None

    def steady(self) -> AbstractContextManager[None]:
        return nullcontext()

    def forget(self) -> None:
        """Nothing is remembered."""
