"""`hansard doctor`: what is set up, where, and whether it can work."""

import os
import platform
import re
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from hansard import __version__
from hansard.app import file_permissions, people, recovery, secret_news
from hansard.app.application import Application
from hansard.app.preflight import require_place
from hansard.app.settings import (
    Settings,
    declarations,
    load,
    secret,
    sources,
    store_location,
)
from hansard.app.start import find_by_meaning, start
from hansard.app.unfinished_imports import unfinished
from hansard.app.verify import list_intents, projects_of
from hansard.cli.cli_session import looking
from hansard.cli.flags import Flags
from hansard.cli.opened_store import store_exists, store_folder
from hansard.cli.options import Json, settings_flags
from hansard.cli.store.doctor_hooks import check_hooks
from hansard.cli.store.verdict import Check, Status, verdict
from hansard.cli.terminal.layout import room, table, wrapped
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.embedders import INSTALL
from hansard.kernel import paging
from hansard.kernel.effect import Verdict
from hansard.kernel.engine import ReadTx
from hansard.kernel.follow import THREAD, Follower, FollowerFailure, lag, trouble
from hansard.kernel.limits import MIB
from hansard.kernel.meaning import NoMeanings
from hansard.kernel.problem import Problem, ProjectUnavailable
from hansard.kernel.store import CATALOG, Store
from hansard.kernel.text import counted
from hansard.kernel.view import is_newer
from hansard.recorder.settling import last_settled

if TYPE_CHECKING:
    from hansard.engines.sqlite.diagnosis import DatabaseFacts

FREE_BYTES_LOW = 1024 * MIB
FREE_BYTES_MIN = 64 * MIB
"""Below this a write could fail at any time: a single large blob may take as much."""

SETTLED_SHOWN = 10

_MEANINGS: dict[Verdict, str] = {
    "done": "found done",
    "undone": "found undone; ask again if it is still wanted",
    "conflict": "conflict: the file was neither as before nor as intended, and was left alone; "
    "look at it, then edit or restore it",
}

_UNPROVED = (
    "no secret is set: any user of a terminal or of the page counts as a person, "
    "agents too, and the entry says `unproved`; `hansard secret set` asks for one"
)
_UNKNOWN = (
    "the store knows no secret, and one that only a process was started with proves no person: the "
    "entry says `unproved`; `hansard secret set` has every process ask for it"
)

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}

CONNECT_S = 0.5


@settings_flags
def doctor(
    flags: Flags,
    *,
    every: Annotated[
        bool, typer.Option("--all", help="Also the settings that have their defaults.")
    ] = False,
    json: Json = False,
) -> int:
    """Say what is set up, whether it can work, and what to do. Exits with 1 if something cannot."""
    settings = load(flags)
    checks = [*_program(), *_settings(settings, flags), *_search(settings), *_store(settings)]
    checks += [_server(settings), *check_hooks(settings)]
    failed = any(check.status == "fail" for check in checks)
    if json:
        shown = [{"status": one.status, "what": one.what, "says": one.says} for one in checks]
        last = [line for line, _ in verdict(checks)]
        print_json({"ok": not failed, "verdict": last, "checks": shown})
        return int(failed)
    _print(checks if every else [one for one in checks if not one.is_default], checks)
    return int(failed)


def _print(shown: list[Check], checks: list[Check]) -> None:
    paint = painter()
    rows = [
        [(one.status, _COLOURS[one.status]), (one.what, None), (one.says, None)] for one in shown
    ]
    for line in table(rows, paint, room()):
        print(line)
    if hidden := len(checks) - len(shown):
        print(paint(f"{hidden} settings have their defaults; --all lists them", "grey"))
    print()
    for line, status in verdict(checks):
        indent = "    " if line.startswith(" ") else ""
        first, *rest = wrapped(printable(line), room())
        print(paint(first, _COLOURS[status]))
        for further in rest:
            print(indent + further)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)


def _program() -> Iterator[Check]:
    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield Check("ok", "hansard", f"{__version__}, {system}, {Path(sys.prefix)}")
    person = looking().actor
    yield Check("ok", "you", f"{person.kind} {person.id}, role {person.role}")


def _settings(settings: Settings, flags: Flags) -> Iterator[Check]:
    given = sources(flags)
    for declared in declarations():
        value = getattr(settings, declared.name)
        shown = without_password(value) if isinstance(value, str) else str(value).lower()
        source = given.get(declared.name, "default")
        says = f"{declared.name} = {shown or '(none)'} ({source})"
        yield Check("ok", "setting", says, is_default=declared.name not in given)


