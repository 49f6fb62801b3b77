"""Where what is derived again to be compared lies meanwhile: in memory, or beside it if large."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hansard.engines.memory import MemoryEngine
from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.engine import Engine, Schema
from hansard.kernel.problem import StorageUnavailable

IN_MEMORY_ENTRIES_MAX = 1_000
"""What these make fits into memory anywhere; more goes into a temporary file."""


@contextmanager
def scratch(schema: Schema, *, entries: int) -> Iterator[Engine]:
    """Give an engine for what so many entries make; it is gone afterwards."""
    if entries <= IN_MEMORY_ENTRIES_MAX:
        yield MemoryEngine(schema)
        return
    made = tempfile.TemporaryDirectory(prefix="hansard-verify-", ignore_cleanup_errors=True)
    with made as folder:
        with room():
            engine = SqliteEngine(Path(folder) / "scratch", schema)
        try:
            yield engine
        finally:
            engine.close()


@contextmanager
def room() -> Iterator[None]:
    """Say of what cannot be laid aside that it is not the store that lacks the room."""
    try:
        yield
    except StorageUnavailable as problem:
        raise StorageUnavailable(
            f"What is derived again cannot be laid aside to be compared: {problem.message}",
            hint="Make room where temporary files go, or name another folder in TMPDIR",
        ) from problem
