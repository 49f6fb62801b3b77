"""Recording a session: its title, its notes, and what other tools did to files."""

from dataclasses import replace

from hansard.kernel.blob import Blob, seal
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.operation import Context
from hansard.recorder import answers, contract, rules
from hansard.recorder.chapters import new_sitting
from hansard.recorder.events import (
    Audited,
    Reported,
    SessionTitled,
)
from hansard.recorder.file_op import record_refusal
from hansard.recorder.gateway import Gateway
from hansard.recorder.paths import FilePath
from hansard.recorder.problems import PathInvalid, PathOutsideWorkspace, PathProtected
from hansard.recorder.scribe import Scribe, Told, step_of
from hansard.recorder.tables import FILES, SITTINGS


def record_session_start(
    gateway: Gateway, request: contract.RecordSessionStart, context: Context
) -> answers.SessionStarted:
    """Give the session its title, beginning it if need be."""
    session = _session(context)
    title = gateway.masked(request.title)
    blobs = _message(gateway, request.user_message)

    def work(tx: WriteTx) -> answers.SessionStarted:
        if _sitting(tx, session)["title"] is not None:
            raise contract.SessionExists(
                f"The session {session} has a title already", session_id=session
            )
        message = blobs[0].digest if blobs else None
        context.record(tx, SessionTitled(title=title, user_message=message))
        return answers.SessionStarted(session_id=session, title=title)

    return context.write(work, blobs=blobs)


def audit_event(gateway: Gateway, request: contract.AuditEvent, context: Context) -> answers.Noted:
    """Put a decision, a milestone or a note on the timeline."""
    session = _session(context)

    def work(tx: WriteTx) -> answers.Noted:
        under = step_of(tx, session, request.step)
        audited = Audited(
            type=request.type,
            description=gateway.masked(request.description),
            revision=under.revision,
            step=under.step,
            cites=request.cites or [],
        )
        context.record(tx, audited)
        return answers.Noted(session_id=session, step=under.step)

    return context.write(work)


def record_file_create(
    gateway: Gateway, request: contract.RecordFileCreate, context: Context
) -> answers.FileNoted:
    """Record that a file was created by another tool."""
    new = rules.decoded(request.content, request.encoding)
    return _report(gateway, request, context, "create", (None, new))


def record_file_edit(
    gateway: Gateway, request: contract.RecordFileEdit, context: Context
) -> answers.FileNoted:
    """Record that a file was edited by another tool."""
    new = rules.decoded(request.content, request.encoding)
    return _report(gateway, request, context, "edit", (_old(request), new))


def record_file_delete(
    gateway: Gateway, request: contract.RecordFileDelete, context: Context
) -> answers.FileNoted:
    """Record that a file was deleted by another tool."""
    return _report(gateway, request, context, "delete", (_old(request), None))


def _report(
    gateway: Gateway,
    request: contract.RecordFileCreate | contract.RecordFileDelete,
    context: Context,
    action: Reported,
    contents: tuple[bytes | None, bytes | None],
) -> answers.FileNoted:
    session, path = _session(context), _reported_path(gateway, context, request.path, action)
    file = gateway.file(path)
    # The lock keeps what is recorded of the file still while an operation is at it.
    with gateway.alone_at(context.store.engine, [file]):

        def describe(tx: ReadTx) -> Told:
            under = replace(step_of(tx, session, request.step), cites=request.cites or ())
            return Scribe(gateway, tx, under).report(path, action, *contents)

        told = context.read(describe)

        def work(tx: WriteTx) -> answers.FileNoted:
            for event in (*told.seen, told.event):
                context.record(tx, event)
            row = tx.get(FILES, file)
            assert row is not None, "a reported file left no revision"
            return answers.FileNoted(
                session_id=session,
                path=str(path),
                action=action,
                revision=row["revision"],
                sha256=told.event.after.digest if told.event.after else None,
            )

        return context.write(work, blobs=told.blobs)


def _reported_path(gateway: Gateway, context: Context, path: str, action: str) -> FilePath:
    """Apply the rule of form; what other tools may write is not for us to protect."""
    try:
        return gateway.workspace.resolve(path, for_agent=False)
    except (PathInvalid, PathOutsideWorkspace, PathProtected) as problem:
        record_refusal(gateway, context, path, action, problem.code)
        raise


def _old(request: contract.RecordFileEdit | contract.RecordFileDelete) -> bytes | None:
    if request.old_content is None:
        return None
    return rules.decoded(request.old_content, request.encoding)


def _message(gateway: Gateway, text: str | None) -> list[Blob]:
    return [seal(gateway.masked(text).encode())] if text else []


def _sitting(tx: ReadTx, session: str) -> Row:
    return tx.get(SITTINGS, session) or new_sitting()


def _session(context: Context) -> str:
    assert context.session is not None, "a session was recorded that is none"
    return context.session
