"""In which project and under which session a call runs.

The session is the one the arguments name; else the one that came with the request or the settings;
else the calling process's own. A named one must exist; one that came along, or the process's own,
begins when an operation that may begin a session is first asked under it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from hansard.kernel.engine import Row, WriteTx
from hansard.kernel.event import Stamp, author
from hansard.kernel.operation import Caller, Operation
from hansard.kernel.store import Store
from hansard.sessions import directory
from hansard.sessions.contract import SessionClosed, SessionNotFound
from hansard.sessions.events import SessionJoined, SessionStarted
from hansard.sessions.rules import is_in
from hansard.sessions.views import SESSIONS


@dataclass(frozen=True, slots=True)
class Seating:
    """Where a call runs. `begins` says that the session starts with it."""

    project: str
    session: str | None = None
    begins: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What a call says about its place."""

    operation: Operation
    caller: Caller
    session: str | None
    project: str | None
    default_project: str


def seat(store: Store, asked: Asked, stamp: Stamp) -> Seating:
    """Find the place of a call, or refuse it."""
    if asked.session is not None:
        return _named(store, asked, asked.session, stamp)
    if asked.caller.session is not None and (
        seating := _came_along(store, asked, asked.caller.session, stamp)
    ):
        return seating
    return _own(store, asked)


def opening(
    store: Store, seating: Seating, caller: Caller, stamp: Stamp, *, joins: bool = True
) -> Callable[[WriteTx], None] | None:
    """Make what records, in the operation's own transaction, that its caller is in the session.

    Whoever only ends a session does not first join it. The caller's lifeline is taken here.
    """
    session, holder = seating.session, caller.holder
    if session is None:
        return None
    if caller.lifeline:
        caller.lifeline.take(store.engine)

    def work(tx: WriteTx) -> None:
        row = tx.get(SESSIONS, session)
        if row is None or row["status"] == "closed":
            if seating.begins:
                store.record(tx, SessionStarted(id=session, holder=holder), stamp)
        elif joins and not is_in(row, author(stamp.actor), holder):
            store.record(tx, SessionJoined(id=session, holder=holder), stamp)

    return work


def _named(store: Store, asked: Asked, session: str, stamp: Stamp) -> Seating:
    found = directory.find_session(store, session)
    if found and asked.project in (None, found[0]):
        return _seated(asked.operation, session, *found)
    if found is None and asked.operation.creates_session:
        return _claimed(store, asked, session, stamp)
    raise SessionNotFound(f"There is no session {session} here", session_id=session)


def _came_along(store: Store, asked: Asked, session: str, stamp: Stamp) -> Seating | None:
    found = directory.find_session(store, session)
    if found:
        elsewhere = asked.project not in (None, found[0])
        return None if elsewhere else _seated(asked.operation, session, *found)
    if asked.operation.session == "begins":
        return _claimed(store, asked, session, stamp)
    return None


def _own(store: Store, asked: Asked) -> Seating:
    project = asked.project or asked.default_project
    own = asked.caller.seat
    session = own.sessions.get(project) if own else None
    if session and (found := directory.find_session(store, session)):
        return _seated(asked.operation, session, *found)
    if asked.operation.session == "begins":
        session = session or directory.new_session_id(project)
        if own:
            session = own.sessions.setdefault(project, session)
            own.begun.setdefault((project, session), asked.caller.actor)
        return Seating(project, session, begins=True)
    if asked.operation.session == "required":
        raise SessionNotFound("This needs a session, and none was named")
    return Seating(project)


def _claimed(store: Store, asked: Asked, session: str, stamp: Stamp) -> Seating:
    wanted = asked.project or asked.default_project
    home = directory.claim_session(store, session, wanted, stamp)
    if home != wanted:
        raise SessionNotFound(f"There is no session {session} here", session_id=session)
    return Seating(home, session, begins=True)


def _seated(operation: Operation, session: str, project: str, row: Row) -> Seating:
    if row["status"] != "closed" or operation.session in ("none", "optional"):
        return Seating(project, session)
    if operation.reopens_session:
        return Seating(project, session, begins=True)
    raise SessionClosed(f"The session {session} has been closed", session_id=session)
