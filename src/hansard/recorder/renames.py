"""Detects moves by others: a file is gone, and a new one holds its content.

A file that was there already and now holds what another held was written, not moved to: editors
save that way. An empty file says nothing about where it came from.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice

from hansard.kernel.blob import Digest
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.event import Event
from hansard.kernel.operation import Context
from hansard.kernel.problem import Problem
from hansard.recorder import limits
from hansard.recorder.events import ExternalChangeSeen, FileFound, FileRef
from hansard.recorder.gateway import Gateway
from hansard.recorder.intents import modified_at
from hansard.recorder.story.chapters import sitting_of
from hansard.recorder.tables import FILES, PENDING, file_id
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import Seen

FEW_BYTES = 64
"""A content this short says little about where it came from: `{}`, a line, a stub."""

Noticed = tuple[int, ExternalChangeSeen]
"""The entry of a move, and what it says about the path that the file came to."""


def paired(seen: Sequence[Event]) -> list[Event]:
    """Record a file that is gone and one that came with its content, seen together, as one move."""
    gone = {one.path: one for one in seen if isinstance(one, ExternalChangeSeen) and _gone(one)}
    came = {held[0]: held[1] for one in seen if (held := _came(one))}
    moves = matched(
        {path: _gone(one) for path, one in gone.items()},
        {path: held.digest for path, held in came.items()},
    )
    told = [one for one in seen if getattr(one, "path", None) not in {*moves, *moves.values()}]
    for source, target in moves.items():
        told += moved(gone[source], target, came[target])
    return told


def notice(
    gateway: Gateway, context: Context, found: Iterable[tuple[FilePath, Seen | None]]
) -> list[Noticed]:
    """Record that files were moved to where they are found, if that is what happened.

    The caller holds the locks of the files it found; one that is gone is left alone if it is busy.
    """
    noticed = []
    for path, state in found:
        if state is not None and state.size:
            rows = context.read(partial(candidates, gateway=gateway, path=path, state=state))
            gone = _likest_gone(gateway, path, rows)
            recorded = (_record(gateway, context, row, path, state) for row in gone)
            noticed += list(islice(filter(None, recorded), 1))
    return noticed


def moved(
    left: ExternalChangeSeen, target: str, held: FileRef
) -> tuple[ExternalChangeSeen, ExternalChangeSeen]:
    """Give both sides of a move: what was seen at the path that is left, then at the other."""
    lines = {"added": 0, "removed": 0, "regions": None}
    gone = left.model_copy(update={"moved_to": target, **lines})
    came = {"path": target, "before": None, "after": held, "moved_from": left.path}
    return gone, left.model_copy(update={**came, **lines})


def matched(gone: Mapping[str, str | None], came: Mapping[str, str]) -> dict[str, str]:
    """Pair paths that are gone with those that hold the same now, the likest names first."""
    pairs = [
        (source, target)
        for source, left in gone.items()
        for target, held in came.items()
        if left == held
    ]
    pairs.sort(key=lambda pair: (-likeness(*pair), *pair))
    moves: dict[str, str] = {}
    for source, target in pairs:
        if source not in moves and target not in moves.values():
            moves[source] = target
    return moves


def unmistakable(gone: Mapping[str, bytes], came: Mapping[str, bytes]) -> dict[str, str]:
    """Pair paths that are gone with those that hold the same now, where nothing else can be meant.

    A few bytes are soon written twice, and of several that hold the same any may be any other: then
    the last name must be the same too, and no other path may be as like.
    """
    moves: dict[str, str] = {}
    for content in {*gone.values()} & {*came.values()}:
        sources = [path for path, held in gone.items() if held == content]
        targets = [path for path, held in came.items() if held == content]
        if len(content) > FEW_BYTES and len(sources) == len(targets) == 1:
            moves[sources[0]] = targets[0]
            continue
        for source in sources:
            target = _only_namesake(source, targets)
            if target is not None and _only_namesake(target, sources) == source:
                moves[source] = target
    return moves


def _only_namesake(path: str, others: Iterable[str]) -> str | None:
    """Choose the likest of the paths that have the same last name; `None` if two are as like."""
    name = path.rpartition("/")[2]
    named = [other for other in others if other.rpartition("/")[2] == name]
    best = max((likeness(path, other) for other in named), default=0)
    likest = [other for other in named if likeness(path, other) == best]
    return likest[0] if len(likest) == 1 else None


def likeness(one: str, other: str) -> int:
    """Say how much two paths have in common: above all the name, then what surrounds it."""
    ours, theirs = one.split("/"), other.split("/")
    return 2 * _common(ours[::-1], theirs[::-1]) + _common(ours, theirs)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)


def _gone(event: ExternalChangeSeen) -> Digest | None:
    """Name what a file held that is no longer there."""
    return event.before.digest if event.after is None and event.before else None


def _came(event: Event) -> tuple[str, FileRef] | None:
    """Give what a file holds that was not there, and its path."""
    if isinstance(event, FileFound):
        held: FileRef | None = event.content
    elif isinstance(event, ExternalChangeSeen) and event.before is None:
        held = event.after
    else:
        return None
    return (event.path, held) if held and held.size else None


def candidates(tx: ReadTx, gateway: Gateway, path: FilePath, state: Seen | None) -> list[Row]:
    """Find the files that held what lies at a path of which nothing is recorded."""
    if state is None or not state.size:
        return []
    row = tx.get(FILES, gateway.file(path))
    if row and row["digest"]:
        return []
    where = {"workspace": gateway.identity, "digest": state.digest}
    return [one.row for one in tx.scan(FILES, where, limit=limits.MOVE_CANDIDATES_MAX)]


def _likest_gone(gateway: Gateway, path: FilePath, rows: Iterable[Row]) -> list[Row]:
    """Choose those that are no longer there, the one with the likest name first."""
    found = [row for row in rows if _is_gone(gateway, row["path"])]
    return sorted(found, key=lambda row: (-likeness(row["path"], str(path)), row["path"]))


def _is_gone(gateway: Gateway, path: str) -> bool:
    try:
        return gateway.workspace.read(gateway.plain(path)) is None
    except Problem:  # a folder, a link: in any case something is there
        return False


def _record(
    gateway: Gateway, context: Context, row: Row, path: FilePath, state: Seen
) -> Noticed | None:
    """Record a move, unless someone works on the file that is gone."""
    source = file_id(row["workspace"], row["path"])
    lock = gateway.lock_if_free(context.store.engine, source)
    if lock is None:
        return None

    def work(tx: WriteTx) -> Noticed | None:
        known = tx.get(FILES, source)
        is_busy = bool(tx.scan(PENDING, {"file": source}, limit=1))
        if known is None or known["digest"] != state.digest or is_busy:
            return None
        if context.open_session:
            context.open_session(tx)
        left, came = _events(tx, context, known, str(path), state)
        context.record(tx, left)
        return context.record(tx, came).seq, came

    with lock:
        return context.store.write(context.project, work)


def _events(
    tx: ReadTx, context: Context, known: Row, target: str, state: Seen
) -> tuple[ExternalChangeSeen, ExternalChangeSeen]:
    sitting = sitting_of(tx, context.session) if context.session else {}
    held = FileRef.model_validate(known["after"])
    left = ExternalChangeSeen(
        workspace=known["workspace"],
        path=known["path"],
        before=held,
        after=None,
        added=0,
        removed=0,
        revision=sitting.get("revision"),
        step=sitting.get("step"),
    )
    gone, came = moved(left, target, held.model_copy(update={"mode": state.mode}))
    return gone, came.model_copy(update={"modified": modified_at(state)})
