"""`hansard hosts`: which hosts are here, their entries, and when each last called."""

import os
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import get_args

import typer

from hansard.app import repositories
from hansard.app.settings import Settings, load
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened, store_exists
from hansard.cli.options import Json, settings_flags
from hansard.cli.setup import hooks, host_files, targets
from hansard.cli.setup.entries import State, WantedEntry, state_of, words_of
from hansard.cli.setup.host_files import Around, HostFiles, Scope
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.hooks.locations import hooks_folder, last_seen
from hansard.kernel.clock import to_text
from hansard.kernel.engine import ReadTx
from hansard.kernel.store import CATALOG
from hansard.sessions import projects
from hansard.sessions.directory import last_activity
from hansard.sessions.views import SESSIONS

SESSIONS_MAX = 200
"""How many of each project's newest sessions are searched for clients."""

_MEANINGS: dict[State, str] = {
    "absent": "no entry",
    "current": "runs this Hansard",
    "stale": "runs a program that is not there any more: `hansard init` mends it",
    "other": "runs another Hansard than this",
    "kept": "is started in a way of its own",
    "remote": "is reached over HTTP",
}
_COLOURS = {"current": "green", "stale": "red", "other": "yellow"}


@dataclass(frozen=True, slots=True)
class HostEntry:
    """One place where a host is configured to use Hansard."""

    file: str
    kind: str
    name: str
    state: State
    runs: str = ""


@dataclass(frozen=True, slots=True)
class Connected:
    """A host, and how it is connected."""

    host: str
    title: str
    found: bool
    """Whether it was found on this machine or in this project."""
    entries: list[HostEntry] = field(default_factory=list)
    last_call: str | None = None
    """When something that it did was last recorded in this store."""
    last_hook: str | None = None
    """When its hook was last run for this store."""


@settings_flags
def hosts(flags: Flags, *, json: Json = False) -> None:
    """Say which hosts are here, whether they are connected, and when each last called."""
    folder = Path(load(flags).workspace).expanduser().resolve()
    repository = repositories.find(folder)
    where = targets.around(repository.top if repository else folder)
    seen = _seen(flags)
    hooked = partial(_last_hook, load(flags))
    want = targets.wanted()
    shown = [_connected(host, where, want, seen, hooked) for host in host_files.ALL.values()]
    if json:
        print_json({"hosts": [asdict(one) for one in shown]})
        return
    for one in shown:
        if _is_of_interest(one):
            print("\n".join(_lines(one)))
    missing = [one.title for one in shown if not _is_of_interest(one)]
    if missing:
        print(f"Not found here: {', '.join(missing)}.")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(hosts)


def _is_of_interest(one: Connected) -> bool:
    return bool(one.found or one.entries or one.last_call or one.last_hook)


def _connected(
    host: HostFiles,
    where: Around,
    want: WantedEntry,
    seen: dict[str, str],
    hooked: Callable[[str], str | None],
) -> Connected:
    called = [at for name, at in seen.items() if name.casefold().startswith(host.clients)]
    return Connected(
        host.name,
        host.title,
        host_files.is_there(host, where, shutil.which),
        [entry for scope in get_args(Scope) for entry in _entries(host, scope, where, want)],
        max(called, default=None),
        hooked(host.name),
    )


def _entries(
    host: HostFiles, scope: Scope, where: Around, want: WantedEntry
) -> Iterator[HostEntry]:
    """List our entries in a scope's files."""
    for path in host.files(scope, where):
        for keys in targets.user_keys(host, where) if scope == "user" else [host.keys]:
            for name, entry in targets.own_entries(path, keys).items():
                runs = shlex.join(words_of(entry) or [])
                state = state_of(entry, want)
                yield HostEntry(where.shown(path), "server", name, state, runs)
    for path in targets.hooks_files(host, scope, where):
        for words in _hooks_in(host, path):
            entry = {"command": words[0], "args": list(words[1:])}
            state = state_of(entry, want)
            yield HostEntry(where.shown(path), "hook", "", state, shlex.join(words))


def _hooks_in(host: HostFiles, path: Path) -> list[tuple[str, ...]]:
    """Give the words of each of our hooks that a file runs, once."""
    if words := targets.words_of_file(host, path):
        return [tuple(words)]
    found = targets.readable(path)
    return list(dict.fromkeys(map(tuple, hooks.is_hooked(found)))) if found else []


def _last_hook(settings: Settings, host: str) -> str | None:
    """Say when a host's hook was last run for this store."""
    given = {"store": settings.store} if settings.store else {}
    folder = hooks_folder(given, os.environ)
    at = last_seen(folder, host) if folder else None
    return to_text(datetime.fromtimestamp(at, UTC)) if at else None


def _seen(flags: Flags) -> dict[str, str]:
    """Say when each client was last in a session of any project of the store."""
    if not store_exists(load(flags)):
        return {}
    with opened(flags, looking=True) as (application, _):
        found = application.store.read(CATALOG, projects.every)
        times: dict[str, str] = {}
        for one in found:
            for client, at in application.store.read(one.key, _clients):
                times[client] = max(at, times.get(client, ""))
        return times


def _clients(tx: ReadTx) -> list[tuple[str, str]]:
    """List the clients of a project's sessions, each with when it did something."""
    newest: dict[str, str] = {}
    for one in tx.scan(SESSIONS, order="started_seq", descending=True, limit=SESSIONS_MAX):
        if client := one.row["client"]:
            newest[client] = max(last_activity(tx, one.row), newest.get(client, ""))
    return list(newest.items())


def _lines(one: Connected) -> Iterator[str]:
    paint = painter()
    called = f"last call {one.last_call[:16].replace('T', ' ')}" if one.last_call else "no call yet"
    told = f", last hook {one.last_hook[:16].replace('T', ' ')}" if one.last_hook else ""
    yield f"{paint(one.title, 'yellow')}: {called}{told}"
    for entry in one.entries:
        named = f"{entry.file}: {entry.kind} {entry.name}".rstrip()
        says = paint(_MEANINGS[entry.state], _COLOURS.get(entry.state, "grey"))
        yield f"  {printable(named)} {says}  {paint(printable(entry.runs), 'grey')}".rstrip()
    if not one.entries:
        yield f"  not connected: `hansard init {one.host}` does it"
