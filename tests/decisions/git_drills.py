"""Drills of publishing decisions to Git, whose repositories may lie on a disk of their own."""

import shutil
from functools import partial
from pathlib import Path
from unittest import mock

from hansard.decisions.git import decision_log, refs
from tests.crash.harness import Aftermath
from tests.crash.sweep import Drill
from tests.decisions.git_scenes import (
    PROJECT,
    STORE,
    Git,
    decide,
    decide_and_publish,
    leftovers,
    open_application,
    publish,
)


def prepare(folder: Path, *, is_published: bool) -> None:
    """Make a store with decisions that are not published yet, all of them or the last."""
    app = open_application(folder / STORE)
    bot = decide(app, 2)
    if is_published:
        decision_log.publish(app.store, folder / STORE / decision_log.FOLDER, PROJECT)
        bot.supersede("D002", target="database", title="Use both")
    app.close()


def faults_after(after: Aftermath | None) -> list[str]:
    """Look at a store that holds its repositories, as the next process finds it."""
    assert after is not None, "the scene does not come to that point"
    return faults_in(after.folder, after.folder / STORE / decision_log.FOLDER)


def faults_on_disks(after: Aftermath | None) -> list[str]:
    """Look at a store and at repositories beside it, as the next process finds them."""
    assert after is not None, "the scene does not come to that point"
    # Before anything is put right, people can read all of what there is.
    Git(decision_log.repository_in(after.folder / decision_log.FOLDER, PROJECT))(
        "log", "--patch", "main"
    )
    return faults_in(after.folder, after.folder / decision_log.FOLDER)


def faults_in(space: Path, folder: Path) -> list[str]:
    """Publish once more, and compare with a repository made afresh."""
    app = open_application(space / STORE)
    fresh = space / "fresh"
    # Nobody waits here for the locks of those who were killed.
    with mock.patch.object(refs, "LOCK_STALE_S", 0.0):
        decision_log.publish(app.store, folder, PROJECT)
    decision_log.publish(app.store, fresh, PROJECT)
    app.close()
    git = Git(decision_log.repository_in(folder, PROJECT))
    git.check()
    is_same = git.ids() == Git(decision_log.repository_in(fresh, PROJECT)).ids()
    shutil.rmtree(fresh)
    return leftovers(folder) + ([] if is_same else ["its commits are others"])


DRILLS = [
    Drill(
        publish,
        faults_after,
        ("publish",),
        partial(prepare, is_published=False),
        disks=(),
        name="publish-first",
        drills="decisions",
    ),
    Drill(
        publish,
        faults_after,
        ("publish",),
        partial(prepare, is_published=True),
        disks=(),
        name="publish-later",
        drills="decisions",
    ),
    Drill(
        decide_and_publish,
        faults_on_disks,
        ("publish",),
        disks=(STORE, decision_log.FOLDER),
        name="publish-elsewhere",
        drills="decisions",
    ),
]
