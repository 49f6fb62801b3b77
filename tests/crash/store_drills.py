"""Drills of the store itself, and of an effect in its plainest form."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hansard.app.application import Application
from hansard.kernel import paging
from hansard.kernel.engine import WriteTx
from tests import toy
from tests.crash import checks, scenes, toys
from tests.crash.harness import Aftermath, Point
from tests.crash.player import killed_in
from tests.crash.sweep import Drill
from tests.effects import settle


def some_notes(folder: Path) -> None:
    """Start from a store with a few notes."""
    app = toys.open_application(folder / scenes.STORE)
    for number in range(3):
        app.call("toy_note", {"text": f"prepared {number}"}, toys.a_caller())
    app.close()


def notes_in_old_views(folder: Path) -> None:
    """Start from a store whose views are of an older version, and differ."""
    some_notes(folder)
    app = toys.open_application(folder / scenes.STORE)

    def age(tx: WriteTx) -> None:
        tx.clear([toy.NOTES], [toy.WORDS])
        tx.mark_views("toy:0")

    app.store.engine.write(app.default_project, age)
    app.close()


def notes_and_a_file(folder: Path) -> None:
    """Start from a store with a few notes, and a file beside it."""
    some_notes(folder)
    (folder / scenes.FILE).write_text(scenes.BEFORE)


def a_dead_process(call: str, nth: int) -> Callable[[Path], None]:
    """Start from what a process leaves that is killed in the midst of an effect."""

    def prepare(folder: Path) -> None:
        notes_and_a_file(folder)
        assert killed_in(folder, Point("effect", call, nth), scenes.replace_file) is not None

    return prepare


def store_faults(after: Aftermath) -> list[str]:
    """Look at a store as the next process finds it, and at what that one leaves."""
    app = toys.open_application(after.folder / scenes.STORE)
    found = checks.findings(app, after.acks) + checks.takes_new_work(app, "afterwards")
    app.close()
    return found + checks.leftovers(after.folder / scenes.STORE)


def effect_faults(after: Aftermath) -> list[str]:
    """Look at a store and at the file beside it, as the next process finds and settles them."""
    app = toys.open_application(after.folder / scenes.STORE)
    for _ in range(2):
        settle(app.store, app.default_project, toys.effects(after.folder), toys.STAMP)
    found = file_faults(app, after.folder) + checks.findings(app, after.acks)
    app.close()
    temporaries = [path.name for path in after.folder.glob(".*")]
    return found + [f"{name} is left over" for name in temporaries]


def file_faults(app: Application, folder: Path) -> list[str]:
    """Compare the file with what the timeline says of it."""
    entries = app.store.read(app.default_project, lambda tx: list(paging.entries(tx)))
    events = [app.store.kinds.decode(entry) for entry in entries]
    intents = [event for event in events if isinstance(event, toys.FileIntended)]
    outcomes = [event.result for event in events if isinstance(event, toys.FileSettled)]
    text = (folder / scenes.FILE).read_text()
    told: dict[str, list[Any]] = {
        scenes.BEFORE: ["aborted"] if intents else [],
        scenes.AFTER: ["done"],
    }
    if outcomes == told.get(text):
        return []
    return [f"the file holds {text!r} and the timeline says {outcomes}"]


DRILLS = [
    Drill(scenes.first_opening, store_faults, ("open",)),
    Drill(scenes.plain_write, store_faults, ("write", "close"), some_notes),
    Drill(scenes.large_write, store_faults, ("write",), some_notes),
    Drill(scenes.rebuild, store_faults, ("rebuild",), notes_in_old_views),
    Drill(scenes.rebuild_by_pages, store_faults, ("rebuild",), notes_in_old_views),
    Drill(scenes.replace_file, effect_faults, ("effect", "close"), notes_and_a_file),
    *(
        Drill(
            scenes.settle,
            effect_faults,
            ("settle", "close"),
            a_dead_process(call, nth),
            name=f"settle-after-{call}",
        )
        for call, nth in (("rename", 1), ("fsync", 2))
    ),
]
