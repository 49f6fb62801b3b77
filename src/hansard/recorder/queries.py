"""Reading a file as it is, and finding sessions."""

from urllib.parse import quote

from hansard.kernel.engine import Found, Position, ReadTx
from hansard.kernel.operation import Context
from hansard.kernel.page import from_cursor, to_cursor
from hansard.recorder import contract, rules
from hansard.recorder.answers import FileShown, SessionList, SessionListed
from hansard.recorder.chapters import new_sitting
from hansard.recorder.gateway import Gateway
from hansard.recorder.problems import FileNotFound
from hansard.recorder.tables import SITTINGS
from hansard.sessions.views import SESSIONS


def file_read(gateway: Gateway, request: contract.FileRead, context: Context) -> FileShown:
    """Read a file as it is on disk; nothing is recorded."""
    path = gateway.resolve(request.path, context.caller)
    state = gateway.workspace.read(path)
    if state is None:
        raise FileNotFound(f"{path} does not exist", path=str(path))
    text, encoding = rules.encoded(state.content, request.encoding)
    return FileShown(
        path=str(path),
        content=text,
        encoding=encoding,
        sha256=state.digest,
        size=len(state.content),
        mode=f"{state.mode:04o}",
    )


def list_sessions(request: contract.ListSessions, context: Context) -> SessionList:
    """List the project's sessions, the latest first."""
    position = from_cursor(request.cursor, SESSIONS, "started_seq")

    def work(tx: ReadTx) -> SessionList:
        found = tx.scan(
            SESSIONS, order="started_seq", descending=True, after=position, limit=request.limit + 1
        )
        shown = found[: request.limit]
        last = shown[-1] if len(found) > request.limit else None
        return SessionList(
            sessions=[_listed(tx, one) for one in shown],
            total=tx.tally(SESSIONS).get(None, 0),
            nextCursor=to_cursor(Position(last.row["started_seq"], last.key)) if last else None,
        )

    return context.read(work)


def session_uri(session: str, part: str) -> str:
    """Name a resource of a session."""
    return f"hansard://session/{quote(session, safe='')}/{part}"


def _listed(tx: ReadTx, found: Found) -> SessionListed:
    sitting = tx.get(SITTINGS, found.key) or new_sitting()
    return SessionListed(
        session_id=found.key,
        title=sitting["title"],
        status=found.row["status"],
        created=found.row["created"],
        edits=sitting["edits"],
        files=sitting["files"],
        timeline=session_uri(found.key, "timeline"),
        story=session_uri(found.key, "story"),
        evolution=session_uri(found.key, "evolution"),
    )
