"""Resolves what a person types to an id: an id, its beginning, a title or `@latest`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hansard.app.application import Application
from hansard.checkpoints.views import CHECKPOINTS
from hansard.cli.naming.finding import LATEST, NamedThing, matching, only, tail_of
from hansard.decisions.tables import DECISIONS
from hansard.entities.tables import TEXTS
from hansard.kernel.engine import Found, Position, ReadTx, Table, Where
from hansard.kernel.event import Kinds
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import UNMADE
from hansard.recorder.tables import TOUCHED
from hansard.records.views import RECORDS
from hansard.sessions.directory import session_row
from hansard.sessions.events import SessionStarted
from hansard.sessions.views import SESSIONS

SEARCHED_MAX = 20_000
"""How many of the newest are searched for a title."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing that is named: where it is kept, and what it is called there."""

    what: str
    table: Table
    title: str
    order: str | None = None
    where: Where | None = None

    def things(self, tx: ReadTx) -> list[NamedThing]:
        """Give the newest of them, the latest first."""
        found: list[Found] = []
        while len(found) < SEARCHED_MAX:
            page = tx.scan(
                self.table,
                self.where,
                order=self.order,
                descending=self.order is not None,
                after=self._after(found),
                limit=ENTRIES_PAGE,
            )
            found += page
            if len(page) < ENTRIES_PAGE:
                break
        return [self._thing(one) for one in found]

    def _after(self, found: list[Found]) -> Position | None:
        if not found:
            return None
        last = found[-1]
        return Position(last.row[self.order] if self.order else None, last.key)

    def _thing(self, found: Found) -> NamedThing:
        return NamedThing(found.key, found.row.get(self.title), tail_of(found.key))


RECORD = Kind("records", RECORDS, title="title", order="modified_seq")
SESSION = Kind("sessions", SESSIONS, title="title", order="started_seq")
DECISION = Kind("decisions", DECISIONS, title="title", order="seq")
PROPOSAL = Kind(
    "proposals",
    DECISIONS,
    title="title",
    order="seq",
    where={"kind": "proposal", "status": "proposed"},
)
CHECKPOINT = Kind("checkpoints", CHECKPOINTS, title="name", order="seq")
ENTITY = Kind("entities", TEXTS, title="title")

KINDS = {
    "record": RECORD,
    "session": SESSION,
    "decision": DECISION,
    "proposal": PROPOSAL,
    "checkpoint": CHECKPOINT,
    "entity": ENTITY,
}
LOOKED_AT = {"activate", "workflow_checkpoint_load", "undo", "restore"}
"""Operations that write for agents and that people read with, or that are previewed."""


def with_ids(
    application: Application, operation: str, given: Mapping[str, Any], named: Mapping[str, str]
) -> dict[str, Any]:
    """Give the arguments with ids in the place of names; `named` says which name what.

    Words of a title suffice to read something; to change it, more is needed.
    """
    loosely = not application.catalog.find(operation).writes or operation in LOOKED_AT

    def id_of(kind: Kind, value: Any) -> Any:
        if isinstance(value, list):
            return [meant_id(application, kind, one, loosely=loosely) for one in value]
        is_name = isinstance(value, str)
        return meant_id(application, kind, value, loosely=loosely) if is_name else value

    return {
        argument: id_of(KINDS[named[argument]], value) if argument in named else value
        for argument, value in given.items()
    }


def meant_id(application: Application, kind: Kind, named: str, *, loosely: bool = True) -> str:
    """Give the id of what is meant; the name itself, for the operation to refuse, if none is."""
    found = meant_thing(application, kind, named, loosely=loosely)
    return found.id if found else named


def meant_thing(
    application: Application, kind: Kind, named: str, *, loosely: bool = True
) -> NamedThing | None:
    """Give what is meant; `None` if nothing is."""
    project = application.own_project()
    if project == UNMADE or not named:
        return None

    def work(tx: ReadTx) -> NamedThing | None:
        if (row := tx.get(kind.table, named)) is not None:
            return NamedThing(named, row.get(kind.title))
        if named == LATEST and kind.order is None:
            raise InvalidInput(f"None of the {kind.what} is the latest", hint="Give its id")
        things = kind.things(tx)
        if named == LATEST and kind is SESSION:
            kinds = application.store.kinds
            worked = (one for one in things if not _is_errand(tx, kinds, one.id))
            return next(worked, things[0] if things else None)
        found = matching(things, named, loosely=loosely)
        return only(found, named, kind.what) if found else None

    return application.store.read(project, work)


def _is_errand(tx: ReadTx, kinds: Kinds, session: str) -> bool:
    """Whether a session is that of one command that changed no file.

    Such a session begins with each write at the terminal, so a user who asks for the latest never
    means it: there is nothing in it to show, or to take back.
    """
    if tx.scan(TOUCHED, {"session": session}, limit=1):
        return False
    seq = session_row(tx, session)["started_seq"]
    began = [kinds.decode(one) for one in tx.entries(after=seq - 1, before=seq + 1, limit=1)]
    return any(
        isinstance(one, SessionStarted) and one.holder is not None and one.holder.via == "terminal"
        for one in began
    )
