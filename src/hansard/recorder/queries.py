"""Reads a file as it is now, and finds sessions."""

from urllib.parse import quote

from hansard.kernel.cursor import from_cursor, to_cursor
from hansard.kernel.engine import Found, Position, ReadTx
from hansard.kernel.operation import Context
from hansard.recorder import contract, rules
from hansard.recorder.answers import FileShownAnswer, SessionListAnswer, SessionListed
from hansard.recorder.gateway import Gateway
from hansard.recorder.problems import FileNotFound
from hansard.recorder.story.chapters import new_sitting
from hansard.recorder.tables import SITTINGS
from hansard.sessions.presence import Presence
from hansard.sessions.rules import Staleness
from hansard.sessions.session_shape import SessionShown, Showing
from hansard.sessions.views import SESSIONS


def file_read(gateway: Gateway, request: contract.FileRead, context: Context) -> FileShownAnswer:
    """Read a file as it is on disk; nothing is recorded."""
    path = gateway.resolve(request.path, context.caller)
    state = gateway.workspace.read(path)
    if state is None:
        raise FileNotFound(f"{path} does not exist", path=str(path))
    text, encoding = rules.encoded(state.content, request.encoding)
    return FileShownAnswer(
        path=str(path),
        content=text,
        encoding=encoding,
        sha256=state.digest,
        size=len(state.content),
        mode=f"{state.mode:04o}",
    )


def list_sessions(
    staleness: Staleness, presence: Presence, request: contract.ListSessions, context: Context
) -> SessionListAnswer:
    """List the project's sessions, the latest first."""
    position = from_cursor(request.cursor, SESSIONS, "started_seq")

    def page_of(tx: ReadTx) -> list[Found]:
        return tx.scan(
            SESSIONS, order="started_seq", descending=True, after=position, limit=request.limit + 1
        )

    look = presence.look(context, context.read(lambda tx: [one.row for one in page_of(tx)]))

    def work(tx: ReadTx) -> SessionListAnswer:
        found = page_of(tx)
        shown = found[: request.limit]
        last = shown[-1] if len(found) > request.limit else None
        showing = Showing(tx, look, staleness, tick=tx.head().tick)
        return SessionListAnswer(
            sessions=[_listed(tx, showing.show(one.row, context.project)) for one in shown],
            total=tx.tally(SESSIONS).get(None, 0),
            nextCursor=to_cursor(Position(last.row["started_seq"], last.key)) if last else None,
        )

    return context.read(work)


def session_uri(session: str, part: str) -> str:
    """Name a resource of a session."""
    return f"hansard://session/{quote(session, safe='')}/{part}"


def _listed(tx: ReadTx, shown: SessionShown) -> SessionListed:
    sitting = tx.get(SITTINGS, shown.id) or new_sitting()
    return SessionListed(
        session_id=shown.id,
        **shown.model_dump(exclude={"id"}),
        edits=sitting["edits"],
        files=sitting["files"],
        timeline=session_uri(shown.id, "timeline"),
        story=session_uri(shown.id, "story"),
        evolution=session_uri(shown.id, "evolution"),
    )
