"""Which projects there are, and which project a session lives in. Store-wide, so in the catalog."""

import secrets

from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.event import Stamp
from hansard.kernel.store import CATALOG, Store
from hansard.sessions.events import ProjectCreated, SessionHomed
from hansard.sessions.views import (
    ACTIVE,
    ACTIVE_RECORDS_MAX,
    HOMES,
    OWN_TICKS,
    PROJECTS,
    SESSIONS,
)

TOKEN_BYTES = 5
"""40 random bits within one project: short enough for a model to repeat, never met twice."""

SEPARATOR = "."
"""Between the project and the token of a session id that Hansard made; no project id holds it."""


def find_project(store: Store, project: str) -> Row | None:
    """Read a project's line in the directory."""
    return store.read(CATALOG, lambda tx: tx.get(PROJECTS, project))


def ensure_project(store: Store, project: str, stamp: Stamp) -> None:
    """Make a project on its first use, if it is not there yet."""
    created = ProjectCreated(id=project, name=project, description=None)

    def work(tx: WriteTx) -> None:
        if tx.get(PROJECTS, project) is None:
            store.record(tx, created, stamp)

    store.write(CATALOG, work)


def new_session_id(project: str) -> str:
    """Make an id that says where the session lives, so that beginning one needs no second write."""
    token = secrets.token_hex(TOKEN_BYTES)
    return f"{project}{SEPARATOR}{token}"


def find_session(store: Store, session: str) -> tuple[str, Row] | None:
    """Find the project a session lives in, and its row there."""
    # An id that Hansard made says itself where to look; only a chosen one needs the catalog.
    made_for, separator, _ = session.rpartition(SEPARATOR)
    if separator and (row := _row_in(store, made_for, session)):
        return made_for, row
    home = store.read(CATALOG, lambda tx: tx.get(HOMES, session))
    if home and (row := _row_in(store, home["home"], session)):
        return home["home"], row
    return None


def _row_in(store: Store, project: str, session: str) -> Row | None:
    return store.read(project, lambda tx: tx.get(SESSIONS, session))


def claim_session(store: Store, session: str, project: str, stamp: Stamp) -> str:
    """Note where a session of a chosen id lives; returns its home, which the first claim set."""

    def work(tx: WriteTx) -> str:
        row = tx.get(HOMES, session)
        if row is None:
            store.record(tx, SessionHomed(id=session, home=project), stamp)
        return row["home"] if row else project

    return store.write(CATALOG, work)


def session_row(tx: ReadTx, session: str) -> Row:
    """Read a session that is known to have begun."""
    row = tx.get(SESSIONS, session)
    assert row is not None, f"the session {session} was resolved but is not there"
    return row


def active_records(
    tx: ReadTx, session: str, *, limit: int = ACTIVE_RECORDS_MAX, as_of: int | None = None
) -> list[str]:
    """List what is active in a session, in the order of activation."""
    found = tx.scan(ACTIVE, {"session": session}, order="since", limit=limit, as_of=as_of)
    return [one.row["record"] for one in found]


def last_activity(tx: ReadTx, row: Row, *, as_of: int | None = None) -> str:
    """Say when a session last did something that was recorded."""
    before = None if as_of is None else as_of + 1
    newest = tx.entries(session=row["id"], before=before, descending=True, limit=1)
    return newest[0].at if newest else str(row["created"])


def ticks_synced(tx: ReadTx, row: Row, *, as_of: int | None = None) -> int:
    """Give the tick up to which a session is in step: its own writes are no news to it."""
    own = tx.get(OWN_TICKS, row["id"], as_of=as_of)
    return int(row["last_sync_tick"]) + (own["ticks"] if own else 0)
