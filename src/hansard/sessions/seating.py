"""In which project and under which session a call runs.

The project is the one the arguments name, else the caller's home. The session is the one the
arguments name; else the one that came with the request or the settings; else the calling process's
own. It is looked for in the project of the call. Only where the arguments name no project may an
id that Hansard made lead to another: the one it was made for.

A named session must exist; one that came along, or the process's own, begins when an operation
that may begin a session is first asked under it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from hansard.kernel.engine import Row, WriteTx
from hansard.kernel.event import Stamp
from hansard.kernel.operation import Caller, Operation
from hansard.kernel.store import UNMADE, Store
from hansard.sessions import directory
from hansard.sessions.contract import SessionClosed, SessionNotFound
from hansard.sessions.events import SessionStarted
from hansard.sessions.placing import Place
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
    place: Place

    @property
    def project(self) -> str:
        """The key of the project that the arguments name, else of the caller's home."""
        return self.place.project


def seat(store: Store, asked: Asked) -> Seating:
    """Find the place of a call, or refuse it."""
    if asked.session is not None:
        return _named(store, asked, asked.session)
    if asked.caller.session is not None and (
        seating := _came_along(store, asked, asked.caller.session)
    ):
        return seating
    return _own(store, asked)


def opening(store: Store, seating: Seating, stamp: Stamp) -> Callable[[WriteTx], None] | None:
    """Make what records the session's beginning in the operation's own transaction."""
    session = seating.session
    if not seating.begins or session is None:
        return None

    def work(tx: WriteTx) -> None:
        row = tx.get(SESSIONS, session)
        if row is None or row["status"] == "closed":
            store.record(tx, SessionStarted(id=session), stamp)

    return work


def _named(store: Store, asked: Asked, session: str) -> Seating:
    if found := _find(store, asked, session):
        return _seated(asked.operation, session, *found)
    if asked.operation.creates_session:
        return _begun(asked, session)
    raise _not_found(session)


def _came_along(store: Store, asked: Asked, session: str) -> Seating | None:
    if found := _find(store, asked, session):
        return _seated(asked.operation, session, *found)
    if asked.operation.session == "begins" and not _is_elsewhere(asked, session):
        return _begun(asked, session)
    return None


def _find(store: Store, asked: Asked, session: str) -> tuple[str, Row] | None:
    """Look in the project of the call; then, if it was not named, where a made id leads."""
    if row := directory.find_session(store, session, asked.project):
        return asked.project, row
    led = directory.project_of(session)
    if led is None or asked.place.is_named or not asked.caller.sees(led):
        return None
    row = directory.find_session(store, session, led)
    return (led, row) if row else None


def _is_elsewhere(asked: Asked, session: str) -> bool:
    """Whether a session that came along is of another project than the arguments name."""
    return asked.place.is_named and directory.project_of(session) not in (None, asked.project)


def _own(store: Store, asked: Asked) -> Seating:
    project, own = asked.project, asked.caller.seat
    session = own.sessions.get(project) if own else None
    if session and (row := directory.find_session(store, session, project)):
        return _seated(asked.operation, session, project, row)
    if asked.operation.session == "begins":
        session = session or directory.new_session_id(project)
        if own and project != UNMADE:
            session = own.sessions.setdefault(project, session)
        return Seating(project, session, begins=True)
    if asked.operation.session == "required":
        raise SessionNotFound("This needs a session, and none was named")
    return Seating(project)


def _begun(asked: Asked, session: str) -> Seating:
    """Begin a session of a chosen id; one that only Hansard can make was never begun."""
    if directory.project_of(session) is not None:
        raise _not_found(session, hint="Ids of this form are made by Hansard; choose another")
    return Seating(asked.project, session, begins=True)


def _seated(operation: Operation, session: str, project: str, row: Row) -> Seating:
    if row["status"] != "closed" or operation.session in ("none", "optional"):
        return Seating(project, session)
    if operation.reopens_session:
        return Seating(project, session, begins=True)
    raise SessionClosed(f"The session {session} has been closed", session_id=session)


def _not_found(session: str, *, hint: str | None = None) -> SessionNotFound:
    return SessionNotFound(f"There is no session {session} here", hint=hint, session_id=session)
