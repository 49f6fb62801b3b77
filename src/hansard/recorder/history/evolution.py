"""get_evolution: the revisions of files."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from hansard.kernel.content import original
from hansard.kernel.cursor import from_cursor, to_cursor
from hansard.kernel.engine import Found, Position, ReadTx, Row, Table, Where
from hansard.kernel.event import Entry
from hansard.kernel.operation import Context
from hansard.kernel.origin import happened
from hansard.kernel.problem import InvalidInput, StorageUnavailable
from hansard.recorder import contract, rules
from hansard.recorder.answers import EvolutionAnswer, FileEvolved, RevisionShown, whole
from hansard.recorder.contents.diffs import unified_diff
from hansard.recorder.events import FileRef
from hansard.recorder.gateway import Gateway
from hansard.recorder.history.copies import elsewhere
from hansard.recorder.history.file_history import History, history_at, path_of
from hansard.recorder.history.lineage import known_here, place_known
from hansard.recorder.problems import FileNotFound
from hansard.recorder.tables import FILES, REVISIONS, TOUCHED, file_id, touched_key
from hansard.recorder.workspace.paths import FilePath
from hansard.sessions.citations import decisions_cited_in


def get_evolution(
    gateway: Gateway, request: contract.GetEvolution, context: Context
) -> EvolutionAnswer:
    """Show files, the revisions of one, one's content, or the diff of two."""
    if request.path is None:
        return context.read(lambda tx: _files(gateway, tx, request, context))
    path = gateway.plain(request.path)

    def work(tx: ReadTx) -> EvolutionAnswer:
        looked_up = _LookedUp(tx, context, str(path), _find(gateway, tx, context, path))
        if request.revision is not None:
            return looked_up.content(request.revision)
        if request.from_ is not None or request.to is not None:
            return looked_up.difference(request.from_, request.to)
        return looked_up.revisions(request)

    return context.read(work)


class _LookedUp:
    """One file under all its names, as far as it had come at the point that is asked about."""

    def __init__(self, tx: ReadTx, context: Context, asked: str, history: History) -> None:
        self._tx = tx
        self._context = context
        self._history = history
        self._path = history.path()
        self._asked_as = asked if asked != self._path else None

    def revisions(self, request: contract.GetEvolution) -> EvolutionAnswer:
        """List the revisions, the latest first."""
        position = from_cursor(request.cursor, REVISIONS, "revision")
        below = position.value if position and isinstance(position.value, int) else None
        found = list(islice(self._history.rows(below=below), request.limit + 1))
        shown = found[: request.limit]
        is_cut = len(found) > request.limit
        replaced_at = self._history.replaced_at()
        return self._told(
            revisions=[self._shown(row) for row in shown],
            total=self._history.latest,
            earlier=f"s:{replaced_at - 1}" if replaced_at else None,
            nextCursor=to_cursor(Position(shown[-1]["revision"], "")) if is_cut else None,
        )

    def content(self, number: int) -> EvolutionAnswer:
        """Show what a revision held."""
        row = self._row(number)
        data = self._data(row)
        shown: dict[str, Any] = {}
        if data is not None:
            text, encoding = rules.encoded(data)
            shown = {"content": text, "encoding": encoding}
        return self._told(revisions=[self._shown(row)], **shown)

    def difference(self, from_: int | None, to: int | None) -> EvolutionAnswer:
        """Compare two revisions; by default the latest with the one before; 0 is no file."""
        to = self._history.latest if to is None else to
        from_ = to - 1 if from_ is None else from_
        rows = [self._row(number) if number else None for number in (from_, to)]
        secret = [row for row in rows if row and _is_secret(row)]
        if secret:
            diff = f"(the content of revision {secret[0]['revision']} was not recorded)"
        else:
            old, new = (self._data(row) if row else None for row in rows)
            names = {"was": f"{self._path} revision {from_}", "now": f"{self._path} revision {to}"}
            diff = unified_diff(old, new, **names)
        shown = [self._shown(row) for row in rows if row]
        return self._told(revisions=shown, diff=diff)

    def _told(self, **parts: Any) -> EvolutionAnswer:
        return EvolutionAnswer(path=self._path, asked_as=self._asked_as, **parts)

    def _row(self, revision: int) -> Row:
        row = self._history.row(revision)
        if row is None:
            raise InvalidInput(
                f"{self._path} has revisions 1 to {self._history.latest}, not {revision}",
                argument="revision",
            )
        return row

    def _data(self, row: Row) -> bytes | None:
        ref = _ref(row)
        return original(self._tx, ref.blob) if ref and ref.blob else None

    def _shown(self, row: Row) -> RevisionShown:
        [entry] = self._tx.entries(after=row["seq"] - 1, limit=1)
        event = self._context.store.kinds.decode(entry)
        path = path_of(self._tx, row)
        return RevisionShown(
            revision=row["revision"],
            path=path if path != self._path else None,
            seq=row["seq"],
            at=entry.at,
            happened=happened(self._tx, row["seq"]),
            actor=_author(row, entry),
            session_id=entry.session,
            action=row["action"],
            source=row["source"],
            index=getattr(event, "step", None),
            **_lines(row),
            other=row.get("other"),
            decisions=decisions_cited_in(self._tx, entry.session) or None,
            **_content_shown(row),
        )


