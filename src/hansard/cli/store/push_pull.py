"""`hansard push` and `pull` between two stores; `exchange` is the remote end over SSH."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from hansard.app.application import Application
from hansard.app.home_projects import WorkspaceHome
from hansard.app.keeping import frames
from hansard.app.keeping.push_pull import Moved, move
from hansard.app.settings import load
from hansard.app.start import start
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, settings_flags
from hansard.cli.store import peers
from hansard.cli.terminal.text import print_json, show_progress
from hansard.kernel.clock import to_text
from hansard.kernel.event import SYSTEM, Stamp
from hansard.kernel.problem import InvalidInput, Problem
from hansard.sessions import projects

HERE = "this store"
Name = Annotated[
    str | None,
    typer.Argument(metavar="[PROJECT]", help="Which project; by default this workspace's."),
]


@settings_flags
def push(
    flags: Flags,
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="A folder, HOST:FOLDER, or https://SERVER.")
    ],
    name: Name = None,
    *,
    json: Json = False,
) -> int:
    """Bring what is new in a project to another store: exactly, with every hash.

    If both have diverged, nothing is changed, and the command says where.
    """
    with opened(flags) as (application, settings):
        project = _project(application, name)
        with (
            peers.own(application, HERE) as ours,
            peers.reached(target, settings, makes=True) as theirs,
        ):
            moved = move(ours, theirs, project, progress=show_progress)
    _show(moved, f"{target} has", "pull", target, json=json)
    return 0


@settings_flags
def pull(
    flags: Flags,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A folder, HOST:FOLDER, or https://SERVER.")
    ],
    name: Name = None,
    *,
    json: Json = False,
) -> int:
    """Bring what is new in a project of another store here: exactly, with every hash.

    If both have diverged, nothing is changed, and the command says where.
    """
    start(load(flags)).close()
    with opened(flags) as (application, settings):
        project = _project(application, name)
        with (
            peers.own(application, HERE) as ours,
            peers.reached(source, settings, makes=False) as theirs,
        ):
            moved = move(theirs, ours, project, progress=show_progress)
        is_taken_up = _is_taken_up(application, moved.project)
    _show(moved, "This store has", "push", source, json=json)
    if is_taken_up and not json:
        print("This workspace had no project in this store: it goes on in that one.")
    return 0


@settings_flags
def exchange(flags: Flags) -> int:
    """Answer `hansard push` and `pull` on stdin and stdout; SSH runs this on the other machine."""
    if sys.stdin.isatty():
        raise InvalidInput(
            "`hansard push` and `pull` run this command at the other end of SSH",
            hint="Run `hansard push HOST:FOLDER` on the machine that has the project",
        )
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    with opened(flags, makes_store=True) as (application, _), peers.own(application, HERE) as peer:
        assert isinstance(peer, peers.LocalPeer), "one's own store is here"
        while message := frames.read(incoming):
            outgoing.write(_answered(peer, *message))
            outgoing.flush()
    return 0


def _answered(peer: peers.LocalPeer, told: dict[str, Any], body: bytes) -> bytes:
    secret = told.pop(peers.SECRET, None)
    caller = replace(peer.caller, secret=secret) if isinstance(secret, str) else peer.caller
    try:
        return frames.packed(*peer.exchange.answer(told, body, caller))
    except Problem as problem:
        return frames.refusal(problem)


def _project(application: Application, name: str | None) -> str:
    """Find the key of the project; one that does not exist here yet is named by its key."""
    if name is None:
        return application.default_project
    found = projects.find(application.store, name)
    return found.key if found else name


def _is_taken_up(application: Application, project: str) -> bool:
    """Make this workspace continue in what was pulled, if it has no project here."""
    home, now = application.home, Stamp(SYSTEM, to_text(datetime.now(UTC)))
    return isinstance(home, WorkspaceHome) and home.take_up(application.store, project, now)


def _show(moved: Moved, whose: str, other: str, address: str, *, json: bool) -> None:
    if json:
        names = ("project", "entries", "blobs", "bytes", "seq", "hash", "ahead", "redactions")
        print_json({name: getattr(moved, name) for name in names})
        return
    if moved.entries:
        size = f"{moved.entries:,} entries, {moved.blobs:,} blobs, {moved.bytes:,} bytes"
        print(f"{whose} {moved.project} up to s:{moved.seq} now: {size}")
    elif moved.ahead:
        print(f"Nothing new. {whose} {moved.ahead:,} entries more of {moved.project}:")
        print(f"`hansard {other} {address}` brings them to the other side")
    else:
        print(f"Nothing new: both have {moved.project} up to s:{moved.seq}")
    if moved.redactions:
        print(
            f"Something was erased {moved.redactions:,} times: a copy that had it keeps it. "
            "See docs/keeping.md"
        )
    print(f"{moved.project} {moved.seq}:{moved.hash}")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("push")(push)
    app.command("pull")(pull)
    app.command("exchange")(exchange)
