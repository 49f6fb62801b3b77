"""The scope of a restore: which files, and the point in the journal they return to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hansard.kernel import as_of, paging
from hansard.kernel.clock import from_text
from hansard.kernel.effect import Outcome
from hansard.kernel.engine import Range, ReadTx, Row, Where
from hansard.kernel.operation import Context
from hansard.kernel.problem import InvalidInput
from hansard.recorder import limits, prompts
from hansard.recorder.contract import Restore
from hansard.recorder.events import (
    ExternalChangeSeen,
    FileOpIntended,
    FileReported,
    StepBegun,
    step_name,
)
from hansard.recorder.gateway import Gateway
from hansard.recorder.history.changes import Made, changes_of_entry, look_up, required_plan
from hansard.recorder.history.lineage import Stretch, is_known, lineage_of
from hansard.recorder.problems import FileNotFound
from hansard.recorder.results import entry_at
from hansard.recorder.tables import FILES, REVISIONS, TOUCHED, file_id
from hansard.sessions.contract import SessionNotFound
from hansard.sessions.views import SESSIONS

WORKSPACE = "."
"""The path of everything."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that a restore may change."""

    key: str
    workspace: str
    path: str


@dataclass(frozen=True, slots=True)
class RestoreScope:
    """Some files, and the entry right after which they were as they should be again."""

    name: str
    point: int
    files: list[File]
    session: str | None
    """The session whose work it is; anything else is others' work."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a file was at a point: a revision, nothing, or unknown."""

    row: Row | None = None
    is_unknown: bool = False
    is_elsewhere: bool = False
    """Whether that was in the place this copy comes from, before there was a copy."""

    @property
    def number(self) -> int:
        """The number of the revision; 0 is no file, or one from before this copy."""
        return self.row["number"] if self.row and not self.is_elsewhere else 0


def find_scope(gateway: Gateway, tx: ReadTx, context: Context, request: Restore) -> RestoreScope:
    """Find what a restore is about, or refuse it."""
    if request.path is not None and _is_folder(request.path):
        found = _of_folder(gateway, tx, context, request)
    elif request.path is not None:
        found = _of_path(gateway, tx, context, request)
    elif request.entry is not None:
        found = _of_entry(gateway, tx, context, request.entry)
    else:
        found = _of_session(gateway, tx, session_of(tx, context, request.of_session))
    if len(found.files) > limits.RESTORE_FILES_MAX:
        raise InvalidInput(
            f"This would touch {len(found.files)} files; at most {limits.RESTORE_FILES_MAX}",
            hint="Restore a path, an entry or a step instead",
        )
    files_by_path = sorted(found.files.values(), key=lambda file: file.path)
    name = found.name if request.step is None else f"step {request.step} of {found.name}"
    return RestoreScope(name, _point(tx, context, request, found), files_by_path, found.session)


def session_of(tx: ReadTx, context: Context, named: str | None) -> str:
    """Give the session that is meant, or refuse an unknown one."""
    session = named or context.session
    if session is None:
        raise SessionNotFound("Name the session that is meant with of_session")
    if session != context.session and tx.get(SESSIONS, session) is None:
        raise SessionNotFound(f"There is no session {session}", session_id=session)
    return session


def standing_at(tx: ReadTx, stretches: Sequence[Stretch], point: int) -> Standing:
    """Say what a file was right after an entry; of a copy, also before it was one."""
    (here, _), *past = stretches
    for file, until in reversed(past):
        if point < until and tx.get(FILES, file) is not None and not _has(tx, here, point):
            return replace(_standing_in(tx, file, point), is_elsewhere=True)
    return _standing_in(tx, here, point)


def _has(tx: ReadTx, file: str, point: int) -> bool:
    """Whether anything had been recorded of a file by then."""
    return bool(tx.scan(REVISIONS, {"file": file, "seq": Range(below=point + 1)}, limit=1))


def _standing_in(tx: ReadTx, file: str, point: int) -> Standing:
    """Say what a file was right after an entry, by what was recorded where it lies.

    Of a file that was there before Hansard had to do with it, what it then held stands for all the
    time before. What somebody made of it earlier than the point stood then, though it was noticed
    only later.
    """
    until: Where = {"file": file, "seq": Range(below=point + 1)}
    since: Where = {"file": file, "seq": Range(at_least=point + 1)}
    rows = tx.scan(REVISIONS, until, order="seq", descending=True, limit=1)
    later = tx.scan(REVISIONS, since, order="seq", limit=1)
    before, after = rows[0].row if rows else None, later[0].row if later else None
    if after and is_older(tx, after.get("modified"), point):
        return Standing(after)
    if before is None and after and after["source"] == "found":
        return Standing(after)
    is_gone = before is None or before["after"] is None
    if is_gone and after and after.get("before_unknown"):
        return Standing(is_unknown=True)
    return Standing(before)


def is_older(tx: ReadTx, modified: str | None, point: int) -> bool:
    """Whether a file was last changed before an entry was made, by both clocks."""
    if modified is None or not point:
        return False
    return from_text(modified) <= from_text(entry_at(tx, point).clock)


