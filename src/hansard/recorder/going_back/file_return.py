"""How one file returns to a state: what is there, what prevents it, what to show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Context
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.recorder import limits
from hansard.recorder.answers import whole
from hansard.recorder.contents.diffs import line_counts, unified_diff
from hansard.recorder.contents.kept_content import is_erased
from hansard.recorder.events import Action, FileRef
from hansard.recorder.file_decisions import require_allowed
from hansard.recorder.gateway import Gateway
from hansard.recorder.going_back.answers import BackStep
from hansard.recorder.going_back.return_files import Way
from hansard.recorder.intents import Planned
from hansard.recorder.rules import Plan
from hansard.recorder.tables import FILES, FOLDERS, file_id
from hansard.recorder.workspace import protected
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import FileState, Seen

GIT = ".git"


class UnreachableError(Exception):
    """A file is to be left alone; the message says why, for a person."""


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file that may be brought back, and its present state."""

    path: FilePath
    key: str
    current: Seen | None


def look(gateway: Gateway, context: Context, workspace: str, name: str) -> FilePlace:
    """Look at a file, or say why it is left alone."""
    if workspace != gateway.identity:
        raise UnreachableError(
            "it lies in another workspace, or in a copy that this one does not go on from: "
            "go back there"
        )
    try:
        path = gateway.resolve(name, context.caller)
        current = gateway.workspace.look(path, limits.KEPT_BYTES_MAX)
        governing = context.read(lambda tx: gateway.governed(tx, name))
        require_allowed(name, governing, context.caller)
    except StorageUnavailable:
        raise
    except Problem as problem:
        raise UnreachableError(problem.message) from problem
    if any(protected.fold(part) == GIT for part in path.components):
        raise UnreachableError("what lies under .git is never touched")
    return FilePlace(path, gateway.file(path), current)


def recorded(tx: ReadTx, key: str) -> FileRef | None:
    """Give what was last recorded that a file holds; `None` for nothing or no file."""
    row = tx.get(FILES, key)
    return FileRef.model_validate(row["after"]) if row and row["after"] else None


def require_keepable(gateway: Gateway, tx: ReadTx, place: FilePlace) -> None:
    """Refuse to replace what is there if it could not be brought back again."""
    known, current = recorded(tx, place.key), place.current
    if current is None:
        return
    if is_erased(tx, current.digest, known):
        raise UnreachableError(
            "what it holds was redacted by a person, is not kept, and so could not come back"
        )
    if known and known.is_kept and known.digest == current.digest:
        return
    if not isinstance(current, FileState):
        size = f"it has {current.size:,} bytes now"
        raise UnreachableError(f"{size}, too many to be kept, and so could not come back")
    secrets = gateway.redacted(current.content)
    if secrets and (why := gateway.keys.why_not()):
        held = f"it holds a secret now ({', '.join(secrets)})"
        raise UnreachableError(f"{held} that could not come back, since {why}")


@dataclass(frozen=True, slots=True)
class WantedFile:
    """What a file will be: its content, or none; its permissions, or those it has."""

    content: bytes | None
    mode: int | None = None
    undoes: tuple[int, ...] = ()
    back_to: int | None = None


def way_to(
    gateway: Gateway, tx: ReadTx, place: FilePlace, goal: WantedFile, *, diff: bool, **said: Any
) -> Way:
    """Plan how a file gets to its target state, with a warning if needed."""
    require_keepable(gateway, tx, place)
    current, after = place.current, goal.content
    action: Action = "delete" if after is None else "edit" if current else "create"
    plan = Plan(action, current, after)
    planned = Planned(
        place.path,
        None,
        plan,
        mode=goal.mode,
        undoes=goal.undoes,
        back_to=goal.back_to,
        makes=gateway.workspace.missing_folders(place.path) if action == "create" else 0,
        clears=folders_made(gateway, tx, place.path) if action == "delete" else 0,
    )
    added, removed = line_counts(plan.was, after)
    is_chmod = goal.mode is not None and (current is None or current.mode != goal.mode)
    told = {"added": added, "removed": removed, "undoes": list(goal.undoes)} | said
    told |= {"mode": f"{goal.mode:04o}" if is_chmod and after is not None else None}
    told |= {"diff": shown_diff(gateway, str(place.path), plan.was, after) if diff else None}
    return Way(BackStep(path=str(place.path), action=action, **whole(told)), planned)


def folders_made(gateway: Gateway, tx: ReadTx, path: FilePath) -> int:
    """Count the folders above a file, from the innermost, that were made for what is in them."""
    above = path.components[:-1]
    for count in range(len(above)):
        folder = "/".join(above[: len(above) - count])
        if tx.get(FOLDERS, file_id(gateway.identity, folder)) is None:
            return count
    return len(above)


def shown_diff(gateway: Gateway, path: str, was: bytes | None, now: bytes | None) -> str:
    """Show what changes in a file; nothing, if it holds a secret."""
    if any(content and gateway.redacted(content) for content in (was, now)):
        return "(it holds a secret, which is not shown)\n"
    text = unified_diff(was, now, was=f"{path} now", now=f"{path} then")
    left = len(text) - limits.DIFF_SHOWN_CHARS
    return text if left <= 0 else f"{text[: limits.DIFF_SHOWN_CHARS]}\n({left} more characters)\n"


def skip(path: str, reason: str, **said: Any) -> Way:
    """Leave a file alone, and say why."""
    return Way(BackStep(path=path, action="skip", reason=reason, **said))


def clashing(path: str, reason: str, current: Seen | None) -> Way:
    """Leave a file alone that somebody has to look at again."""
    step = BackStep(path=path, action="clash", reason=reason)
    return Way(step).showing(current.digest if current else None)


def unchanged(path: str, reason: str | None = None) -> Way:
    """Leave a file as it is, since it is as it should be."""
    return Way(BackStep(path=path, action="none", reason=reason))


def skip_all(paths: Sequence[str], at: str, reason: str) -> list[Way]:
    """Leave files alone that go back together, because of one of them."""
    return [skip(path, reason if path == at else f"it goes with {at}") for path in paths]
