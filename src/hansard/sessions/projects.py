"""Finds, names, creates and archives projects. Store-wide, so in the catalog."""

from collections.abc import Callable

from hansard.kernel import paging
from hansard.kernel.engine import Found, Position, ReadTx, Row, WriteTx
from hansard.kernel.event import Event, Stamp
from hansard.kernel.operation import Caller, Context
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import CATALOG, UNMADE, Store
from hansard.kernel.suggestion import nearest
from hansard.sessions import naming
from hansard.sessions.contract import ProjectArchived, ProjectExists, ProjectNotFound
from hansard.sessions.events import ProjectCreated, ProjectRenamed, ProjectWasArchived
from hansard.sessions.events import ProjectUnarchived as Unarchived
from hansard.sessions.project_views import NAMES, PROJECTS

NAMES_TOLD_MAX = 20
"""How many projects are listed to a caller that named an unknown one."""

NAMES_COMPARED_MAX = 1_000


def find(store: Store, called: str) -> Found | None:
    """Find a project by a name it has or had; its key and its line in the directory."""
    return store.read(CATALOG, lambda tx: find_in(tx, called))


def find_in(tx: ReadTx, called: str) -> Found | None:
    """Find a project by a name it has or had, in the catalog."""
    named = tx.get(NAMES, called)
    return Found(named["project"], _line(tx, named["project"])) if named else None


def line(store: Store, project: str) -> Row | None:
    """Read the line of a project whose key is known."""
    return store.read(CATALOG, lambda tx: tx.get(PROJECTS, project))


def shown(context: Context) -> Row:
    """Give the line of a call's project, also of one that does not exist yet."""
    if context.project != UNMADE:
        found = line(context.store, context.project)
        assert found is not None, "a call was placed in a project that is not there"
        return found
    assert context.caller.home, "only a home can be yet to be made"
    name = context.caller.home.name(context.store)
    told = "Nothing is recorded here yet; the first write makes this project."
    if others := called(context.store, context.caller):
        told += f" There are others: {', '.join(others)}."
    return {"id": name, "name": name, "description": told, "created": None}


def called(store: Store, caller: Caller | None = None, *, limit: int = NAMES_TOLD_MAX) -> list[str]:
    """Name the projects that a caller may see, except archived ones."""

    def work(tx: ReadTx) -> list[Found]:
        return tx.scan(PROJECTS, {"is_archived": False}, order="id", limit=NAMES_COMPARED_MAX)

    found = store.read(CATALOG, work)
    return [one.row["id"] for one in found if caller is None or caller.sees(one.key)][:limit]


def every(tx: ReadTx) -> list[Found]:
    """List all projects, in the order of their names, in the catalog."""
    return list(paging.rows(tx, PROJECTS, order="id"))


def not_found(store: Store, wanted: str, caller: Caller | None = None) -> ProjectNotFound:
    """Word the refusal of a name that no project has, listing those that exist."""
    there = called(store, caller, limit=NAMES_COMPARED_MAX)
    near = nearest(wanted, there)
    told = there[:NAMES_TOLD_MAX]
    more = f" and {len(there) - len(told)} more" if len(there) > len(told) else ""
    sentences = [
        f"There is no project {wanted}",
        *([f"Did you mean {near}?"] if near else []),
        f"There are: {', '.join(told)}{more}" if told else "There is none yet",
    ]
    near_told = {"did_you_mean": near} if near else {}
    return ProjectNotFound(
        ". ".join(sentences).replace("?.", "?"), project_id=wanted, projects=told, **near_told
    )


def require(store: Store, wanted: str, caller: Caller | None = None) -> Found:
    """Find a project that a caller may see, or refuse and list those that exist."""
    found = find(store, wanted)
    if found is None or not (caller is None or caller.sees(found.key)):
        raise not_found(store, wanted, caller)
    return found


def require_open(row: Row) -> None:
    """Refuse to write to an archived project."""
    if row["is_archived"]:
        name = row["id"]
        said, hint = _archived(name)
        raise ProjectArchived(said, hint=hint, project_id=name)


def archived_notice(row: Row) -> list[str]:
    """Tell readers of an archived project that it takes no writes."""
    return [". ".join(_archived(row["id"]))] if row.get("is_archived") else []


def _archived(name: str) -> tuple[str, str]:
    """Give the state, and what to do."""
    return (
        f"The project {name} is archived: it can be read, and takes no writes",
        f"`hansard projects unarchive {name}` brings it back",
    )


def make(store: Store, name: str, stamp: Stamp) -> str:
    """Create a project on its first use, if nobody has; gives its key."""

    def work(tx: WriteTx) -> str:
        if found := find_in(tx, name):
            return found.key
        create(store, tx, name, stamp)
        return name

    return store.write(CATALOG, work)


def create(store: Store, tx: WriteTx, name: str, stamp: Stamp) -> None:
    """Enter a project whose name is free."""
    store.record(tx, ProjectCreated(id=name, name=name, description=None), stamp)


def rename(store: Store, old: str, new: str, stamp: Stamp, *, title: str | None = None) -> Row:
    """Rename a project; it is still found under its former names."""
    if not naming.is_project_id(new):
        raise InvalidInput(f"{new} cannot be a project's name: {naming.FORM}", argument="name")

    def change(tx: ReadTx, project: Found) -> Event | None:
        taken = find_in(tx, new)
        if taken and taken.key != project.key:
            raise ProjectExists(f"There is a project {new} already, or was one", id=new)
        row = project.row
        read = title or (new if row["name"] == row["id"] else row["name"])
        if (new, read) == (row["id"], row["name"]):
            return None
        return ProjectRenamed(id=project.key, called=new, name=read)

    return _changed(store, old, change, stamp)


def archive(store: Store, name: str, stamp: Stamp) -> Row:
    """Archive a project; doing it again has no effect."""

    def change(_: ReadTx, project: Found) -> Event | None:
        return None if project.row["is_archived"] else ProjectWasArchived(id=project.key)

    return _changed(store, name, change, stamp)


def unarchive(store: Store, name: str, stamp: Stamp) -> Row:
    """Bring a project back; doing it again has no effect."""

    def change(_: ReadTx, project: Found) -> Event | None:
        return Unarchived(id=project.key) if project.row["is_archived"] else None

    return _changed(store, name, change, stamp)


Change = Callable[[ReadTx, Found], Event | None]
"""Decides what happens to a project; `None` if nothing is to change."""


def _changed(store: Store, name: str, change: Change, stamp: Stamp) -> Row:
    key = require(store, name).key

    def work(tx: WriteTx) -> Row:
        if event := change(tx, Found(key, _line(tx, key))):
            store.record(tx, event, stamp)
        return _line(tx, key)

    return store.write(CATALOG, work)


def _end(page: list[Found]) -> Position | None:
    return Position(page[-1].row["id"], page[-1].key) if page else None


def _line(tx: ReadTx, project: str) -> Row:
    row = tx.get(PROJECTS, project)
    assert row is not None, f"a name leads to the project {project}, which is not there"
    return row
