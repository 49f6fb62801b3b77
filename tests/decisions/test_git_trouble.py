"""Locks, people, damage and full disks: the repository comes out as the journal says."""

import logging
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from hansard.app.verify import verify
from hansard.decisions.git import decision_log
from hansard.kernel.follow import NotNow
from tests.conftest import SteppingClock
from tests.decisions.git_drills import prepare
from tests.decisions.git_scenes import (
    PROJECT,
    STORE,
    Git,
    Ledger,
    a_ledger,
    leftovers,
    needs_git,
    open_application,
)

pytestmark = needs_git


@pytest.fixture
def ledger(tmp_path: Path, clock: SteppingClock) -> Iterator[Ledger]:
    with a_ledger(tmp_path, clock) as opened:
        yield opened


@pytest.mark.fault("Git in trouble")
@pytest.mark.parametrize("name", ["heads/main", "hansard/main"])
def test_a_lock_left_by_a_dead_process_is_removed(ledger: Ledger, name: str) -> None:
    ledger.publish()
    lock = ledger.git.path / "refs" / f"{name}.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    made = ledger.bot.record(target="after the crash")

    ledger.publish()

    assert ledger.git("log", "-1", "--format=%s", "main").startswith(f"Record {made}:")
    assert leftovers(ledger.folder) == []


@pytest.mark.fault("Git in trouble")
def test_a_lock_that_somebody_holds_for_a_while_is_waited_for(ledger: Ledger) -> None:
    ledger.publish()
    lock = ledger.git.path / "refs/heads/main.lock"
    lock.touch()
    ledger.bot.record(target="while it is locked")
    timer = threading.Timer(0.2, lock.unlink)
    timer.start()

    ledger.publish()
    timer.join()

    assert len(ledger.git.ids()) == 4


@pytest.mark.fault("Git in trouble")
def test_locks_of_others_are_left_alone_and_do_no_harm(ledger: Ledger) -> None:
    ledger.publish()
    locks = [
        ledger.git.path / name
        for name in ("packed-refs.lock", "HEAD.lock", "gc.pid", "config.lock")
    ]
    for lock in locks:
        lock.touch()
    ledger.bot.record(target="while they are locked")

    ledger.publish()

    assert len(ledger.git.ids()) == 4
    assert all(lock.exists() for lock in locks)


@pytest.mark.fault("Git in trouble")
def test_commits_of_somebody_else_are_kept_beside_and_ours_put_back(
    ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    ledger.publish()
    theirs = [pushed_by_somebody(ledger.git, ledger.space / str(number)) for number in range(2)]
    ledger.bot.record(target="after the push")

    with caplog.at_level(logging.WARNING):
        ledger.publish()

    assert ledger.git.ids() == ledger.afresh()
    assert ledger.git.ids("foreign-1")[:2] == theirs[::-1]
    assert "Somebody moved main" in caplog.text
    ledger.git.check()


@pytest.mark.fault("Git in trouble")
@pytest.mark.parametrize(
    "move",
    [
        ("update-ref", "refs/heads/main", "main~2"),
        ("update-ref", "-d", "refs/heads/main"),
        ("symbolic-ref", "refs/heads/main", "refs/heads/nowhere"),
        ("update-ref", "-d", "refs/hansard/main"),
        ("update-ref", "refs/hansard/main", "main~1"),
        ("pack-refs", "--all"),
        ("gc", "--quiet"),
    ],
    ids=" ".join,
)
def test_a_reference_that_was_moved_is_put_back(ledger: Ledger, move: tuple[str, ...]) -> None:
    ledger.publish()
    ledger.git(*move)

    ledger.bot.record(target="after the move")
    ledger.publish()

    assert ledger.git.ids() == ledger.afresh()
    assert not ledger.git("for-each-ref", "refs/heads/foreign-*")
    ledger.git.check()


@pytest.mark.fault("Git in trouble")
def test_the_repository_of_another_journal_is_kept_beside(
    ledger: Ledger, clock: SteppingClock
) -> None:
    with a_ledger(ledger.space, clock) as other:
        other.bot.record(target="something else")
        other.publish()
    theirs = ledger.git.ids()

    ledger.publish()

    assert ledger.git.ids() == ledger.afresh()
    assert ledger.git.ids("foreign-1") == theirs


@pytest.mark.fault("Git in trouble")
@pytest.mark.parametrize("keep", [0, 1, 10, -5])
def test_torn_objects_of_an_unfinished_commit_are_written_again(ledger: Ledger, keep: int) -> None:
    ledger.publish()
    before = {path for path in (ledger.git.path / "objects").rglob("*") if path.is_file()}
    tip = ledger.git.ids()[0]
    ledger.bot.record(target="torn")
    ledger.publish()
    for name in ("heads/main", "hansard/main"):
        (ledger.git.path / "refs" / name).write_text(f"{tip}\n")
    for path in {
        path for path in (ledger.git.path / "objects").rglob("*") if path.is_file()
    } - before:
        path.chmod(0o644)
        path.write_bytes(path.read_bytes()[:keep])

    ledger.publish()

    assert ledger.git.ids() == ledger.afresh()
    ledger.git.check()
    assert leftovers(ledger.folder) == []


@pytest.mark.fault("Git in trouble")
@pytest.mark.parametrize("damage", ["empty", "cut", "gone", "swapped", "HEAD", "reference"])
def test_a_damaged_repository_is_kept_aside_and_made_again(ledger: Ledger, damage: str) -> None:
    ledger.publish()
    break_it(ledger.git, damage)
    ledger.bot.record(target="after the damage")

    ledger.publish()

    assert ledger.git.ids() == ledger.afresh()
    ledger.git.check()
    assert (ledger.folder / f"{ledger.git.path.name}.damaged-1").is_dir()


@pytest.mark.fault("Git in trouble")
@pytest.mark.parametrize("name", ["main:", "main:{folder}", "main:{page}"])
@pytest.mark.parametrize("keep", [0, 10, -5])
def test_damage_beneath_the_last_commit_is_found_when_it_is_met(
    name: str, keep: int, ledger: Ledger
) -> None:
    ledger.publish()
    pages = ledger.git("ls-tree", "-r", "--name-only", "main").split()
    page = next(page for page in pages if page.endswith("D002.md"))
    named = name.format(page=page, folder=page.partition("/")[0])
    found = ledger.git("rev-parse", named).strip()
    path = ledger.git.path / "objects" / found[:2] / found[2:]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:keep])
    ledger.bot.supersede("D002", target="database", title="Use both")

    ledger.publish()

    assert ledger.git.ids() == ledger.afresh()
    ledger.git.check()


