"""Records changes that other tools or their hosts report. Nothing is executed."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from hansard.kernel.blob import digest_of
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.operation import Context
from hansard.kernel.problem import InvalidInput, Problem
from hansard.recorder import rules
from hansard.recorder.answers import FileNotedAnswer
from hansard.recorder.contents.content_before import (
    AS_RECORDED,
    UNKNOWN,
    Before,
    GitBlob,
    Replaced,
    find_before,
)
from hansard.recorder.contents.git_objects import kept_in_git
from hansard.recorder.contents.kept_content import ContentNotKeptError, kept_content
from hansard.recorder.contract import (
    RecordFileCreate,
    RecordFileDelete,
    RecordFileEdit,
    RecordFileMove,
)
from hansard.recorder.events import Action, FileRef
from hansard.recorder.file_op import record_refusal
from hansard.recorder.gateway import Gateway
from hansard.recorder.intents import IntentWriter, ReportedChange, step_of
from hansard.recorder.problems import (
    FileNotFound,
    PathInvalid,
    PathOutsideWorkspace,
    PathProtected,
)
from hansard.recorder.tables import FILES
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import Seen

Report = RecordFileCreate | RecordFileDelete


def record_file_create(
    gateway: Gateway, request: RecordFileCreate, context: Context
) -> FileNotedAnswer:
    """Record that a file was created by another tool."""
    new = rules.decoded(request.content, request.encoding)
    return _report(gateway, request, context, "create", new)


def record_file_edit(
    gateway: Gateway, request: RecordFileEdit, context: Context
) -> FileNotedAnswer:
    """Record that a file was edited by another tool."""
    new = rules.decoded(request.content, request.encoding)
    return _report(gateway, request, context, "edit", new)


def record_file_delete(
    gateway: Gateway, request: RecordFileDelete, context: Context
) -> FileNotedAnswer:
    """Record that a file was deleted by another tool."""
    return _report(gateway, request, context, "delete", None)


def record_file_move(
    gateway: Gateway, request: RecordFileMove, context: Context
) -> FileNotedAnswer:
    """Record that a file was moved by another tool."""
    path = _reported_path(gateway, context, request.path, "move")
    to = _reported_path(gateway, context, request.to, "move")
    if path == to:
        raise InvalidInput("to: is where the file is already", argument="to")
    with gateway.alone_at(context.store.engine, [gateway.file(path), gateway.file(to)]):
        found = _found(gateway, to)

        def describe(tx: ReadTx) -> ReportedChange:
            old = _before(gateway, tx, request, path, None)
            if old.is_unknown:
                hint = "Say with old_content what it held"
                raise FileNotFound(f"Nothing is recorded of {path}", hint=hint, path=str(path))
            step = step_of(tx, context.session, request.step)
            writer = IntentWriter(gateway, tx, replace(step, cites=request.cites or ()))
            return writer.report_move(path, to, old, found, _bits(request.mode))

        told = context.read(describe)
        noted = partial(_noted, context, told, gateway.file(to))
        return context.write(noted, blobs=told.blobs)


def _report(
    gateway: Gateway, request: Report, context: Context, action: Action, new: bytes | None
) -> FileNotedAnswer:
    path = _reported_path(gateway, context, request.path, action)
    file = gateway.file(path)
    # The lock keeps the record of the file unchanged while an operation works on it.
    with gateway.alone_at(context.store.engine, [file]):
        mode = _mode(gateway, path, request, new)
        old = context.read(lambda tx: _before(gateway, tx, request, path, new))
        if old.is_unknown and isinstance(request, RecordFileEdit) and new is not None:
            in_git = list(kept_in_git(gateway.root, str(path), new))
            old = context.read(lambda tx: _before(gateway, tx, request, path, new, in_git=in_git))

        def describe(tx: ReadTx) -> ReportedChange:
            step = step_of(tx, context.session, request.step)
            writer = IntentWriter(gateway, tx, replace(step, cites=request.cites or ()))
            return writer.report(path, action, old, new, mode)

        told = context.read(describe)
        noted = partial(_noted, context, told, file)
        return context.write(noted, blobs=told.blobs)


def _noted(context: Context, told: ReportedChange, file: str, tx: WriteTx) -> FileNotedAnswer:
    assert context.session is not None, "a file was reported outside any session"
    for event in (*told.seen, told.event):
        context.record(tx, event)
    row = tx.get(FILES, file)
    assert row is not None, "a reported file left no revision"
    event = told.event
    return FileNotedAnswer(
        session_id=context.session,
        path=event.path,
        action=event.action,
        revision=row["revision"],
        sha256=event.after.digest if event.after else None,
        before_unknown=event.before_unknown or None,
        redacted=_kinds(event.before, event.after) or None,
    )


def _kinds(*refs: FileRef | None) -> list[str]:
    """Name the rules by which contents were not recorded as they are."""
    return list(dict.fromkeys(rule for ref in refs if ref for rule in ref.redacted))


def _reported_path(gateway: Gateway, context: Context, path: str, action: str) -> FilePath:
    """Apply the rule of form; what other tools may write is not ours to protect."""
    try:
        return gateway.workspace.resolve(path, for_agent=False)
    except (PathInvalid, PathOutsideWorkspace, PathProtected) as problem:
        record_refusal(gateway, context, path, action, problem.code)
        raise


def _before(
    gateway: Gateway,
    tx: ReadTx,
    request: Report,
    path: FilePath,
    new: bytes | None,
    *,
    in_git: Sequence[GitBlob] = (),
) -> Before:
    """Find out what a file held before a reported change, and with which permissions."""
    before = _held_before(gateway, tx, request, path, new, in_git=in_git)
    if not isinstance(request, RecordFileEdit | RecordFileDelete):
        return before
    return replace(before, mode=_bits(request.old_mode))


def _held_before(
    gateway: Gateway,
    tx: ReadTx,
    request: Report,
    path: FilePath,
    new: bytes | None,
    *,
    in_git: Sequence[GitBlob] = (),
) -> Before:
    row = tx.get(FILES, gateway.file(path))
    known = FileRef.model_validate(row["after"]) if row and row["after"] else None
    if not isinstance(request, RecordFileEdit | RecordFileDelete):
        return AS_RECORDED if known else Before()
    if request.old_content is not None:
        return Before(rules.decoded(request.old_content, request.encoding))
    if isinstance(request, RecordFileDelete) or new is None:
        return AS_RECORDED if known else UNKNOWN
    edits = [Replaced(one.old, one.new, one.all) for one in request.edits or ()] or None
    recorded = _recorded(gateway, tx, known)
    is_recorded = known is not None
    return find_before(new, edits, recorded=recorded, is_recorded=is_recorded, in_git=in_git)


def _recorded(gateway: Gateway, tx: ReadTx, known: FileRef | None) -> bytes | None:
    try:
        return kept_content(tx, known, gateway.keys) if known else None
    except ContentNotKeptError:
        return None


def _bits(mode: str | None) -> int | None:
    """Read permissions as given."""
    return None if mode is None else int(mode, 8)


def _mode(gateway: Gateway, path: FilePath, request: Report, new: bytes | None) -> int | None:
    """Give the permissions of a reported file as told, or if it is there as reported."""
    if isinstance(request, RecordFileCreate) and request.mode is not None:
        return _bits(request.mode)
    found = _found(gateway, path) if new is not None else None
    return found.mode if found and new is not None and found.digest == digest_of(new) else None


def _found(gateway: Gateway, path: FilePath) -> Seen | None:
    """Read what lies at a path, if it is a file."""
    try:
        return gateway.workspace.look(path)
    except Problem:  # another process may have put anything in its place
        return None
