"""The heads that a thread has read, as long as they may belong to one snapshot."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hansard.engines.postgres.connections import Connection
from hansard.engines.postgres.heads import ask_head, ask_heads, found_head, found_heads
from hansard.engines.postgres.row_cache import Mark, RowCache
from hansard.engines.postgres.schema import Names

ALSO_MAX = 8
"""How many recently used projects are fetched along with the first of a call: otherwise each would
cost a round trip of its own, and in the same one they cost hardly anything."""


class HeadCache(threading.local):
    """What a thread need not ask for again until it writes, or asks for a lock."""

    def __init__(self, names: Names, hot: RowCache) -> None:
        """Start with nothing kept in any thread."""
        self._names = names
        self._hot = hot
        self._heads: dict[str, Mark] | None = None

    @contextmanager
    def lasting(self) -> Iterator[None]:
        """Reuse the first read of each project for those after it; an outer block continues."""
        if self._heads is not None:
            yield
            return
        self._heads = {}
        try:
            yield
        finally:
            self._heads = None

    def end(self) -> None:
        """Make the next read of each project ask for its head again."""
        if self._heads is not None:
            self._heads = {}

    def ask(self, connection: Connection) -> Callable[[], None]:
        """Ask for the heads of projects that were used of late; answered, they stand."""
        projects = self._hot.recent(1 + ALSO_MAX) if self._heads is not None else []
        if not projects:
            return lambda: None
        asked = ask_heads(connection, self._names, projects)

        def stand() -> None:
            self._heads = found_heads(asked, projects)

        return stand

    def find(self, connection: Connection, project: str) -> Mark:
        """Give a project's head, as it is or as this thread has found it."""
        if self._heads is None:
            return found_head(ask_head(connection, self._names, project), project)
        if project not in self._heads:
            projects = [project, *self._hot.recent(ALSO_MAX)]
            asked = ask_heads(connection, self._names, projects)
            self._heads = found_heads(asked, projects) | self._heads
        return self._heads[project]