def _server(settings: Settings) -> Check:
    """Say whether a server answers."""
    try:
        socket.create_connection((settings.host, settings.port), CONNECT_S).close()
    except OSError:
        return Check("ok", "server", "none is running; `hansard serve` starts one")
    where = f"http://{settings.host}:{settings.port}"
    return Check("ok", "server", f"one listens on {where}; `hansard open` shows its page")


def without_password(text: str) -> str:
    """Leave the password out of a database URL, wherever it stands in it."""
    if "://" not in text:
        return text
    password = urlsplit(text).password
    shown = text.replace(f":{password}@", ":…@", 1) if password else text
    return re.sub(r"(?<=[?&]password=)[^&]*", "…", shown)


def _store(settings: Settings) -> Iterator[Check]:
    location = without_password(store_location(settings))
    if folder := store_folder(settings):
        try:
            require_place(folder)
        except Problem as problem:
            yield Check("fail", "store", f"{problem.message}. {problem.recovery_hint}")
            return
        yield from _disk(folder, settings)
    if not store_exists(settings):
        yield Check("warn", "store", f"none in {location} yet; the first client makes it")
        return
    were_open = file_permissions.left_open(folder) if folder else []
    try:
        application = start(settings)
    except Problem as problem:
        yield Check("fail", "store", f"{location}: {problem.message}")
        return
    if were_open and folder:
        yield _tightened(were_open, file_permissions.left_open(folder))
    try:
        yield Check("ok", "store", f"{application.store.engine.name}, {location}")
        if folder:
            yield from _database(folder, settings)
        yield from _person(application, settings)
        yield from _content(application)
    except Problem as problem:
        yield Check("fail", "store", problem.message)
    finally:
        application.close()


def _tightened(were: list[Path], are: list[Path]) -> Check:
    """Say what others could read until now, and whether they still can."""
    if are:
        says = f"others can read or write {len(are):,} files of the store, such as {are[0]}"
        return Check("fail", "private", f"{says}: chmod -R go-rwx it")
    says = f"{len(were):,} files of the store were open to others, and are not any more"
    return Check("warn", "private", says)


def _person(application: Application, settings: Settings) -> Iterator[Check]:
    """Say what proves somebody to be a person here, and what that rests on."""
    store, configured = application.store, secret(settings)
    row, begun = people.known(store), recovery.pending(store)
    if begun:
        yield Check("warn", "person", secret_news.under_way(begun))
    if row is None:
        yield Check("warn", "person", _UNKNOWN if configured else _UNPROVED)
        return
    origin = secret_news.origin(row)
    yield Check("ok", "person", f"anyone who proves the secret, {origin}; nobody else")
    if configured and not people.is_right(store, configured):
        says = "the secret that is configured here is not the one this store knows; it counts"
        yield Check("fail", "person", f"{says} for nothing. `hansard secret set` changes it")


def _disk(folder: Path, settings: Settings) -> Iterator[Check]:
    from hansard.engines.sqlite.errors import can_write

    nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
    access = ["read"] if os.access(nearest, os.R_OK) else []
    # Trying leaves traces, so only the store's own folder is tried.
    may_write = can_write(nearest) if nearest == folder else os.access(nearest, os.W_OK)
    access += ["write"] if may_write else []
    enough = ["read"] if settings.read_only else ["read", "write"]
    status: Status = "ok" if access[: len(enough)] == enough else "fail"
    yield Check(
        status, "folder", f"{nearest}: can {' and '.join(access) or 'neither read nor write'}"
    )
    free = shutil.disk_usage(nearest).free
    status = "fail" if free < FREE_BYTES_MIN else "warn" if free < FREE_BYTES_LOW else "ok"
    yield Check(status, "disk", f"{free // MIB:,} MiB free")


def _database(folder: Path, settings: Settings) -> Iterator[Check]:
    from hansard.engines.sqlite.diagnosis import facts

    found = facts(folder)
    yield from _writing(found, settings)
    size = f"{found.database_bytes / MIB:,.1f} MiB"
    yield Check("ok", "database", f"SQLite {found.sqlite}, format {found.format}, {size}")
    durable = found.journal_mode == "wal"
    says = f"journal_mode {found.journal_mode}, every writer checks that synchronous is FULL"
    yield Check("ok" if durable else "fail", "durability", says)


def _writing(found: "DatabaseFacts", settings: Settings) -> Iterator[Check]:
    """Say whether the store takes writes, and what is reserved for a full disk."""
    from hansard.engines.sqlite.errors import READ_ONLY

    if found.is_read_only:
        status: Status = "warn" if settings.read_only else "fail"
        yield Check(status, "writing", f"{READ_ONLY.message}. {READ_ONLY.hint}")
        return
    for process in found.stopped:
        says = f"process {process} has stopped writing since its disk failed; start it again"
        yield Check("fail", "writing", says)
    if not found.stopped:
        yield Check("ok", "writing", "goes on")
    if found.has_reserve:
        yield Check("ok", "reserve", "room is set aside to record outcomes on a full disk")
    else:
        says = "no room is set aside to record outcomes on a full disk; it is, once there is room"
        yield Check("warn", "reserve", says)


