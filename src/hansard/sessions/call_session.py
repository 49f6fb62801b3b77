"""The project and session under which a call runs.

The project is the one the arguments name, else the caller's home. The session is the one the
arguments name; else the one that came with the request; else the one that the calling process
opened last by naming it; else the settings'; else that of the chat its host says it is in; else the
process's own. It is looked for in the project of the call. Only if the arguments name no project
may an id that Hansard made lead to another project: the one it was made for.

A named session must exist; one that came with the request, or the process's own, begins with the
first operation under it that may begin a session.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from hansard.kernel.engine import Row, WriteTx
from hansard.kernel.event import Stamp
from hansard.kernel.operation import Caller, Context, Operation, Request
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import UNMADE, Store
from hansard.kernel.text import one_line
from hansard.sessions import directory
from hansard.sessions.call_project import CallPlace
from hansard.sessions.contract import SessionClosed, SessionNotFound
from hansard.sessions.events import Activated, SessionJoined, SessionStarted, SessionWasClosed
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
    place: CallPlace

    @property
    def project(self) -> str:
        """The key of the project that the arguments name, else of the caller's home."""
        return self.place.project

    @property
    def begins(self) -> bool:
        """Whether the call may begin a session: by itself, or by activating what it rests on."""
        return self.operation.session == "begins" or bool(self.caller.activating)

    @property
    def reopens(self) -> bool:
        """Whether it starts a closed session afresh."""
        return self.operation.reopens_session or bool(self.caller.activating)


CURRENT = "current"
"""Names the session of calls that name none, which therefore must exist."""


def seat(store: Store, asked: Asked) -> Seating:
    """Find the place of a call, or refuse it."""
    if asked.session == CURRENT:
        return _current(store, asked)
    if asked.session is not None:
        return _named(store, asked, asked.session)
    came = asked.caller.session or _default(asked)
    if came is not None and (seating := _came_along(store, asked, came)):
        return seating
    if (chat := _chat(asked)) and (seating := _in_chat(store, asked, chat)):
        return seating
    return _own(store, asked)


def _current(store: Store, asked: Asked) -> Seating:
    seated = seat(store, replace(asked, session=None))
    if seated.session is None:
        raise SessionNotFound(
            "No session is current here",
            hint="Begin one, or name it: list_sessions shows them; over HTTP, name it in `_meta`",
        )
    return seated


def adopt(operation: Operation, request: Request, context: Context) -> None:
    """Continue in a session that a call opened by naming it, if a process has one chat."""
    seat, session = context.caller.seat, context.session
    is_opened = operation.session == "begins" and operation.writes and context.as_of is None
    if seat and seat.adopts and session and is_opened and request.session_id == session:
        seat.open(context.project, session)


def opening(
    store: Store, seating: Seating, caller: Caller, stamp: Stamp, *, joins: bool = True
) -> Callable[[WriteTx], None] | None:
    """Build what records, in the operation's own transaction, that its caller is in the session.

    A call that only ends a session does not first join it. The caller's lifeline is taken here.
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
        elif joins and not is_in(row, str(stamp.actor), holder):
            store.record(tx, SessionJoined(id=session, holder=holder), stamp)
        for record, base in caller.activating.items():
            activated = Activated(session=session, record=record, base=base, override=True)
            store.record(tx, activated, stamp)

    return work


def closing(
    store: Store, seating: Seating, caller: Caller, stamp: Stamp
) -> Callable[[WriteTx], None] | None:
    """Build what records the session's end in the operation's own transaction, if it ends there."""
    session = seating.session
    if session is None or not (seating.begins and caller.ends_with_write):
        return None

    def work(tx: WriteTx) -> None:
        store.record(tx, SessionWasClosed(id=session, note=None), stamp)

    return work


def _default(asked: Asked) -> str | None:
    """Give the session of the settings, unless another was opened here by naming it."""
    seat = asked.caller.seat
    return None if seat and asked.project in seat.opened else asked.caller.default_session


def _chat(asked: Asked) -> str | None:
    """Give the host's chat, unless another session was opened here by naming it."""
    seat = asked.caller.seat
    return None if seat and asked.project in seat.opened else asked.caller.chat


def _in_chat(store: Store, asked: Asked, chat: str) -> Seating | None:
    """Find the session that a chat is in now: the first that is not closed, or not yet begun."""
    last: Seating | None = None
    for session in directory.parts(chat):
        row = directory.find_session(store, session, asked.project)
        if row is None and asked.begins:
            return _begun(asked, session)
        if row is None:
            # Nothing continues there: a reader sees the past.
            return last if asked.operation.session in ("none", "optional") else None
        last = Seating(asked.project, session)
        if row["status"] != "closed":
            return last
    raise AssertionError("a chat has more parts than there are numbers")


def _named(store: Store, asked: Asked, session: str) -> Seating:
    if found := _find(store, asked, session):
        return _seated(asked, session, *found)
    if session == asked.caller.chat and asked.operation.session != "required":
        # Its host names it, although it has done nothing yet.
        return _in_chat(store, asked, session) or Seating(asked.project)
    if asked.operation.creates_session:
        return _begun(asked, session)
    raise _not_found(session)


def _came_along(store: Store, asked: Asked, session: str) -> Seating | None:
    if found := _find(store, asked, session):
        return _seated(asked, session, *found)
    if asked.begins and not _is_elsewhere(asked, session):
        return _begun(asked, session)
    return None


def _find(store: Store, asked: Asked, session: str) -> tuple[str, Row] | None:
    """Look in the call's project; then, if none was named, in the one that an id of ours names."""
    if row := directory.find_session(store, session, asked.project):
        return asked.project, row
    led = directory.project_of(session)
    if led is None or asked.place.is_named or not asked.caller.sees(led):
        return None
    row = directory.find_session(store, session, led)
    return (led, row) if row else None


def _is_elsewhere(asked: Asked, session: str) -> bool:
    """Whether the request's session belongs to another project than the arguments name."""
    return asked.place.is_named and directory.project_of(session) not in (None, asked.project)


def _own(store: Store, asked: Asked) -> Seating:
    project, own = asked.project, asked.caller.seat
    session = own.sessions.get(project) if own else None
    if session and (row := directory.find_session(store, session, project)):
        return _seated(asked, session, project, row)
    if asked.begins:
        session = session or directory.new_session_id(project)
        if own and project != UNMADE:
            session = own.sessions.setdefault(project, session)
            own.begun.setdefault((project, session), asked.caller.actor)
        return Seating(project, session, begins=True)
    if asked.operation.session == "required":
        raise SessionNotFound("This needs a session, and none was named")
    return Seating(project)


def _begun(asked: Asked, session: str) -> Seating:
    """Begin a session with a chosen id; one of our own form cannot be chosen.

    Others are shown the id: on several lines it could pass for our own words.
    """
    if one_line(session) != session:
        raise InvalidInput(
            "session_id: a new session's id is on one line, without control characters",
            argument="session_id",
        )
    if directory.project_of(session) is not None:
        raise _not_found(session, hint="Ids of this form are made by Hansard; choose another")
    return Seating(asked.project, session, begins=True)


def _seated(asked: Asked, session: str, project: str, row: Row) -> Seating:
    if row["status"] != "closed" or asked.operation.session in ("none", "optional"):
        return Seating(project, session)
    if asked.reopens:
        return Seating(project, session, begins=True)
    raise SessionClosed(f"The session {session} has been closed", session_id=session)


def _not_found(session: str, *, hint: str | None = None) -> SessionNotFound:
    return SessionNotFound(f"There is no session {session} here", hint=hint, session_id=session)
