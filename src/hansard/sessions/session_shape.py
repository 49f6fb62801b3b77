"""A session as answers show it: 000's object, and who is present."""

from typing import Annotated

from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.model import Model
from hansard.kernel.model_answer import NO_COUNT, UNTOLD
from hansard.sessions.directory import active_records, last_activity, ticks_synced
from hansard.sessions.presence import PresenceLook
from hansard.sessions.rules import SessionStatus, Staleness
from hansard.sessions.wording import titled

ACTIVE_SHOWN_MAX = 10
"""How many active records of a session a list names."""


class SessionShown(Model):
    """A session, as 000 has it, and who is in it."""

    id: str
    project_id: Annotated[str | None, UNTOLD] = None
    title: str | None = None
    by: str
    """The last to come in."""
    client: Annotated[str | None, UNTOLD] = None
    """The program they came with, and its version, as it calls itself."""
    status: SessionStatus
    stale: bool | None = None
    """Whether many writes came since its last sync; what 000 calls `closed` is `ended`."""
    created: Annotated[str, UNTOLD]
    last_activity: Annotated[str, UNTOLD]
    last_sync_tick: Annotated[int, UNTOLD]
    tick_gap: Annotated[int, NO_COUNT]
    active_records: list[str]
    more_active: bool | None = None
    """Whether more records are active than are named."""
    parent_session: str | None = None

    def text(self) -> str:
        """Give one line."""
        active = ", ".join(self.active_records) or "nothing"
        active += " and more" if self.more_active else ""
        gap = self.tick_gap
        behind = [f"{gap} write{'' if gap == 1 else 's'} behind"] if gap else []
        named = f' "{titled(self.title)}"' if self.title else ""
        about = ", ".join([self.by, self.status, *(["stale"] if self.stale else []), *behind])
        branch = f", branched from {self.parent_session}" if self.parent_session else ""
        return f"Session {self.id}{named} ({about}{branch}) has {active} active"


class Showing:
    """Shows sessions, as one read found them."""

    def __init__(
        self,
        tx: ReadTx,
        look: PresenceLook,
        staleness: Staleness,
        *,
        tick: int,
        as_of: int | None = None,
    ) -> None:
        """Show sessions of a project whose clock says `tick`, now or right after an entry."""
        self._tx = tx
        self._look = look
        self._staleness = staleness
        self._tick = tick
        self._as_of = as_of

    def show(
        self, row: Row, project: str | None = None, *, active_max: int = ACTIVE_SHOWN_MAX
    ) -> SessionShown:
        """Show one, with the names of so many active records."""
        tx, as_of = self._tx, self._as_of
        synced = ticks_synced(tx, row, as_of=as_of)
        gap = self._tick - synced
        active = active_records(tx, row["id"], limit=active_max + 1, as_of=as_of)
        return SessionShown(
            id=row["id"],
            project_id=project,
            title=row["title"],
            by=row["by"],
            client=client_of(row),
            status=self._look.status(tx, row, as_of=as_of),
            stale=self._staleness.level(gap) != "fresh" or None,
            created=row["created"],
            last_activity=last_activity(tx, row, as_of=as_of),
            last_sync_tick=synced,
            tick_gap=gap,
            active_records=active[:active_max],
            more_active=len(active) > active_max or None,
            parent_session=row["parent_session"],
        )


def client_of(row: Row) -> str | None:
    """Name the program that is in a session, with its version."""
    return f"{row['client']} {row['version'] or ''}".rstrip() if row["client"] else None