def _content(application: Application) -> Iterator[Check]:
    store = application.store
    heads = store.engine.heads()
    projects = projects_of(store.engine)[1:]
    blobs = sum(store.engine.read(project, _count_blobs) for project in heads)
    entries = sum(head.seq for head in heads.values())
    yield Check(
        "ok",
        "content",
        ", ".join(
            [
                counted(len(projects), "project", "projects"),
                counted(entries, "entry", "entries"),
                counted(blobs, "blob", "blobs"),
            ]
        ),
    )
    yield from _views(store)
    yield from (Check("warn", "import", says) for says in unfinished(store).values())
    yield from _intents(store, projects)
    yield from _settled(application, projects)
    yield from _followers(application, projects)


def _search(settings: Settings) -> Iterator[Check]:
    """Say what searches use."""
    try:
        meanings = find_by_meaning(settings)
    except Problem as problem:
        yield Check("fail", "search", problem.message)
        return
    if isinstance(meanings, NoMeanings):
        yield Check("ok", "search", f"words only; for meaning too: {INSTALL}")
    else:
        yield Check("ok", "search", f"words and meaning, by {meanings.name}")


def _followers(application: Application, projects: list[str]) -> Iterator[Check]:
    """Say how far followers are behind, and which fail."""
    store = application.store
    for follower in application.followers:
        yield _follower(store, follower, projects)
    if ended := trouble(store, THREAD, CATALOG):
        yield _failing(ended)


def _follower(store: Store, follower: Follower, projects: list[str]) -> Check:
    behind, waits = 0, ""
    for project in (CATALOG, *projects):
        try:
            if found := trouble(store, follower.name, project):
                return _failing(found)
            behind += lag(store, follower, project)
        except ProjectUnavailable as problem:
            waits = problem.message
        except Problem:
            raise
        except Exception as error:  # noqa: BLE001 - what the follower does wrong is what is told
            return _failing(FollowerFailure(follower.name, type(error).__name__, 1))
    if waits:
        return Check("warn", follower.name, f"{waits}; the other projects are followed")
    says = f"{behind:,} entries behind; a running server works them off"
    return Check("ok", follower.name, says if behind else "up to date")


def _failing(found: FollowerFailure) -> Check:
    return Check("warn", found.follower, f"{found}; the server's log says more")


def _count_blobs(tx: ReadTx) -> int:
    return sum(1 for _ in paging.digests(tx))


def _views(store: Store) -> Iterator[Check]:
    heads = store.engine.heads()
    newer = [project for project, head in heads.items() if is_newer(head.views, store.fingerprint)]
    older = [project for project, head in heads.items() if head.views != store.fingerprint]
    if newer:
        yield Check("fail", "views", f"derived by a newer Hansard: {', '.join(newer)}")
    elif older:
        says = f"of other versions than ours, derived again on first use: {', '.join(older)}"
        yield Check("warn", "views", says)
    else:
        yield Check("ok", "views", f"current ({store.fingerprint or 'none'})")


def _intents(store: Store, projects: list[str]) -> Iterator[Check]:
    intents = [each for project in projects for each in list_intents(store.engine, project)]
    dead = [each for each in intents if each.alive is False]
    says = f"{len(intents)} open, {len(dead)} of them left by dead processes"
    yield Check("warn" if dead else "ok", "intents", says)


def _settled(application: Application, projects: list[str]) -> Iterator[Check]:
    """Say what processes left open and was settled: just now, and before, the newest first."""
    now = {(one.project, one.seq) for one in application.settled}
    yield Check("ok", "settled", f"{len(now)} at this start")
    store, heads = application.store, application.store.engine.heads()
    # This derives nothing again: projects of other versions are reported once they are used.
    current = [
        name for name in projects if name in heads and heads[name].views == store.fingerprint
    ]
    found = [one for name in current for one in last_settled(store, name, limit=SETTLED_SHOWN)]
    newest = sorted(found, key=lambda one: one.at, reverse=True)[:SETTLED_SHOWN]
    for one in newest:
        when = "at this start" if (one.project, one.seq) in now else "before"
        says = (
            f"{when}: {one.project} s:{one.seq} of {one.at}, {one.what}: {_MEANINGS[one.verdict]}"
        )
        yield Check("warn" if one.verdict == "conflict" else "ok", "settled", says)
