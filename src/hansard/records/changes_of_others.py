"""Changes by others since a session's last sync, grouped by record."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from hansard.kernel import paging
from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.event import Entry, Kinds
from hansard.records import limits
from hansard.records.events import RecordCreated, RecordMoved, RecordTransitioned, RecordUpdated
from hansard.records.sync_answers import ChangeType, Writer
from hansard.sessions.views import SESSIONS

CHANGING = (RecordCreated.kind, RecordUpdated.kind, RecordMoved.kind, RecordTransitioned.kind)


@dataclass(slots=True)
class Touched:
    """A record that others changed, by which entries."""

    record: str
    entries: list[Entry] = field(default_factory=list)

    @property
    def first(self) -> int:
        """The seq of the first change."""
        return self.entries[0].seq

    @property
    def last(self) -> Entry:
        """The last change."""
        return self.entries[-1]

    def change_type(self) -> ChangeType:
        """Say what happened to it, in 000's words."""
        kinds = {entry.kind for entry in self.entries}
        if RecordCreated.kind in kinds:
            return "created"
        return "state_changed" if RecordTransitioned.kind in kinds else "modified"

    def writers(self) -> list[Writer]:
        """Name who changed it, the last one last."""
        counts: dict[tuple[str, str], int] = {}
        for entry in self.entries:
            who = (entry.session or "", str(entry.actor))
            counts[who] = counts.pop(who, 0) + 1
        return [
            Writer(session_id=session, author=author, writes=count)
            for (session, author), count in counts.items()
        ]


def gather(tx: ReadTx, kinds: Kinds, session: Row) -> tuple[list[Touched], int | None]:
    """Gather what others changed, in the order of the first change of each record.

    Also gives the last seq that was read, or `None` if nothing is left.
    """
    entries = islice(_foreign(tx, session), limits.SYNC_ENTRIES_MAX + 1)
    touched: dict[str, Touched] = {}
    for number, entry in enumerate(entries):
        event = kinds.decode(entry)
        record = event.subject() if event else None
        assert record is not None, "a change is of no record"
        is_too_much = record not in touched and len(touched) == limits.SYNC_RECORDS_MAX
        if is_too_much or number == limits.SYNC_ENTRIES_MAX:
            return list(touched.values()), entry.seq - 1
        touched.setdefault(record, Touched(record)).entries.append(entry)
    return list(touched.values()), None


def until(touched: Iterable[Touched], seq: int) -> list[Touched]:
    """Leave out what was changed after an entry."""
    kept = (
        Touched(one.record, [entry for entry in one.entries if entry.seq <= seq]) for one in touched
    )
    return [one for one in kept if one.entries]


def _foreign(tx: ReadTx, session: Row) -> Iterator[Entry]:
    """Go through the changes that are not the session's own, in order."""
    own = _own(tx, session)
    for entry in paging.entries(tx, after=session["synced_seq"], kinds=CHANGING):
        is_own = entry.session in own and entry.seq < own[entry.session]
        # What was redacted cannot be reported.
        if not is_own and entry.payload is not None:
            yield entry


def _own(tx: ReadTx, session: Row) -> dict[str | None, float]:
    """Say up to which entry a session's writes count as this one's: as its own, or its parents'."""
    own: dict[str | None, float] = {session["id"]: float("inf")}
    while parent := session["parent_session"]:
        own.setdefault(parent, session["started_seq"])
        row = tx.get(SESSIONS, parent)
        assert row is not None, "a session branched from one that never began"
        session = row
    return own
