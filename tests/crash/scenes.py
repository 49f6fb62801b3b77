"""What the crash tests kill and disturb: short pieces of work, each with its gates."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, cast

from hansard.app.application import Application
from hansard.kernel import effect, follow, limits, rebuilding
from hansard.kernel.engine import WriteTx
from hansard.kernel.limits import INLINE_BLOB_BYTES_MAX
from hansard.kernel.problem import StorageUnavailable
from tests import effects, toy
from tests.crash import toys
from tests.crash.checks import Ack
from tests.crash.stage import Stage
from tests.patience import PATIENCE_S, wait_until

if TYPE_CHECKING:
    # Not before a scene has set its limits, which engines read when they are imported.
    from hansard.engines.sqlite import SqliteEngine

STORE = "store"
LOCATION = "location.txt"
FILE = "file.txt"
BEFORE, AFTER = "as it was\n", "as it shall be\n"
FEW, CROWD = 5, 32
SHORT_S = 0.3
LARGE_BODY = "".join(f"{number:x}" for number in range(INLINE_BLOB_BYTES_MAX))
"""Hardly packed, since no two numbers are the same; more than lies in the database."""


def open_store(stage: Stage) -> Application:
    """Open the store of a stage, which lies in its folder unless a file there names another."""
    named = stage.folder / LOCATION
    return toys.open_application(named.read_text() if named.exists() else stage.folder / STORE)


def first_opening(stage: Stage) -> None:
    """Lay a store out and write to it."""
    stage.gate("open")
    app = open_store(stage)
    note(stage, app, "first")
    app.close()


def plain_write(stage: Stage) -> None:
    """Write twice, so that a kill in the second finds the first acknowledged."""
    app = open_store(stage)
    note(stage, app, "before")
    stage.gate("write")
    note(stage, app, "plain")
    stage.gate("close")
    app.close()


def large_write(stage: Stage) -> None:
    """Write something whose body lies in a file."""
    app = open_store(stage)
    note(stage, app, "before")
    stage.gate("write")
    keep(stage, app, "large", LARGE_BODY)
    stage.gate("close")
    app.close()


def rebuild(stage: Stage) -> None:
    """Read from a store whose views are of an older version, so that they are derived again."""
    app = open_store(stage)
    stage.gate("rebuild")
    app.call("toy_list", {}, toys.a_caller())
    stage.gate("close")
    app.close()


def rebuild_by_pages(stage: Stage) -> None:
    """The same, of a project that is large for its pages: each entry is derived by itself."""
    rebuilding.PAGE_ENTRIES = 1
    rebuild(stage)


def replace_file(stage: Stage) -> None:
    """Replace a file outside the store."""
    app = open_store(stage)
    owner = effect.Owner(app.store.engine)
    stage.gate("effect")
    path = stage.folder / FILE
    outcome = toys.replace_file(app.store, app.default_project, owner, path, AFTER)
    stage.tell(outcome=outcome.seq)
    stage.gate("close")
    owner.close()
    app.close()


def settle(stage: Stage) -> None:
    """Judge what a dead process left open."""
    app = open_store(stage)
    stage.gate("settle")
    effects.settle(app.store, app.default_project, toys.effects(stage.folder), toys.STAMP)
    stage.gate("close")
    app.close()


def note(stage: Stage, app: Application, token: str) -> None:
    """Take a note and tell the test of it."""
    receipt = app.call("toy_note", {"text": token}, toys.a_caller()).model_dump()["receipt"]
    stage.acknowledge(Ack(app.default_project, token, receipt["seq"], receipt["hash"]))


def keep(stage: Stage, app: Application, token: str, body: str) -> None:
    """Keep a body and tell the test of it."""
    arguments = {"token": token, "body": body}
    receipt = app.call("crash_keep", arguments, toys.a_caller()).model_dump()["receipt"]
    stage.acknowledge(Ack(app.default_project, token, receipt["seq"], receipt["hash"]))


def try_note(stage: Stage, app: Application, token: str) -> None:
    """Take a note, and tell the test how it went."""
    tried(stage, token, partial(note, stage, app, token))


def tried(stage: Stage, token: str, act: Callable[[], object]) -> None:
    """Do something that the store may refuse, and tell the test if it did."""
    try:
        act()
    except StorageUnavailable as problem:
        stage.tell(refused=token, outcome=problem.details.get("outcome"))


def replace_file_rashly(stage: Stage) -> None:
    """Replace a file before the intent is recorded, which the tests must find out."""
    app = open_store(stage)
    stage.gate("effect")
    (stage.folder / FILE).write_text(AFTER)
    with (stage.folder / FILE).open() as file:
        os.fsync(file.fileno())
    note(stage, app, "replaced")
    app.close()


def steady_writes(stage: Stage) -> None:
    """Write a few times, then something large, then from many threads at once."""
    app = open_store(stage)
    for number in range(FEW):
        note(stage, app, f"warm {number}")
    stage.gate("few")
    for number in range(FEW):
        note(stage, app, f"few {number}")
    stage.gate("large")
    keep(stage, app, "large", LARGE_BODY)
    stage.gate("crowd")
    with ThreadPoolExecutor(CROWD) as crowd:
        for number in range(CROWD * FEW):
            crowd.submit(note, stage, app, f"crowd {number}")
    stage.gate("close")
    app.close()


def disturbed_notes(stage: Stage) -> None:
    """Write when it may fail, read, then write again when it may not."""
    app = open_store(stage)
    note(stage, app, "before")
    stage.gate("disturbed")
    try_note(stage, app, "first")
    try_note(stage, app, "second")
    stage.tell(notes=app.call("toy_list", {}, toys.a_caller()).model_dump()["notes"])
    stage.gate("calm")
    try_note(stage, app, "third")
    app.close()


def disturbed_bodies(stage: Stage) -> None:
    """Write something large when it may fail, then once more."""
    app = open_store(stage)
    note(stage, app, "before")
    stage.gate("disturbed")
    tried(stage, "first", partial(keep, stage, app, "first", LARGE_BODY))
    tried(stage, "second", partial(keep, stage, app, "second", LARGE_BODY))
    stage.gate("calm")
    app.close()


def queue_up_behind_a_failure(stage: Stage) -> None:
    """Write while others wait for their turn, so that they come after a commit that fails."""
    app = open_store(stage)
    note(stage, app, "before")
    engine = cast("SqliteEngine", app.store.engine)
    has_begun = threading.Event()

    def work(tx: WriteTx) -> None:
        has_begun.set()
        # Whoever leads is waited for by the writer thread, with the first of those in its hand.
        wait_until(lambda: engine._group._jobs.qsize() >= FEW - 1)
        app.store.record(tx, toy.Noted(id="T001", text="first"), toys.STAMP)

    stage.gate("disturbed")
    with ThreadPoolExecutor(1 + FEW) as crowd:
        crowd.submit(tried, stage, "first", lambda: app.store.write(app.default_project, work))
        assert has_begun.wait(PATIENCE_S)
        for number in range(FEW):
            crowd.submit(try_note, stage, app, f"queued {number}")
    stage.gate("calm")
    app.close()


def hold_the_turn(stage: Stage) -> None:
    """Stop in the middle of a write."""
    app = open_store(stage)

    def work(tx: WriteTx) -> None:
        stage.gate("writing")
        app.store.record(tx, toy.Noted(id="T001", text="held"), toys.STAMP)

    app.call("toy_note", {"text": "before"}, toys.a_caller())
    app.store.write(app.default_project, work)
    app.close()


def wait_for_the_turn(stage: Stage) -> None:
    """Write, close and open again while another process may hold the turn."""
    limits.WRITE_WAIT_S = limits.SHUTDOWN_S = SHORT_S
    app = open_store(stage)
    stage.gate("write")
    try_note(stage, app, "first")
    stage.gate("again")
    try_note(stage, app, "second")
    stage.gate("close")
    app.close()
    stage.gate("open")
    tried(stage, "opening", lambda: open_store(stage))


def wait_for_the_turn_again(stage: Stage) -> None:
    """Write while another process holds the turn, and again when it may have it no more."""
    limits.WRITE_WAIT_S = SHORT_S
    app = open_store(stage)
    stage.gate("write")
    try_note(stage, app, "first")
    stage.gate("again")
    limits.WRITE_WAIT_S = PATIENCE_S
    try_note(stage, app, "second")
    app.close()


def follow_the_journal(stage: Stage) -> None:
    """Be the one who follows, and work off what there is at the second gate."""
    app = open_store(stage)
    follower = follow.Follower("diary", lambda *_: None)
    lock = app.store.engine.hold(follower.lock)
    assert lock is not None
    with lock:
        stage.gate("following")
        while follow.catch_up(app.store, follower, app.default_project):
            pass
        stage.gate("followed")


def stop_in_an_effect(stage: Stage) -> None:
    """Announce the replacement of a file, and stop before it."""
    app = open_store(stage)
    owner = effect.Owner(app.store.engine)
    path = stage.folder / FILE
    stop = partial(stage.gate, "acting")
    toys.replace_file(app.store, app.default_project, owner, path, AFTER, before_acting=stop)
    owner.close()
    app.close()
