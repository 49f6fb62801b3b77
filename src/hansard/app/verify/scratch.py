"""Where `verify` puts what it derives again: in memory, or in a temporary file if it is large."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hansard.engines.memory import MemoryEngine
from hansard.engines.sqlite import SqliteEngine
from hansard.engines.sqlite.errors import is_lack_of_room
from hansard.kernel.engine import Engine, Schema
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.temporary_files import NoTemporaryRoom, temporary_root

IN_MEMORY_ENTRIES_MAX = 1_000
"""What these make fits into memory anywhere; more goes into a temporary file."""


NAME = "scratch"


@dataclass(frozen=True, slots=True)
class Aside:
    """Where something is laid aside."""

    engine: Engine
    folder: Path | None
    """Where other processes find it; `None` if it is in memory."""


def shared(folder: Path, schema: Schema) -> Engine:
    """Open what another process has laid aside in a folder."""
    return SqliteEngine(folder / NAME, schema)


@contextmanager
def scratch(schema: Schema, *, entries: int, is_shared: bool = False) -> Iterator[Aside]:
    """Give an engine for a rebuild of this many entries; it is gone afterwards."""
    if entries <= IN_MEMORY_ENTRIES_MAX and not is_shared:
        yield Aside(MemoryEngine(schema), None)
        return
    made = tempfile.TemporaryDirectory(
        prefix="hansard-verify-", dir=temporary_root(), ignore_cleanup_errors=True
    )
    with made as folder:
        with room():
            engine = SqliteEngine(Path(folder) / NAME, schema)
        try:
            yield Aside(engine, Path(folder))
        finally:
            engine.close()


@contextmanager
def room() -> Iterator[None]:
    """Say of what cannot be laid aside that it is not the store that lacks the room."""
    try:
        yield
    except StorageUnavailable as problem:
        kind = NoTemporaryRoom if is_lack_of_room(problem) else StorageUnavailable
        raise kind(
            f"What is derived again cannot be laid aside to be compared: {problem.message}",
            hint="Make room where temporary files go, or name another folder in TMPDIR",
        ) from problem
