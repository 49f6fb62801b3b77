"""Changes of a piece of work that have not been sent to the server yet.

Sent alone, each change is a round trip; together they are one, with few statements. Until then the
work reads its own rows here. A row that changes twice is sent once, in its final state. What is
removed goes first, then what is inserted; within each, order has no meaning, since
no two changes are of the same row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hansard.engines.postgres.leases import PostgresLock
from hansard.engines.postgres.row_cache import Kept, Place, Unknown
from hansard.kernel.blob import Blob, Digest

Statement = tuple[str, Sequence[Any]]
"""SQL and the values for its places."""

TOGETHER_MAX = 40
"""The most changes in one statement. More are rare, and a statement for each number of rows would
be planned each time and evict the plans of the statements that recur."""

FIRST_PART = "c0"
"""What the first part of a statement of several is called in it."""

ROWS_MAX = 200
"""How many rows one statement inserts."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """A row to be inserted."""

    into: str
    """`INSERT INTO` with its columns, the same for all rows of a kind, as is `otherwise`."""
    places: str
    values: Sequence[Any]
    otherwise: str
    """What to do where the row is there."""


class RowVersions:
    """What is to become of a row with history, by the entry that changes it."""

    def __init__(self, ending: Statement | None, deleting: Statement) -> None:
        """Take what ends the current version, and what removes one that began just now."""
        self._ending = ending
        self._deleting = deleting
        self._by_seq: dict[int, Insertion | None] = {}

    def __len__(self) -> int:
        """Count the entries that change it."""
        return len(self._by_seq)

    def copy(self) -> "RowVersions":
        """Copy it, to change the copy alone."""
        copied = RowVersions(self._ending, self._deleting)
        copied._by_seq.update(self._by_seq)
        return copied

    def put(self, seq: int, row: Insertion | None) -> None:
        """Set the row, or with `None` take it away; what the same entry did before is replaced.

        All values of a version are given but the last, which is where it ends.
        """
        assert seq >= max(self._by_seq, default=0), "a row's past is told in order"
        self._by_seq[seq] = row

    @property
    def only_adds(self) -> bool:
        """Whether no room has to be made for the first of these."""
        return self._ending is None and next(iter(self._by_seq.values())) is not None

    def removals(self) -> Iterator[Statement]:
        """Make room for the first of these."""
        if self._ending:
            yield self._ending
        if next(iter(self._by_seq.values())) is None:
            yield self._deleting

    def insertions(self) -> Iterator[Insertion]:
        """Give the versions that there are to be, each ending where the next change is."""
        ends = [*self._by_seq, None][1:]
        for row, end in zip(self._by_seq.values(), ends, strict=True):
            if row is not None:
                yield Insertion(row.into, row.places, (*row.values, end), row.otherwise)


class WriteBuffer:
    """Changes that are to be sent, and the rows as they will be then."""

    def __init__(self) -> None:
        """Begin with none."""
        self.rows: dict[Place, Kept | Unknown] = {}
        """Every row that was seen or changed, as it stands after the changes."""
        self._changes: dict[Place, Insertion | Statement | RowVersions] = {}
        self._count = 0
        self.fences: list[tuple[str, int]] = []
        """Names and numbers of locks that we must still hold when this is sent."""
        self.released: list[PostgresLock] = []
        """Locks whose rows go with this."""
        self.blobs: dict[Digest, Blob] = {}
        """Those that wait to be sent."""
        self.blob_bytes = 0
        """How many bytes these have."""

    def copy(self) -> "WriteBuffer":
        """Copy it, so that what is added to the copy can be dropped again."""
        copied = WriteBuffer()
        copied.rows = dict(self.rows)
        copied._changes = {
            place: change.copy() if isinstance(change, RowVersions) else change
            for place, change in self._changes.items()
        }
        copied._count = self._count
        copied.fences, copied.released = list(self.fences), list(self.released)
        copied.blobs, copied.blob_bytes = dict(self.blobs), self.blob_bytes
        return copied

    def __len__(self) -> int:
        """Count what is to be sent."""
        return self._count

    def __bool__(self) -> bool:
        """Whether anything is to be sent."""
        return bool(self._changes or self.fences)

    @property
    def only_inserts(self) -> bool:
        """Whether nothing is to be removed or made sure of, and all is one statement."""
        return (
            not self.fences
            and self._count <= TOGETHER_MAX
            and all(
                isinstance(change, Insertion)
                or (isinstance(change, RowVersions) and change.only_adds)
                for change in self._changes.values()
            )
        )

    def add(self, place: Place, change: Insertion | Statement | RowVersions) -> None:
        """Change something; an earlier unsent change of the same thing is dropped."""
        self._changes.pop(place, None)
        self._changes[place] = change
        self._count += 1

    def versions(self, place: Place) -> RowVersions | None:
        """Give what is to become of a row whose past is kept, to add to it."""
        versions = self._changes.get(place)
        if versions is not None:
            assert isinstance(versions, RowVersions), "a row whose past is kept"
            self._count += 1
        return versions

    def take(self, last: Statement | None = None) -> Iterator[Statement]:
        """Give all that is to be sent, once, and `last` with the last of it."""
        changes = self._taken()
        removals, insertions = list[Statement](), list[Insertion]()
        for change in changes.values():
            if isinstance(change, RowVersions):
                removals += change.removals()
                insertions += change.insertions()
            elif isinstance(change, Insertion):
                insertions.append(change)
            else:
                removals.append(change)
        yield from _together(removals) if len(removals) <= TOGETHER_MAX else removals
        inserting = list(_inserting(insertions))
        more = [last] if last else []
        if len(insertions) <= TOGETHER_MAX:
            yield from _together([*inserting, *more])
        else:
            yield from [*inserting, *more]

    def take_whole(self, first: Statement, last: str) -> Statement:
        """Give all that is to be sent, once, where all of it only inserts: as one statement."""
        insertions = list[Insertion]()
        for change in self._taken().values():
            if isinstance(change, RowVersions):
                insertions += change.insertions()
            elif isinstance(change, Insertion):
                insertions.append(change)
        [whole] = _together([first, *_inserting(insertions), (last, ())])
        return whole

    def _taken(self) -> dict[Place, Insertion | Statement | RowVersions]:
        changes, self._changes, self._count = self._changes, {}, 0
        self.blobs, self.blob_bytes = {}, 0
        return changes


def _inserting(insertions: Sequence[Insertion]) -> Iterator[Statement]:
    """Insert rows of the same kind together."""
    kinds: dict[tuple[str, str], list[Insertion]] = {}
    for one in insertions:
        kinds.setdefault((one.into, one.otherwise), []).append(one)
    for (into, otherwise), rows in kinds.items():
        for start in range(0, len(rows), ROWS_MAX):
            some = rows[start : start + ROWS_MAX]
            places = ", ".join(f"({row.places})" for row in some)
            values = [value for row in some for value in row.values]
            yield f"{into} VALUES {places} {otherwise}", values


def _together(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Make one statement of several that have nothing to do with each other."""
    if not statements:
        return
    *others, (last, values) = statements
    named = ", ".join(f"c{number} AS ({text})" for number, (text, _) in enumerate(others))
    before = [value for _, more in others for value in more]
    yield f"WITH {named} {last}" if others else last, [*before, *values]
