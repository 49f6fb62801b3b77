"""Copies of one workspace: which exist, and how one continues another.

A place is a folder on a host, and only there files are settled and restored. Two places with the
same mark hold copies of one workspace. A new copy goes on from the one last worked in: its files
are known as they were there, and their histories share what came before.
"""

from collections.abc import Callable
from typing import Any

from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.operation import Context, Request, Result
from hansard.kernel.problem import InvalidInput, StorageUnavailable
from hansard.kernel.view import Derivation
from hansard.recorder import limits
from hansard.recorder.contract import Back
from hansard.recorder.events import WorkspaceSeen
from hansard.recorder.gateway import Gateway
from hansard.recorder.history.revisions import PathChange, continue_from
from hansard.recorder.tables import COPIES, FILES

Marked = Callable[[], str | None]
"""Says what identifies the workspace wherever it lies; `None` if only its place does."""


def unmarked() -> str | None:
    """Identify a workspace by its place alone."""
    return None


def entering(
    gateway: Gateway, run: Callable[[Gateway, Any, Context], Result]
) -> Callable[[Request, Context], Result]:
    """Make an operation on files note first in which copy of the workspace it works."""

    def entered(request: Request, context: Context) -> Result:
        enter(gateway, context)
        return run(gateway, request, context)

    return entered


def enter_for(request: Back, gateway: Gateway, context: Context) -> None:
    """Do so for an undo or restore, once it can be done; a preview leaves nothing."""
    if not request.preview:
        enter(gateway, context)


def enter(gateway: Gateway, context: Context) -> None:
    """Note this copy of the workspace in the project, the first time it is written in."""
    if context.project in gateway.entered:
        return
    try:
        identity = gateway.identity
    except StorageUnavailable:
        return  # the operation itself reports what is wrong with the folder
    if context.read(lambda tx: tx.get(COPIES, identity)) is None and (mark := gateway.mark()):
        _record(gateway, context, mark, None)
    gateway.entered.add(context.project)


def join(gateway: Gateway, context: Context, parent: str) -> Row:
    """Make this place continue another, which the caller knows to be a copy of it."""
    known = context.read(copies)
    found = [one for one in known if one["workspace"].startswith(parent)]
    if len(found) != 1 or found[0]["workspace"] == gateway.identity:
        raise InvalidInput(
            f"{parent} names no other copy of this workspace",
            hint="`hansard workspace` lists them",
            argument="copy",
        )
    _record(gateway, context, gateway.mark() or "", found[0]["workspace"])
    return found[0]


def copies(tx: ReadTx) -> list[Row]:
    """List the places that files of the project are recorded in, the last worked in first."""
    places = tx.tally(FILES, by="workspace")
    rows = [_copy(tx, str(place), count) for place, count in places.items()]
    return sorted(rows, key=lambda row: -row["seq"])


def elsewhere(gateway: Gateway, tx: ReadTx) -> str | None:
    """Say where the project's files are recorded, if not of this folder, and what can be done."""
    known = copies(tx)
    if not known or any(row["workspace"] == gateway.identity for row in known):
        return None
    row = known[0]
    named = row["workspace"][: limits.COPY_SHOWN_CHARS]
    where = f"{row['name']} ({named})" if row["name"] else named
    return (
        f"{row['files']} files are recorded of another folder, {where}; if this is a copy of it, "
        f"`hansard workspace join {named}` goes on from there"
    )


def derive_copy(event: WorkspaceSeen, derivation: Derivation) -> None:
    """Keep a copy, and let its files continue from where they are in the other."""
    row = {"mark": event.mark, "name": event.name, "parent": event.parent}
    derivation.put(COPIES, event.workspace, row | {"seq": derivation.entry.seq})
    if event.parent is None:
        return
    for found in derivation.scan(FILES, {"workspace": event.parent}, limit=limits.FILES_COPIED_MAX):
        if found.row["after"] is not None:
            change = PathChange(
                workspace=event.workspace,
                path=found.row["path"],
                seq=derivation.entry.seq,
                action="create",
                source="found",
                after=found.row["after"],
            )
            continue_from(derivation, change, found.row)


def _copy(tx: ReadTx, place: str, files: int) -> Row:
    known = tx.get(COPIES, place) or {"mark": "", "name": None, "parent": None}
    [latest] = tx.scan(FILES, {"workspace": place}, order="seq", descending=True, limit=1)
    return known | {"workspace": place, "files": files, "seq": latest.row["seq"]}


def _record(gateway: Gateway, context: Context, mark: str, parent: str | None) -> None:
    identity = gateway.identity

    def work(tx: WriteTx) -> None:
        if parent is None and tx.get(COPIES, identity) is not None:
            return
        if context.open_session:
            context.open_session(tx)
        chosen = parent or last_copy(tx, identity, mark)
        seen = WorkspaceSeen(workspace=identity, mark=mark, name=gateway.name, parent=chosen)
        context.record(tx, seen)

    context.note(work)


def last_copy(tx: ReadTx, identity: str, mark: str) -> str | None:
    """Choose what a new copy continues: the one last worked in, unless it has files already."""
    known = copies(tx)
    if any(row["workspace"] == identity for row in known):
        return None
    return next((row["workspace"] for row in known if row["mark"] == mark), None)
