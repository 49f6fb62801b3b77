"""Pushes a project to another store or pulls it: only new entries, and never a merge."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hansard.app.keeping.peer_store import DIGESTS_MAX, PIECE_BYTES_MAX, Answer
from hansard.kernel.problem import Problem

Progress = Callable[[str, str, int, int], None]


class HistoriesDiverged(Problem):
    """Both stores have entries of the project that the other does not have."""

    code, http_status = "HISTORIES_DIVERGED", 409
    hint = (
        "Nothing was changed. Go on with one of them; to have both in one store, export the other "
        "and import it under another name with --as"
    )


class Peer(Protocol):
    """A store that messages are sent to, wherever it lies."""

    @property
    def name(self) -> str:
        """Its name in messages."""

    def ask(self, message: dict[str, Any], body: bytes = b"") -> Answer:
        """Send one message, and give its answer; a refusal is raised."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What went from one store to the other."""

    project: str
    entries: int
    blobs: int
    bytes: int
    seq: int
    hash: str
    ahead: int = 0
    """How many entries the other side has that this one lacks: they go the other way."""
    redactions: int = 0
    """How often something was erased by what went: the copy there keeps what it had before."""


def move(
    source: Peer,
    target: Peer,
    project: str,
    *,
    progress: Progress = lambda *_: None,
) -> Moved:
    """Bring what a project has in one store to another, if that goes on from what is there."""
    ours, theirs = _look(source, project), _look(target, project)
    if (ours["seq"], ours["hash"]) == (theirs["seq"], theirs["hash"]):
        return Moved(project, 0, 0, 0, theirs["seq"], theirs["hash"])
    common = _common(source, target, project, (ours["seq"], theirs["seq"]))
    if common == ours["seq"]:
        # The target already has all of it, and more.
        ahead = theirs["seq"] - common
        return Moved(project, 0, 0, 0, theirs["seq"], theirs["hash"], ahead=ahead)
    if common < theirs["seq"]:
        raise _diverged(source, target, project, common)
    told = source.ask({"do": "since", "project": project, "after": common})[0]
    # What is written meanwhile waits for the next push: all of this is about one moment.
    span = {"project": project, "after": common, "until": ours["seq"]}
    way, size = _made(source, span, _wanted(source, target, span))
    done = _carry(source, target, (project, way, size), progress)
    return Moved(
        project,
        done["entries"],
        done["blobs"],
        size,
        done["seq"],
        done["hash"],
        redactions=told["redactions"],
    )


def _look(peer: Peer, project: str) -> dict[str, Any]:
    return peer.ask({"do": "look", "project": project})[0]


def _common(source: Peer, target: Peer, project: str, ends: tuple[int, int]) -> int:
    """Find the last entry that both have: each hash covers all that came before it."""

    def same(seq: int) -> bool:
        asked = {"do": "hashes", "project": project, "seqs": [seq]}
        ours, theirs = (peer.ask(asked)[0]["hashes"].get(str(seq)) for peer in (source, target))
        return ours is not None and ours == theirs

    low, high = 0, min(ends)
    if same(high):
        return high
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if same(middle) else (low, middle)
    return low


def _diverged(source: Peer, target: Peer, project: str, common: int) -> HistoriesDiverged:
    asked = {"do": "since", "project": project, "after": common}
    here, there = source.ask(asked)[0], target.ask(asked)[0]
    where = f"after s:{common}" if common else "from the first entry on"
    return HistoriesDiverged(
        f"{project} has gone two ways {where}: {_told(here)} in {source.name}, {_told(there)} in "
        f"{target.name}",
        project_id=project,
        common=common,
        source=here,
        target=there,
    )


def _told(side: dict[str, Any]) -> str:
    count = f"{side['entries']:,} entries" if side["entries"] != 1 else "1 entry"
    return f"{count} (last {side['last'][:19]} by {side['by']})" if "last" in side else count


def _wanted(source: Peer, target: Peer, span: dict[str, Any]) -> list[str]:
    """Find out which blobs the target lacks of those that what is new rests on."""
    wanted: list[str] = []
    offset, total = 0, 1
    while offset < total:
        page = source.ask(span | {"do": "named", "offset": offset})[0]
        total, digests = page["total"], page["digests"]
        if digests:
            asked = {"do": "lacking", "project": span["project"], "digests": digests}
            wanted += target.ask(asked)[0]["digests"]
        offset += max(len(digests), 1)
    return wanted


def _made(source: Peer, span: dict[str, Any], wanted: Sequence[str]) -> tuple[str, int]:
    """Ask the source to make a part; gives its name there, and its size."""
    way = source.ask({"do": "open", "project": span["project"]})[0]["way"]
    for start in range(0, len(wanted), DIGESTS_MAX):
        digests = list(wanted[start : start + DIGESTS_MAX])
        source.ask({"do": "want", "project": span["project"], "way": way, "digests": digests})
    return way, source.ask(span | {"do": "make", "way": way})[0]["bytes"]


def _carry(
    source: Peer, target: Peer, part: tuple[str, str, int], progress: Progress
) -> dict[str, Any]:
    """Transfer a part piece by piece, then let the target import it."""
    project, way, size = part
    there = target.ask({"do": "open", "project": project})[0]["way"]
    offset = 0
    while offset < size:
        _, piece = source.ask({"do": "get", "project": project, "way": way, "offset": offset})
        assert 0 < len(piece) <= PIECE_BYTES_MAX, "a piece is as long as a message may be"
        put = {"do": "put", "project": project, "way": there, "offset": offset}
        target.ask(put, piece)
        offset += len(piece)
        progress(project, "bytes", offset, size)
    return target.ask({"do": "take", "project": project, "way": there})[0]
