"""What a restore is about: which files, and the point in the journal that they go back to."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hansard.kernel import as_of
from hansard.kernel.effect import Outcome
from hansard.kernel.engine import Position, Range, ReadTx, Row, Where
from hansard.kernel.event import Entry, Event
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.operation import Context
from hansard.kernel.problem import InvalidInput
from hansard.recorder import limits
from hansard.recorder.contract import Restore
from hansard.recorder.events import (
    ExternalChangeSeen,
    FileEvent,
    FileOpIntended,
    FileReported,
    RestoreBegun,
)
from hansard.recorder.gateway import Gateway
from hansard.recorder.tables import REVISIONS, SITTINGS, TOUCHED, file_id
from hansard.sessions.contract import SessionNotFound
from hansard.sessions.views import SESSIONS

CHANGING = (FileOpIntended, FileReported, ExternalChangeSeen)
"""The events by which files become others."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that a restore may change."""

    key: str
    workspace: str
    path: str


@dataclass(frozen=True, slots=True)
class Scope:
    """Some files, and the entry right after which they stood as they shall stand again."""

    name: str
    point: int
    files: list[File]


def find_scope(gateway: Gateway, tx: ReadTx, context: Context, request: Restore) -> Scope:
    """Find what a restore is about, or refuse it."""
    if request.path is not None:
        path = str(gateway.resolve(request.path, context.caller))
        files = {file_id(gateway.identity, path): File("", gateway.identity, path)}
        found = _Found(f"path {path}", files, 0, 0)
    elif request.entry is not None:
        found = _of_entry(tx, context, request.entry)
    elif request.step is not None:
        found = _of_step(tx, context, _session(tx, context, request), request.step)
    else:
        found = _of_session(tx, _session(tx, context, request))
    if len(found.files) > limits.RESTORE_FILES_MAX:
        raise InvalidInput(
            f"This would touch {len(found.files)} files; at most {limits.RESTORE_FILES_MAX}",
            hint="Restore a path, an entry or a step instead",
        )
    files_by_path = sorted(
        (File(key, file.workspace, file.path) for key, file in found.files.items()),
        key=lambda file: file.path,
    )
    return Scope(found.name, _point(tx, context, request, found), files_by_path)


def standing_at(tx: ReadTx, file: str, point: int) -> Row | None:
    """Give the revision that a file was at right after an entry; `None` means there was no file.

    Of a file that was there before Hansard had to do with it, what it then held stands for all the
    time before.
    """
    until: Where = {"file": file, "seq": Range(below=point + 1)}
    rows = tx.scan(REVISIONS, until, order="seq", descending=True, limit=1)
    if rows:
        row = rows[0].row
    else:
        first = tx.scan(REVISIONS, {"file": file}, order="seq", limit=1)
        if not first or first[0].row["source"] != "found":
            return None
        row = first[0].row
    return row if row["after"] else None


@dataclass(slots=True)
class _Found:
    """The files of a scope, and the first and last entry by which it changed them."""

    name: str
    files: dict[str, File]
    first: int
    last: int

    def add(self, event: FileEvent, seq: int) -> None:
        """Take in one change."""
        paths = [
            event.path,
            *([event.to] if isinstance(event, FileOpIntended) and event.to else []),
        ]
        for path in paths:
            key = file_id(event.workspace, path)
            self.files[key] = File(key, event.workspace, path)
        self.first = min(self.first, seq) if self.first else seq
        self.last = max(self.last, seq)


def _of_entry(tx: ReadTx, context: Context, named: str) -> _Found:
    seq = as_of.resolve(tx, named, argument="entry")
    entry, event = _look_up(tx, context, seq)
    if isinstance(event, Outcome):
        entry, event = _look_up(tx, context, event.intent)
    found = _Found(f"entry s:{entry.seq}", {}, 0, 0)
    if isinstance(event, RestoreBegun):
        begun = entry.seq
        for one, each in _changes(tx, context, entry.session, after=begun):
            if isinstance(each, FileOpIntended) and each.restore == begun:
                found.add(each, one.seq)
    elif isinstance(event, CHANGING):
        found.add(event, entry.seq)
    else:
        raise InvalidInput(f"entry: {named} changed no file", argument="entry")
    return found


def _of_step(tx: ReadTx, context: Context, session: str, step: int) -> _Found:
    sitting = tx.get(SITTINGS, session)
    found = _Found(f"step {step} of {session}", {}, 0, 0)
    if sitting is None:
        return found
    for entry, event in _changes(tx, context, session):
        if (event.revision, event.step) == (sitting["revision"], step):
            found.add(event, entry.seq)
    return found


def _of_session(tx: ReadTx, session: str) -> _Found:
    found = _Found(f"session {session}", {}, 0, 0)
    after = None
    while page := tx.scan(TOUCHED, {"session": session}, after=after, limit=ENTRIES_PAGE):
        for one in page:
            row = one.row
            found.files[row["file"]] = File(row["file"], row["workspace"], row["path"])
            found.first = min(found.first or row["first_seq"], row["first_seq"])
            found.last = max(found.last, row["seq"])
        after = Position(None, page[-1].key)
    return found


def _point(tx: ReadTx, context: Context, request: Restore, found: _Found) -> int:
    """Find the last entry whose changes stand after the restore."""
    if request.point is None:
        return max(found.first - 1, 0) if request.to == "before" else found.last
    seq = as_of.resolve(tx, request.point, argument="point")
    if request.to == "after":
        return seq
    if seq:
        # A receipt names the outcome; what came before it is what came before the intent.
        _, event = _look_up(tx, context, seq)
        seq = event.intent if isinstance(event, Outcome) else seq
    return max(seq - 1, 0)


def _changes(
    tx: ReadTx, context: Context, session: str | None, *, after: int = 0
) -> Iterator[tuple[Entry, Any]]:
    """Go through what changed files in a session, in order."""
    kinds = [event.kind for event in CHANGING]
    while page := tx.entries(after=after, limit=ENTRIES_PAGE, kinds=kinds, session=session):
        for entry in page:
            if event := context.store.kinds.decode(entry):
                yield entry, event
        after = page[-1].seq


def _look_up(tx: ReadTx, context: Context, seq: int) -> tuple[Entry, Event | None]:
    entries = tx.entries(after=seq - 1, limit=1) if seq else []
    if not entries:
        raise InvalidInput(f"s:{seq} is not in the journal", argument="entry")
    return entries[0], context.store.kinds.decode(entries[0])


def _session(tx: ReadTx, context: Context, request: Restore) -> str:
    session = request.of_session or context.session
    if session is None:
        raise SessionNotFound("Name the session to restore")
    if session != context.session and tx.get(SESSIONS, session) is None:
        raise SessionNotFound(f"There is no session {session}", session_id=session)
    return session
