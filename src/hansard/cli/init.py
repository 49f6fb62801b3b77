"""`hansard init`: connects the hosts on this machine and names the project."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from hansard.app import repositories, workspaces
from hansard.app.settings import load
from hansard.cli.flags import Flags, as_words
from hansard.cli.opened_store import opened, store_exists
from hansard.cli.options import settings_flags
from hansard.cli.setup import hook_formats, host_files, targets
from hansard.cli.setup.document import Document
from hansard.cli.setup.files import as_program, drop_empty_folders, look, require_writable
from hansard.cli.setup.host_changes import INTO, OUT_OF, SetupWay
from hansard.cli.setup.host_files import Around, HostFiles, Scope
from hansard.cli.setup.planning import FilePart, FilePlan
from hansard.cli.setup.texts import LeftAloneError
from hansard.cli.store.doctor import without_password
from hansard.cli.terminal.consent import agrees
from hansard.cli.terminal.text import painter
from hansard.kernel.problem import InvalidInput
from hansard.sessions import naming

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}

_PROJECT_FILE = """\
# Which project of Hansard this repository is. Commit it, and all clones share the project.
project = "{project}"
"""


@dataclass(frozen=True, slots=True)
class SetupRun:
    """How changes are made."""

    where: Around
    scope: Scope
    only_shows: bool
    yes: bool


@settings_flags
def init(
    flags: Flags,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[HOST]...", help=f"Of {', '.join(host_files.ALL)}; else those here."
        ),
    ] = None,
    *,
    user: Annotated[
        bool, typer.Option("--user", help="In the user's files, for all projects.")
    ] = False,
    uninstall: Annotated[
        bool, typer.Option("--uninstall", help="Take Hansard out of the hosts' files again.")
    ] = False,
    only_print: Annotated[
        bool, typer.Option("--print", help="Show what would change, and change nothing.")
    ] = False,
    hooks: Annotated[
        bool, typer.Option(help="Also record what the host's own tools change, by its hooks.")
    ] = True,
    guide: Annotated[
        bool, typer.Option(help="Also tell agents, in AGENTS.md or CLAUDE.md, when to use it.")
    ] = True,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    """Connect the hosts found here to Hansard: each change is shown, asked about and backed up."""
    _require_project_name(flags)
    scope: Scope = "user" if user else "project"
    doing = SetupRun(targets.around(_folder(flags)), scope, only_print, yes)
    want = targets.wanted(_flag_words(flags, scope))
    hosts = _chosen(names or [], doing.where, every=uninstall)
    if uninstall:
        return _go_through(targets.everything(hosts, scope, doing.where, want), doing, OUT_OF)
    found = targets.gather(hosts, scope, doing.where, want, with_hooks=hooks)
    if scope == "project":
        if guide:
            targets.add_guides(found, hosts, doing.where)
        found.files = _project_file(flags, doing.where) | found.files
    code = _go_through(found, doing, INTO)
    if not only_print:
        _advise(hosts, scope)
    return code


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(init)


def _require_project_name(flags: Flags) -> None:
    """Refuse a name that Hansard would not read back from the file that it goes into."""
    named = flags.get("project")
    if named is not None and not naming.is_project_id(named):
        raise InvalidInput("No project can be called that", hint=naming.FORM, argument="project")


def _folder(flags: Flags) -> Path:
    """Give the folder whose files hosts read: the top of the repository, if there is one."""
    folder = Path(load(flags).workspace).expanduser().resolve()
    repository = repositories.find(folder)
    return repository.top if repository else folder


def _flag_words(flags: Flags, scope: Scope) -> list[str]:
    """Give the settings that hosts are to start Hansard with."""
    store = flags.get("store") or ""
    if without_password(store) != store:
        raise InvalidInput(
            "The store's address holds a password, which would be in files that others read",
            hint="Set HANSARD_STORE, or `store` in Hansard's config file, and leave --store out",
            argument="store",
        )
    # A project's own file says which project it is.
    return as_words(flags, leave_out=("project", "workspace") if scope == "project" else ())


def _chosen(names: list[str], where: Around, *, every: bool) -> list[HostFiles]:
    for name in names:
        if name not in host_files.ALL:
            raise InvalidInput(
                f"There is no host {name}", hint=f"There are {', '.join(host_files.ALL)}"
            )
    if names or every:
        return [host_files.ALL[name] for name in dict.fromkeys(names or host_files.ALL)]
    return [
        host for host in host_files.ALL.values() if host_files.is_there(host, where, shutil.which)
    ]


def _project_file(flags: Flags, where: Around) -> dict[Path, list[FilePart]]:
    """Say what the file becomes that names the project; a folder that is no repository has none."""
    workspace = workspaces.look(where.folder)
    if workspace.repository is None and not flags.get("project"):
        print("This is no Git repository, so that no .hansard.toml is made: --project names one.")
        return {}

    def install(current: Document) -> tuple[Document, str]:
        if current.text:
            return current, f"project {workspace.project or 'not named'}, as it says already"
        made = _PROJECT_FILE.format(project=_project_name(flags, workspace))
        return replace(current, text=made), "made"

    part = FilePart("Hansard", install, lambda current, _: current)
    return {where.folder / workspaces.FILE: [part]}


def _project_name(flags: Flags, workspace: workspaces.WorkspaceIdentity) -> str:
    """Give the project the name it already has, if there is a store that knows it."""
    if named := flags.get("project"):
        return str(named)
    if store_exists(load(flags)):
        with opened(flags | {"workspace": str(workspace.folder)}, looking=True) as (app, _):
            return app.home.name(app.store)
    assert workspace.name, "only a repository's project is named without a flag"
    return workspace.name


def _go_through(found: targets.Targets, doing: SetupRun, way: SetupWay) -> int:
    """Plan, show, ask and write, one file after the other; 1 if one had to be left alone."""
    for line in found.says:
        print(line)
    left = written = 0
    for path, parts in found.files.items():
        name = doing.where.shown(path)
        try:
            written += _one(path, name, parts, doing, way)
        except LeftAloneError as why:
            print(f"{name}: {why}. It is left alone.")
            left += 1
    if not left and not written and not doing.only_shows:
        print("Nothing was changed.")
    return int(left > 0)


def _one(path: Path, name: str, parts: list[FilePart], doing: SetupRun, way: SetupWay) -> bool:
    """Do one file; returns whether it was written."""
    found = look(path, within=doing.where.folder if doing.scope == "project" else None)
    if found.content is None and any(part.is_program for part in parts):
        found = as_program(found)
    plan = way.plan(name, found, parts)
    if plan.changes:
        require_writable(found)
        _show(plan)
    for line in plan.says:
        print(f"{name}: {line}")
    if not plan.changes or doing.only_shows or not agrees(f"Write {name}?", yes=doing.yes):
        return False
    print(way.write(name, found, plan, parts))
    if plan.after is None:
        drop_empty_folders(found.path, doing.where.folder, doing.where.home)
    return True


def _show(plan: FilePlan) -> None:
    paint = painter()
    for line in plan.diff():
        print(paint(line, _COLOURS[line[0]]) if line[:1] in _COLOURS else line)


def _advise(hosts: list[HostFiles], scope: Scope) -> None:
    """List what is left to do by hand."""
    if not hosts:
        print(f"No host was found here. `hansard init HOST` takes {', '.join(host_files.ALL)}.")
        return
    for host in hosts:
        if note := _note(host, scope):
            print(f"{host.title} {note}.")
    print("Start the hosts anew; `hansard hosts` says which of them have called since.")


def _note(host: HostFiles, scope: Scope) -> str:
    """Say what its user must still do: about files in projects only where these were written."""
    if scope == "user" and host.project:
        hooking = hook_formats.HOSTS.get(host.name)
        return hooking.note if hooking else ""
    return host.note if host.project or scope == "user" else ""
