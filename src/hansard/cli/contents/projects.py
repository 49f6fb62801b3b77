"""`hansard projects`: lists, shows, renames and archives projects."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from hansard.app.application import Application
from hansard.app.unfinished_imports import is_begun, unfinished
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, all_flags, keep_flags, settings_flags
from hansard.cli.person_proof import signed
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.kernel.engine import Found, ReadTx, Row
from hansard.kernel.event import Head, Stamp
from hansard.kernel.problem import ProjectUnavailable
from hansard.kernel.store import CATALOG, UNMADE, Store
from hansard.sessions import projects
from hansard.sessions.views import SESSIONS

Name = Annotated[str, typer.Argument(metavar="NAME", help="What the project is called.")]
All = Annotated[bool, typer.Option("--all", help="Those that were archived, too.")]


@dataclass(frozen=True, slots=True)
class ListedProject:
    """A project as it is listed."""

    found: Found
    head: Head | None
    """Where its journal ends; `None` if it has no entry."""
    open_sessions: int | None
    is_own: bool
    """Whether it is the one of commands that name none, where this was asked."""
    is_half: bool = False
    """Whether its import was cut off."""
    unavailable: str | None = None
    """Why nothing in it can be read now; its open sessions are not known then."""

    def as_json(self) -> dict[str, Any]:
        """Give all of it for a program."""
        row = self.found.row
        return {
            "id": row["id"],
            "key": self.found.key,
            "name": row["name"],
            "description": row["description"],
            "created": row["created"],
            "entries": self.head.seq if self.head else 0,
            "tick": self.head.tick if self.head else 0,
            "open_sessions": self.open_sessions,
            "last_activity": self.head.clock if self.head else None,
            "workspaces": row["folders"],
            "also_called": row["former"],
            "archived": row["is_archived"],
            "current": self.is_own,
            "half_imported": self.is_half,
            "unavailable": self.unavailable,
        }


@settings_flags
def overview(
    flags: Flags, *, context: typer.Context, every: All = False, json: Json = False
) -> None:
    """List the projects of the store; the one meant here is marked."""
    keep_flags(flags, context=context)
    if context.invoked_subcommand is None:
        _print_list(flags, every=every, json=json)


@settings_flags
def list_projects(
    flags: Flags, *, context: typer.Context, every: All = False, json: Json = False
) -> None:
    """List the projects of the store; the one meant here is marked."""
    _print_list(all_flags(flags, context), every=every, json=json)


@settings_flags
def show(
    flags: Flags,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The project; else the one meant here.")
    ] = None,
    *,
    context: typer.Context,
    json: Json = False,
) -> None:
    """Show a project: its names, its workspaces, how much is in it."""
    with opened(all_flags(flags, context)) as (application, _):
        wanted = name or application.home.name(application.store)
        if name is None and application.own_project() == UNMADE:
            print(_not_made(application))
            return
        shown = _listed(application, projects.require(application.store, wanted))
    if json:
        print_json(shown.as_json())
    else:
        print("\n".join(_lines(shown)))


@settings_flags
def rename(
    flags: Flags,
    old: Annotated[str, typer.Argument(metavar="OLD", help="What it is called.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What it shall be called.")],
    *,
    context: typer.Context,
    title: Annotated[str | None, typer.Option(help="The name that people read.")] = None,
    json: Json = False,
) -> None:
    """Rename a project. It is still found under its former names."""

    def change(store: Store, stamp: Stamp) -> Row:
        return projects.rename(store, old, new, stamp, title=title)

    done = _changed(all_flags(flags, context), change)
    _tell(done, f"{old} is now called {new}; as {old} it is still found.", json=json)


@settings_flags
def archive(flags: Flags, name: Name, *, context: typer.Context, json: Json = False) -> None:
    """Archive a project: not listed, closed to writes, and kept. `unarchive` brings it back."""
    done = _changed(
        all_flags(flags, context), lambda store, stamp: projects.archive(store, name, stamp)
    )
    back = f"`hansard projects unarchive {name}` brings it back."
    _tell(done, f"{name} is archived: all of it is kept, and read by its name. {back}", json=json)


@settings_flags
def unarchive(flags: Flags, name: Name, *, context: typer.Context, json: Json = False) -> None:
    """Bring an archived project back."""
    flags = all_flags(flags, context)
    done = _changed(flags, lambda store, stamp: projects.unarchive(store, name, stamp))
    _tell(done, f"{name} is back.", json=json)


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="Projects: which there are, and putting them in order.", rich_markup_mode=None
    )
    group.callback(invoke_without_command=True)(overview)
    group.command("list")(list_projects)
    for command in (show, rename, archive, unarchive):
        group.command()(command)
    app.add_typer(group, name="projects")


def _print_list(flags: Flags, *, every: bool, json: bool) -> None:
    with opened(flags) as (application, _):
        found = application.store.read(CATALOG, projects.every)
        shown = [_listed(application, one) for one in found if every or not one.row["is_archived"]]
        own = _own(application)
        last = [_not_made(application)] if own == UNMADE else []
        last += unfinished(application.store).values()
    if json:
        for one in shown:
            print_json(one.as_json())
        return
    wide = max((len(one.found.row["id"]) for one in shown), default=0)
    for one in shown:
        print(_line(one, wide))
    if hidden := len(found) - len(shown):
        count = "1 is" if hidden == 1 else f"{hidden} are"
        print(f"{count} archived: `hansard projects --all` shows all.")
    for line in last:
        print(line)


def _changed(flags: Flags, change: Callable[[Store, Stamp], Row]) -> ListedProject:
    """Change a project, and give it as it is then."""
    with opened(flags) as (application, _):
        row = change(application.store, signed(application))
        return _listed(application, projects.require(application.store, row["id"]))


def _tell(done: ListedProject, said: str, *, json: bool) -> None:
    if json:
        print_json(done.as_json())
    else:
        print(printable(said))


def _own(application: Application) -> str | None:
    """Give the key of the project meant here; `None` if a name was typed that none has."""
    key = application.home.find(application.store)
    return key or (None if application.home.must_exist else UNMADE)


def _listed(application: Application, found: Found) -> ListedProject:
    def work(tx: ReadTx) -> tuple[Head, int | None]:
        return tx.head(), tx.tally(SESSIONS, {"status": "open"}).get(None, 0)

    store, unavailable = application.store, None
    try:
        head, open_sessions = store.read(found.key, work)
    except ProjectUnavailable as problem:
        # One project must not keep the others from being listed; its journal's end is known.
        head, open_sessions = store.engine.read(found.key, lambda tx: (tx.head(), None))
        unavailable = problem.message
    return ListedProject(
        found,
        head if head.seq else None,
        open_sessions,
        found.key == _own(application),
        is_half=is_begun(store, found.key),
        unavailable=unavailable,
    )


def _not_made(application: Application) -> str:
    name = application.home.name(application.store)
    return f"Here the project is {name}: it is not made yet, and the first write makes it."


def _line(one: ListedProject, wide: int) -> str:
    paint, row = painter(), one.found.row
    mark = paint("*", "green") if one.is_own else " "
    name = paint(row["id"].ljust(wide), "yellow")
    where = f"  {printable(row['folders'][-1])}" if row["folders"] else ""
    away = "  archived" if row["is_archived"] else ""
    return f"{mark} {name}  {_content(one)}{away}{paint(where, 'grey')}"


def _content(one: ListedProject) -> str:
    if one.head is None:
        return "nothing yet"
    entries = "1 entry" if one.head.seq == 1 else f"{one.head.seq:,} entries"
    if one.unavailable:
        return f"{entries}. {one.unavailable}"
    sessions = (
        "1 open session" if one.open_sessions == 1 else f"{one.open_sessions:,} open sessions"
    )
    return f"{entries}, {sessions}, last {one.head.clock[:16].replace('T', ' ')}"


def _lines(one: ListedProject) -> Iterator[str]:
    row = one.found.row
    yield f"{row['id']}: {printable(row['name'])}" + (", archived" if row["is_archived"] else "")
    if row["description"]:
        yield printable(row["description"])
    yield _content(one)
    yield f"made {row['created'][:16].replace('T', ' ')}"
    if row["former"]:
        yield f"also found as {', '.join(row['former'])}"
    for folder in row["folders"]:
        yield f"workspace {printable(folder)}"