@dataclass(slots=True)
class _Found:
    """The files of a scope, and the first and last entry by which it changed them."""

    name: str
    session: str | None
    files: dict[str, File]
    first: int = 0
    last: int = 0

    def add(self, file: File, first: int, last: int) -> None:
        """Take in a file that was changed from one entry to another."""
        self.files[file.key] = file
        self.first = min(self.first, first) if self.first else first
        self.last = max(self.last, last)


def _of_path(gateway: Gateway, tx: ReadTx, context: Context, request: Restore) -> _Found:
    assert request.path is not None, "a path is to be restored that none is named of"
    path = str(gateway.resolve(request.path, context.caller))
    key = file_id(gateway.identity, path)
    if not is_known(tx, lineage_of(gateway, tx).stretches(path)):
        raise FileNotFound(f"Nothing is recorded of {path}", path=path)
    session = session_of(tx, context, request.of_session) if request.of_session else context.session
    return _Found(f"path {path}", session, {key: File(key, gateway.identity, path)})


def _is_folder(path: str) -> bool:
    """Whether a path names a folder: it ends like one, or is the workspace itself."""
    return path == WORKSPACE or path.endswith("/")


def _of_folder(gateway: Gateway, tx: ReadTx, context: Context, request: Restore) -> _Found:
    """Find every recorded file below a folder that was changed after the point."""
    assert request.path is not None, "a folder is to be restored that none is named of"
    named = request.path.strip("/").removeprefix("./")
    whole = named in ("", WORKSPACE)
    within = "" if whole else f"{gateway.plain(named)}/"
    found = _Found(f"folder {within}" if within else "the workspace", context.session, {})
    lineage = lineage_of(gateway, tx)
    places = (lineage.here, *(place for place, _ in lineage.past))
    for path in _below(tx, places, within, after=_point(tx, context, request, found)):
        key = file_id(lineage.here, path)
        found.files[key] = File(key, lineage.here, path)
    if within and not found.files and not any(_below(tx, places, within, after=0)):
        raise FileNotFound(f"Nothing is recorded below {within}", path=within)
    return found


def _below(tx: ReadTx, places: Sequence[str], within: str, *, after: int) -> Iterator[str]:
    """Give the paths below a folder that were changed after an entry, wherever they lay."""
    for place in places:
        since: Where = {"workspace": place, "seq": Range(at_least=after + 1)}
        paths = (one.row["path"] for one in paging.rows(tx, FILES, since, order="seq"))
        yield from (path for path in paths if path.startswith(within))


def _of_entry(gateway: Gateway, tx: ReadTx, context: Context, named: str) -> _Found:
    changes = changes_of_entry(tx, context, named)
    lineage = lineage_of(gateway, tx)
    session = changes.made[0].session if changes.made else None
    found = _Found(changes.name, session, {})
    for one in lineage.adopted(tx, changes.made):
        for file in _files(one):
            found.add(file, one.seq, one.seq)
    return found


def _of_session(gateway: Gateway, tx: ReadTx, session: str) -> _Found:
    found = _Found(f"session {session}", session, {})
    lineage = lineage_of(gateway, tx)
    for one in paging.rows(tx, TOUCHED, {"session": session}):
        row = one.row
        is_ours = lineage.shares(row["workspace"], row["first_seq"])
        place = lineage.here if is_ours else row["workspace"]
        file = File(file_id(place, row["path"]), place, row["path"])
        found.add(file, row["first_seq"], row["seq"])
    return found


def _files(made: Made) -> list[File]:
    return [File(key, made.workspace, path) for path, key in made.files().items()]


def _point(tx: ReadTx, context: Context, request: Restore, found: _Found) -> int:
    """Find the last entry whose changes stand after the restore."""
    if request.step is not None:
        assert found.session is not None, "a step is of a session"
        return _begun(tx, context, found.session, request.step) - 1
    if request.prompt is not None:
        assert found.session is not None, "a prompt is of a session"
        return prompts.find(tx, found.session, request.prompt)
    if request.point is None:
        return max(found.first - 1, 0) if request.to == "before" else found.last
    seq = as_of.resolve(tx, request.point, argument="point")
    if request.to == "after":
        return seq
    if seq:
        # A receipt names the outcome; what came before it is what came before the intent.
        _, event = look_up(tx, context, seq)
        seq = event.intent if isinstance(event, Outcome) else seq
    return max(seq - 1, 0)


STEPPING = (StepBegun, FileOpIntended, FileReported, ExternalChangeSeen)


def _begun(tx: ReadTx, context: Context, session: str, step: int) -> int:
    """Find the entry with which a step of the current plan began, or refuse one that has not."""
    revision = required_plan(tx, session, step)["revision"]
    kinds = [event.kind for event in STEPPING]
    for entry in paging.entries(tx, kinds=kinds, session=session):
        event = context.store.kinds.decode(entry)
        number = event.index if isinstance(event, StepBegun) else getattr(event, "step", None)
        if (getattr(event, "revision", None), number) == (revision, step):
            return entry.seq
    raise InvalidInput(f"step: {step_name(step)} (index {step}) has not begun", argument="step")
