"""Records a session: its title, its notes, and what other tools did to files."""

from hansard.kernel.blob import Blob, seal
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.operation import Context
from hansard.recorder import answers, contract
from hansard.recorder.events import (
    Audited,
    SessionTitled,
)
from hansard.recorder.gateway import Gateway
from hansard.recorder.intents import step_of
from hansard.recorder.story.chapters import new_sitting
from hansard.recorder.tables import SITTINGS


def record_session_start(
    gateway: Gateway, request: contract.RecordSessionStart, context: Context
) -> answers.SessionStartedAnswer:
    """Give the session its title, beginning it if need be."""
    session = _session(context)
    title = gateway.masked(request.title)
    blobs = _message(gateway, request.user_message)

    def work(tx: WriteTx) -> answers.SessionStartedAnswer:
        if _sitting(tx, session)["title"] is not None:
            raise contract.SessionExists(
                f"The session {session} has a title already", session_id=session
            )
        message = blobs[0].digest if blobs else None
        context.record(tx, SessionTitled(title=title, user_message=message))
        return answers.SessionStartedAnswer(session_id=session, title=title)

    return context.write(work, blobs=blobs)


def audit_event(
    gateway: Gateway, request: contract.AuditEvent, context: Context
) -> answers.NotedAnswer:
    """Put a decision, a milestone or a note on the timeline."""
    session = _session(context)

    def work(tx: WriteTx) -> answers.NotedAnswer:
        under = step_of(tx, session, request.step)
        audited = Audited(
            type=request.type,
            description=gateway.masked(request.description),
            revision=under.revision,
            step=under.step,
            cites=request.cites or [],
        )
        entry = context.record(tx, audited)
        return answers.NotedAnswer(session_id=session, seq=entry.seq, step=under.step)

    return context.write(work)


def _message(gateway: Gateway, text: str | None) -> list[Blob]:
    return [seal(gateway.masked(text).encode())] if text else []


def _sitting(tx: ReadTx, session: str) -> Row:
    return tx.get(SITTINGS, session) or new_sitting()


def _session(context: Context) -> str:
    assert context.session is not None, "a session was recorded that is none"
    return context.session
