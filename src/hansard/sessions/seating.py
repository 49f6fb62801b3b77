"""In which project and under which session a call runs.

The session is the one the arguments name; else the one that came with the request; else the one
that the calling process opened last by naming it; else the settings'; else the process's own. A
named one must exist; one that came along, or the process's own, begins when an operation that may
begin a session is first asked under it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from hansard.kernel.engine import Row, WriteTx
from hansard.kernel.event import Stamp, author
from hansard.kernel.operation import Caller, Context, Operation, Request
from hansard.kernel.store import Store
from hansard.sessions import directory
from hansard.sessions.contract import SessionClosed as SessionIsClosed
from hansard.sessions.contract import SessionNotFound
from hansard.sessions.events import Activated, SessionClosed, SessionJoined, SessionStarted
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

    @property
    def begins(self) -> bool:
        """Whether the call may begin a session: by itself, or by activating what it rests on."""
        return self.operation.session == "begins" or bool(self.caller.activating)

    @property
    def reopens(self) -> bool:
        """Whether it starts a closed session afresh."""
        return self.operation.reopens_session or bool(self.caller.activating)


CURRENT = "current"
"""Names the session that a call without a name would have, so that there must be one."""


def seat(store: Store, asked: Asked, stamp: Stamp) -> Seating:
    """Find the place of a call, or refuse it."""
    if asked.session == CURRENT:
        return _current(store, asked, stamp)
    if asked.session is not None:
        return _named(store, asked, asked.session, stamp)
    came = asked.caller.session or _default(asked)
    if came is not None and (seating := _came_along(store, asked, came, stamp)):
        return seating
    return _own(store, asked)


def _current(store: Store, asked: Asked, stamp: Stamp) -> Seating:
    seated = seat(store, replace(asked, session=None), stamp)
    if seated.session is None:
        raise SessionNotFound(
            "No session is current here",
            hint="Begin one, or name it: list_sessions shows them; over HTTP, name it in `_meta`",
        )
    return seated


def adopt(operation: Operation, request: Request, context: Context) -> None:
    """Go on in a session that a call opened by naming it, where there is one chat to a process."""
    seat, session = context.caller.seat, context.session
    is_opened = operation.session == "begins" and operation.writes and context.as_of is None
    if seat and seat.adopts and session and is_opened and request.session_id == session:
        seat.open(context.project, session)


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
        for record, base in caller.activating.items():
            activated = Activated(session=session, record=record, base=base, override=True)
            store.record(tx, activated, stamp)

    return work


def closing(
    store: Store, seating: Seating, caller: Caller, stamp: Stamp
) -> Callable[[WriteTx], None] | None:
    """Make what records the session's end in the operation's own transaction, if it ends there."""
    session = seating.session
    if session is None or not (seating.begins and caller.ends_with_write):
        return None

    def work(tx: WriteTx) -> None:
        store.record(tx, SessionClosed(id=session, note=None), stamp)

    return work


def _default(asked: Asked) -> str | None:
    """Give the session of the settings, unless another was opened here by naming it."""
    seat, project = asked.caller.seat, asked.project or asked.default_project
    return None if seat and project in seat.opened else asked.caller.default_session


def _named(store: Store, asked: Asked, session: str, stamp: Stamp) -> Seating:
    found = directory.find_session(store, session)
    if found and asked.project in (None, found[0]):
        return _seated(asked, session, *found)
    if found is None and asked.operation.creates_session:
        return _claimed(store, asked, session, stamp)
    raise SessionNotFound(f"There is no session {session} here", session_id=session)


def _came_along(store: Store, asked: Asked, session: str, stamp: Stamp) -> Seating | None:
    found = directory.find_session(store, session)
    if found:
        elsewhere = asked.project not in (None, found[0])
        return None if elsewhere else _seated(asked, session, *found)
    if asked.begins:
        return _claimed(store, asked, session, stamp)
    return None


def _own(store: Store, asked: Asked) -> Seating:
    project = asked.project or asked.default_project
    own = asked.caller.seat
    session = own.sessions.get(project) if own else None
    if session and (found := directory.find_session(store, session)):
        return _seated(asked, session, *found)
    if asked.begins:
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


def _seated(asked: Asked, session: str, project: str, row: Row) -> Seating:
    if row["status"] != "closed" or asked.operation.session in ("none", "optional"):
        return Seating(project, session)
    if asked.reopens:
        return Seating(project, session, begins=True)
    raise SessionIsClosed(f"The session {session} has been closed", session_id=session)