@pytest.mark.fault("Git in trouble")
def test_people_who_pack_while_we_publish_do_no_harm(ledger: Ledger) -> None:
    ledger.publish()

    with packing_without_end(ledger.git.path):
        for number in range(20):
            ledger.bot.record(target=f"busy {number}")
            publish_at_last(ledger)

    assert ledger.git.ids() == ledger.afresh()
    ledger.git.check()
    assert leftovers(ledger.folder) == []


@contextmanager
def packing_without_end(path: Path) -> Iterator[None]:
    """Be somebody who packs objects and references all the time."""
    is_over = threading.Event()

    def pack() -> None:
        while not is_over.is_set():
            for command in (("gc", "--quiet"), ("pack-refs", "--all")):
                subprocess.run(
                    ["git", "--git-dir", path, *command], capture_output=True, check=False
                )

    packing = threading.Thread(target=pack)
    packing.start()
    try:
        yield
    finally:
        is_over.set()
        packing.join()


def publish_at_last(ledger: Ledger) -> None:
    """Publish as the one who follows does, who comes again when it cannot be now."""
    for _ in range(50):
        try:
            ledger.publish()
        except NotNow:
            continue
        return
    pytest.fail("it could never be published")


@pytest.mark.fault("Git in trouble")
def test_faults_of_a_repository_are_found(ledger: Ledger) -> None:
    ledger.publish()
    sound = decision_log.faults(ledger.app.store, ledger.folder, PROJECT)
    page = ledger.git(
        "rev-parse", f"main:{ledger.git('ls-tree', '-r', '--name-only', 'main').split()[0]}"
    )
    (ledger.git.path / "objects" / page[:2] / page[2:].strip()).unlink()

    assert sound == []
    assert decision_log.faults(ledger.app.store, ledger.folder, PROJECT) == [
        f"object {page.strip()} cannot be read"
    ]


@pytest.mark.fault("Git in trouble")
@pytest.mark.root
def test_on_a_full_disk_git_waits_until_there_is_room(ledger: Ledger, small_disk: Path) -> None:
    for number in range(60):
        ledger.bot.record(target=f"large {number}", consequences=[os.urandom(900).hex()] * 5)

    with pytest.raises(NotNow):
        ledger.follow(small_disk)
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    ledger.follow(small_disk)

    git = Git(decision_log.repository_in(small_disk, PROJECT))
    assert git.ids() == ledger.afresh()
    git.check()
    assert leftovers(small_disk) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 256 KiB."""
    mounted = tmp_path / "small"
    mounted.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(mounted)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    yield mounted
    subprocess.run(["umount", str(mounted)], check=True)


def pushed_by_somebody(git: Git, clone: Path) -> str:
    """Have a person push a commit onto our branch; returns its id."""
    git("clone", "--quiet", str(git.path), str(clone))
    made = Git(clone).commit("A note of mine")
    Git(clone)("push", "--quiet", "origin", "main")
    return made


def break_it(git: Git, damage: str) -> None:
    """Damage the last commit, or how it is found."""
    tip = git.ids()[0]
    path = git.path / "objects" / tip[:2] / tip[2:]
    path.chmod(0o644)
    match damage:
        case "empty":
            path.write_bytes(b"")
        case "cut":
            path.write_bytes(path.read_bytes()[:10])
        case "gone":
            path.unlink()
        case "swapped":
            other = git.ids()[1]
            path.write_bytes((git.path / "objects" / other[:2] / other[2:]).read_bytes())
        case "HEAD":
            (git.path / "HEAD").unlink()
        case _:
            (git.path / "refs/hansard/main").write_text("garbage\n")


@pytest.mark.fault("tampering")
def test_a_journal_that_cannot_be_read_does_not_end_the_verification(tmp_path: Path) -> None:
    prepare(tmp_path, is_published=True)
    with closing(apsw.Connection(str(tmp_path / STORE / "hansard.db"))) as database:
        database.execute("UPDATE journal SET session = CAST(x'ffb6' AS TEXT) WHERE session <> ''")
    app = open_application(tmp_path / STORE)

    report = verify(app.store, git=tmp_path / STORE / decision_log.FOLDER)

    app.close()
    assert report.exit_code == 2
    assert {"chain", "git"} <= {finding.check for finding in report.findings}
