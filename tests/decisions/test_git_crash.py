"""A process killed while it publishes leaves a repository that the next one makes right."""

import shutil
from pathlib import Path

import pytest

from hansard.decisions import gitlog, gitrefs
from tests.crash.harness import (
    Aftermath,
    Call,
    Point,
    calls_in,
    killed_at,
    killed_everywhere,
    needs_strace,
    playing,
    traced,
)
from tests.crash.power import cut_at, cut_everywhere, needs_disks
from tests.decisions.git_scenes import (
    PROJECT,
    STORE,
    Git,
    decide,
    decide_and_publish,
    leftovers,
    needs_git,
    open_application,
    publish,
)

DISKS = (STORE, gitlog.FOLDER)

pytestmark = [needs_strace, needs_git]

POINTS = [
    Point("publish", "rename", 1),
    Point("publish", "unlink", 3),
    Point("publish", "unlink", 12),
]
"""While the repository is laid out, among the objects of a commit, and after the last reference."""

LATER_POINTS = [
    Point("publish", "rename", 1),
    Point("publish", "rename", 2),
]
"""Before each of the references moves, when the lock on it has been written."""


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the locks of those who were killed."""
    monkeypatch.setattr(gitrefs, "LOCK_STALE_S", 0.0)


@pytest.mark.holds("DEC-git-4", "DEC-git-5")
@pytest.mark.parametrize("point", POINTS, ids=str)
def test_a_kill_at_some_points_of_the_first_publishing_harms_nothing(
    point: Point, tmp_path: Path
) -> None:
    assert faults_after(killed_at(point, publish, prepared(tmp_path), tmp_path)) == []


@pytest.mark.parametrize("point", LATER_POINTS, ids=str)
def test_a_kill_at_some_points_of_a_later_publishing_harms_nothing(
    point: Point, tmp_path: Path
) -> None:
    folder = prepared(tmp_path, is_published=True)

    assert faults_after(killed_at(point, publish, folder, tmp_path)) == []


@pytest.mark.slow("kills a process at every change that it makes to files")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("is_published", [False, True], ids=["first", "later"])
def test_a_kill_at_any_point_harms_nothing(is_published: bool, tmp_path: Path) -> None:
    folder = prepared(tmp_path, is_published=is_published)

    afters = killed_everywhere(publish, folder, tmp_path, gates=("publish",))
    found = {after.point: faults_after(after) for after in afters}

    assert found
    assert {point: faults for point, faults in found.items() if faults} == {}


@needs_disks
@pytest.mark.root
@pytest.mark.parametrize("nth", [1, 2], ids=["own", "branch"])
def test_a_power_cut_before_a_reference_moves_harms_nothing(nth: int, tmp_path: Path) -> None:
    point = Point("publish", "rename", nth)

    with cut_at(point, decide_and_publish, tmp_path, disks=DISKS) as after:
        assert faults_on_disks(after) == []


@needs_disks
@pytest.mark.root
@pytest.mark.slow("cuts the power at every change that a process makes to files")
@pytest.mark.timeout(900)
def test_a_power_cut_at_any_point_harms_nothing(tmp_path: Path) -> None:
    afters = cut_everywhere(decide_and_publish, tmp_path, gates=("publish",), disks=DISKS)
    found = {after.point: faults_on_disks(after) for after in afters}

    assert found
    assert {point: faults for point, faults in found.items() if faults} == {}


@pytest.mark.holds("DEC-git-4")
def test_objects_are_on_disk_before_the_references_move(tmp_path: Path) -> None:
    folder = prepared(tmp_path, is_published=True)

    with playing(publish, folder) as child:
        child.until("publish")
        with traced(child, "-e", "trace=fsync,syncfs,link,rename") as output:
            child.go_on()
            child.until("close")
        calls = [call for call in calls_in(output) if ".git" in call.text]

    objects, own, branch = places(calls, "/objects/"), places(calls, OWN), places(calls, BRANCH)
    [synced] = [at for at, call in enumerate(calls) if call.name == "syncfs"]
    assert {calls[at].name for at in objects} == {"link"}
    # It would rather make a link, which fails where there is a reference already.
    assert [calls[at].name for at in own] == ["fsync", "link", "rename"]
    assert [calls[at].name for at in branch] == ["fsync", "link", "rename"]
    assert max(objects) < synced < min(own) < max(own) < min(branch)
    assert [call.name for call in calls[-1:]] == ["fsync"]


OWN, BRANCH = "refs/hansard/main", "refs/heads/main"


def places(calls: list[Call], part: str) -> list[int]:
    return [at for at, call in enumerate(calls) if part in call.text]


def prepared(space: Path, *, is_published: bool = False) -> Path:
    """Make a store with decisions that are not published yet, all of them or the last."""
    folder = space / "prepared"
    app = open_application(folder / STORE)
    bot = decide(app, 2)
    if is_published:
        gitlog.publish(app.store, folder / STORE / gitlog.FOLDER, PROJECT)
        bot.supersede("D002", target="database", title="Use both")
    app.close()
    return folder


def faults_after(after: Aftermath | None) -> list[str]:
    """Look at a store that holds its repositories, as the next process finds it."""
    assert after is not None, "the scene does not come to that point"
    return faults_in(after.folder, after.folder / STORE / gitlog.FOLDER)


def faults_on_disks(after: Aftermath | None) -> list[str]:
    """Look at a store and at repositories beside it, as the next process finds them."""
    assert after is not None, "the scene does not come to that point"
    # Before anything is put right, people can read all of what there is.
    Git(gitlog.repository_in(after.folder / gitlog.FOLDER, PROJECT))("log", "--patch", "main")
    return faults_in(after.folder, after.folder / gitlog.FOLDER)


def faults_in(space: Path, folder: Path) -> list[str]:
    """Publish once more, and compare with a repository made afresh."""
    app = open_application(space / STORE)
    fresh = space / "fresh"
    gitlog.publish(app.store, folder, PROJECT)
    gitlog.publish(app.store, fresh, PROJECT)
    app.close()
    git = Git(gitlog.repository_in(folder, PROJECT))
    git.check()
    is_same = git.ids() == Git(gitlog.repository_in(fresh, PROJECT)).ids()
    shutil.rmtree(fresh)
    return leftovers(folder) + ([] if is_same else ["its commits are others"])
