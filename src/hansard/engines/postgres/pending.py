"""What a piece of work has changed and the server has not heard of yet.

Each change is a round trip if it is sent by itself; together they are one. Until then the work
reads its own rows here. A row that is changed twice is sent once, as it is in the end.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from hansard.engines.postgres.hot_rows import Kept, Place, Unknown

Statement = tuple[str, Sequence[Any]]
"""SQL and the values for its places."""


class PendingChanges:
    """Changes that are to be sent, in order, and the rows as they will be then."""

    def __init__(self) -> None:
        """Begin with none."""
        self.rows: dict[Place, Kept | Unknown] = {}
        """Every row that was seen or changed, as it stands after the changes."""
        self._changes: dict[Hashable, Sequence[Statement]] = {}

    def __len__(self) -> int:
        """Count what is to be sent."""
        return len(self._changes)

    def __contains__(self, what: Hashable) -> bool:
        """Whether something is to be done to a thing."""
        return what in self._changes

    def add(self, what: Hashable, *statements: Statement) -> None:
        """Change something; what was to be done to the same thing before need not be done."""
        self._changes.pop(what, None)
        self._changes[what] = statements

    def take(self) -> Iterator[Statement]:
        """Give all that is to be sent, once."""
        changes, self._changes = self._changes, {}
        for statements in changes.values():
            yield from statements