def _lines(row: Row) -> dict[str, Any]:
    """Say how many lines changed, or that nobody knows what was there before."""
    if row.get("before_unknown"):
        return {"before_unknown": True}
    return {"added": row["added"], "removed": row["removed"]}


def _files(
    gateway: Gateway, tx: ReadTx, request: contract.GetEvolution, context: Context
) -> EvolutionAnswer:
    """List the files that a session touched; without a session, all of the workspace."""
    table: Table = FILES if context.session is None else TOUCHED
    of: Where = {"session": context.session}
    if context.session is None:
        of = {"workspace": place_known(gateway, tx)}
    # What went elsewhere is listed there; but what was here then may be elsewhere now.
    where: Where = {**of, **({"is_away": False} if context.as_of is None else {})}
    position = from_cursor(request.cursor, table, "seq")
    found = tx.scan(
        table, where, order="seq", descending=True, after=position, limit=request.limit + 1
    )
    shown = found[: request.limit]
    files = [file for one in shown if (file := _evolved(tx, one.row, context))]
    is_whole = request.cursor is None and len(found) == len(shown)
    # How many there were earlier is known only where all of them were looked at.
    then = len(files) if is_whole else None
    return EvolutionAnswer(
        files=files,
        note=None if found or context.session else _elsewhere(gateway, tx),
        total=tx.tally(table, where).get(None, 0) if context.as_of is None else then,
        nextCursor=_next(shown) if len(found) > request.limit else None,
    )


def _evolved(tx: ReadTx, row: Row, context: Context) -> FileEvolved | None:
    file = file_id(row["workspace"], row["path"])
    history = history_at(tx, file, context.as_of)
    if history is None:
        return None
    latest = history.row(history.latest)
    assert latest is not None, "a history has lost its latest revision"
    # What the session left under another name is listed once, under the one it has.
    if latest["file"] != file and _is_listed(tx, latest["file"], context.session):
        return None
    held = {name: value for name, value in _content_shown(latest).items() if name != "mode"}
    held.pop("redacted", None)
    path = path_of(tx, latest)
    return FileEvolved(path=path, revisions=history.latest, seq=latest["seq"], **held)


def _is_listed(tx: ReadTx, file: str, session: str | None) -> bool:
    return session is None or tx.get(TOUCHED, touched_key(session, file)) is not None


def _find(gateway: Gateway, tx: ReadTx, context: Context, path: FilePath) -> History:
    """Find a file by its path: in this workspace, else in the one that the session worked in."""
    here = known_here(gateway, tx, str(path))
    found = history_at(tx, here, context.as_of) if here is not None else None
    if found is None and context.session is not None:
        for one in tx.scan(TOUCHED, {"session": context.session}, limit=1):
            there = file_id(one.row["workspace"], str(path))
            found = history_at(tx, there, context.as_of)
    if found is None:
        raise FileNotFound(
            f"Nothing is recorded of {path}", hint=_elsewhere(gateway, tx), path=str(path)
        )
    return found


def _elsewhere(gateway: Gateway, tx: ReadTx) -> str | None:
    try:
        return elsewhere(gateway, tx)
    except StorageUnavailable:  # this place has no folder: nothing can go on here
        return None


def _content_shown(row: Row) -> dict[str, Any]:
    ref = _ref(row)
    if ref is None:
        return {}
    mode = None if ref.mode is None else f"{ref.mode:04o}"
    return whole({"sha256": ref.digest, "mode": mode, "redacted": list(ref.redacted)}) | {
        "size": ref.size
    }


def _ref(row: Row) -> FileRef | None:
    return FileRef.model_validate(row["after"]) if row["after"] else None


def _is_secret(row: Row) -> bool:
    ref = _ref(row)
    return ref is not None and ref.blob is None


def _author(row: Row, entry: Entry) -> str:
    """Say who made a revision; of what came from outside nobody knows."""
    if row["source"] in ("external", "found"):
        return "outside"
    return str(entry.actor)


def _next(shown: Sequence[Found]) -> str:
    return to_cursor(Position(shown[-1].row["seq"], shown[-1].key))
