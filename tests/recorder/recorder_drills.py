"""Drills of operations on files, whose disk is not the store's."""

from functools import partial
from pathlib import Path

from hansard.app.application import Application
from hansard.kernel.effect import open_intents
from hansard.recorder.answers import EvolutionAnswer
from hansard.recorder.workspace.temporaries import PREFIX
from tests.crash import checks
from tests.crash.harness import Aftermath
from tests.crash.stage import Scene
from tests.crash.sweep import Drill
from tests.recorder import recorder_scenes as scenes
from tests.recorder.asking import contents, sha256
from tests.recorder.recorder_scenes import (
    NEW,
    OF_A_PERSON,
    OLD,
    STORE,
    WORKSPACE,
    call,
    open_recorder,
)

A, B = f"a: {OLD}", f"b: {OLD}"
States = dict[str, tuple[str | None, str | None]]
"""Of each file what it may hold: before, and after."""

STATES: dict[Scene, States] = {
    scenes.create: {"a": (A, A), "b": (B, B), "d/new": (None, NEW)},
    scenes.edit: {"a": (A, NEW), "b": (B, B)},
    scenes.delete: {"a": (A, None), "b": (B, B)},
    scenes.move: {"a": (A, None), "b": (B, B), "d/moved": (None, A)},
    scenes.batch: {"a": (A, NEW), "b": (B, None), "new": (None, NEW)},
    scenes.restore: {"a": (A, OLD), "b": (B, OLD)},
    scenes.undo: {
        "a": (f"changed\n{A}{OF_A_PERSON}", f"{A}{OF_A_PERSON}"),
        "b": (f"changed\n{B}{OF_A_PERSON}", f"{B}{OF_A_PERSON}"),
    },
    scenes.restore_over_outside: {"a": (OF_A_PERSON, OLD), "b": (OF_A_PERSON, OLD)},
    scenes.settle_before: {"a": (A, NEW), "b": (B, B)},
    scenes.settle_after: {"a": (A, NEW), "b": (B, B)},
    scenes.settle_taken: {"a": (OF_A_PERSON, OF_A_PERSON), "b": (B, B)},
}


OUTSIDE = frozenset({scenes.undo, scenes.restore_over_outside, scenes.settle_taken})
"""Before these, somebody has changed files past Hansard, which it does not know until it looks."""


def faults(after: Aftermath, states: States, *, is_outside: bool = False) -> list[str]:
    """Look at files and record as the next process finds and settles them."""
    app = open_recorder(after.folder)
    if is_outside:
        unmet = lost_work(app, after, states)
        meet(app, states)
        app.close()
        app = open_recorder(after.folder)
        return [*unmet, *_faults(app, after, states)]
    return _faults(app, after, states)


def meet(app: Application, states: States) -> None:
    """Have a person's changes noticed that nobody has met, by moves there and back."""
    for path in states:
        call(app, "file_op", action="move", path=path, to=f"{path}-aside")
        call(app, "file_op", action="move", path=f"{path}-aside", to=path)


def lost_work(app: Application, after: Aftermath, states: States) -> list[str]:
    """Look that what a person wrote is on disk or in the record."""
    found = []
    disk = contents(after.folder / WORKSPACE)
    for path, (written, _) in states.items():
        assert written is not None, "a person has written it"
        answer = call(app, "get_evolution", path=path, limit=1000)
        kept = {revision.sha256 for revision in answer.revisions or ()}
        if disk.get(path) != written.encode() and sha256(written) not in kept:
            found.append(f"what a person wrote into {path} is lost")
    return found


def _faults(app: Application, after: Aftermath, states: States) -> list[str]:
    settled = head(app)
    app.close()
    app = open_recorder(after.folder)
    found = [] if head(app) == settled else ["settling twice is not settling once"]
    found += file_faults(app, after, states) + checks.findings(app)
    found += takes_new_work(app, after.folder)
    app.close()
    return found + leftovers(after.folder)


def head(app: Application) -> int:
    return app.store.engine.heads()[app.default_project].seq


def file_faults(app: Application, after: Aftermath, states: States) -> list[str]:
    """Compare what is on disk with what may be there, and with what the record says."""
    disk = {path: data.decode() for path, data in contents(after.folder / WORKSPACE).items()}
    found = [f"{path} is on disk" for path in disk.keys() - states.keys()]
    for path, allowed in states.items():
        if disk.get(path) not in allowed:
            found.append(f"{path} is torn: {disk.get(path)!r}")
        if after.told and disk.get(path) != allowed[1]:
            found.append(f"{path} was acknowledged and is not there")
        if recorded(app, path) != (sha256(disk[path]) if path in disk else None):
            found.append(f"{path} is not what the record says")
    still = open_intents(app.store, app.default_project)
    return found + [f"s:{one.row['seq']} is still open" for one in still]


def recorded(app: Application, path: str) -> str | None:
    """Give the digest of what a file holds, by the record."""
    listed = call(app, "get_evolution", limit=1000)
    assert isinstance(listed, EvolutionAnswer)
    return {one.path: one.sha256 for one in listed.files or ()}.get(path)


def takes_new_work(app: Application, folder: Path) -> list[str]:
    """Change the same files once more."""
    for path in ("a", "b", "afterwards"):
        there = (folder / WORKSPACE / path).exists()
        action = "edit" if there else "create"
        result = call(app, "file_op", action=action, path=path, content="afterwards\n").results[0]
        if result.status != "done" or result.external_change:
            return [f"a new change of {path} went like this: {result.text()}"]
    return []


def leftovers(folder: Path) -> list[str]:
    temporaries = [path.name for path in (folder / WORKSPACE).rglob(f"{PREFIX}*")]
    return [f"{name} is left over" for name in temporaries] + checks.leftovers(folder / STORE)


DRILLS = [
    Drill(
        scene,
        partial(faults, states=states, is_outside=scene in OUTSIDE),
        ("op", "close"),
        disks=(STORE, WORKSPACE),
        name=f"file-{scene.__name__.replace('_', '-')}",
        drills="recorder",
    )
    for scene, states in STATES.items()
]
