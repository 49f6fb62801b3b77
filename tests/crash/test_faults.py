"""What the disk and the scheduler can do to a SQLite store, and what its callers are told."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.crash import checks, scenes, toys
from tests.crash.harness import Child, needs_strace, playing, traced
from tests.crash.stage import Scene

"""Many times what the scenes' limits allow."""


@contextmanager
def disturbed(scene: Scene, folder: Path, fault: str) -> Iterator[Child]:
    """Play a scene with this fault between its gates `disturbed` and `calm`, where it stops."""
    with playing(scene, folder) as child:
        child.until("disturbed")
        with traced(
            child, "-e", f"trace={fault.partition(':')[0]}", "-e", f"inject={fault}"
        ) as log:
            child.go_on()
            assert child.next_gate() == "calm", child.complaint
        assert "(INJECTED)" in log.read_text(), "the fault was never met"
        yield child


def refusals(child: Child) -> dict[str, str]:
    """Give what was refused, with what is said of its outcome."""
    return {told["refused"]: told["outcome"] for told in child.told if "refused" in told}


def tokens(child: Child) -> list[str]:
    return [ack.token for ack in child.acks]


def faults(child: Child, folder: Path) -> list[str]:
    """Look at the store as the next process finds it."""
    app = toys.open_application(folder / scenes.STORE)
    found = checks.findings(app, child.acks) + checks.takes_new_work(app, "afterwards")
    present = {token for token, _ in checks.tokens(app.store, app.default_project)}
    app.close()
    wrong = [
        f"{token} was refused as not written and is there"
        for token, outcome in refusals(child).items()
        if outcome == "not_written" and token in present
    ]
    return found + wrong + checks.leftovers(folder / scenes.STORE)


@pytest.mark.fault("disk full")
@pytest.mark.holds("ALL-06.41")
@needs_strace
def test_a_full_disk_refuses_one_write_and_takes_the_next(tmp_path: Path) -> None:
    with disturbed(scenes.disturbed_notes, tmp_path, "pwrite64:error=ENOSPC:when=1") as child:
        child.go_on()
        assert child.end() == 0

        assert refusals(child) == {"first": "not_written"}
        assert tokens(child) == ["before", "second", "third"]
        assert child.told[-1] == {"notes": ["before", "second"]}
        assert faults(child, tmp_path) == []


@pytest.mark.fault("disk full")
@needs_strace
def test_while_the_disk_is_full_one_can_read_and_afterwards_write(tmp_path: Path) -> None:
    with disturbed(scenes.disturbed_notes, tmp_path, "pwrite64:error=ENOSPC") as child:
        child.go_on()
        assert child.end() == 0

        assert refusals(child) == {"first": "not_written", "second": "not_written"}
        assert tokens(child) == ["before", "third"]
        assert child.told[-1] == {"notes": ["before"]}
        assert faults(child, tmp_path) == []


@pytest.mark.fault("sync fails (EIO)")
@pytest.mark.holds("ALL-04.1")
@needs_strace
def test_after_a_failed_sync_the_outcome_is_unknown_and_nothing_more_is_written(
    tmp_path: Path,
) -> None:
    with disturbed(scenes.disturbed_notes, tmp_path, "fdatasync:error=EIO:when=1") as child:
        child.go_on()
        assert child.end() == 0

        refused = {"first": "unknown", "second": "not_written", "third": "not_written"}
        assert refusals(child) == refused
        assert tokens(child) == ["before"]
        assert [told for told in child.told if "notes" in told], "it could not be read"
        assert faults(child, tmp_path) == []


@pytest.mark.fault("sync fails (EIO)")
@needs_strace
def test_what_waited_behind_a_failed_sync_is_not_written(tmp_path: Path) -> None:
    fault = "fdatasync:error=EIO:when=1"
    with disturbed(scenes.queue_up_behind_a_failure, tmp_path, fault) as child:
        child.go_on()
        assert child.end() == 0

        queued = {f"queued {number}": "not_written" for number in range(scenes.FEW)}
        assert refusals(child) == {"first": "unknown"} | queued
        assert faults(child, tmp_path) == []


@pytest.mark.fault("sync fails (EIO)")
@needs_strace
@pytest.mark.parametrize("fault", ["write:error=ENOSPC:when=1", "fsync:error=EIO:when=1"])
def test_a_body_that_cannot_be_stored_is_refused_and_leaves_nothing(
    fault: str, tmp_path: Path
) -> None:
    with disturbed(scenes.disturbed_bodies, tmp_path, fault) as child:
        child.go_on()
        assert child.end() == 0

        assert refusals(child) == {"first": "not_written"}
        assert tokens(child) == ["before", "second"]
        assert faults(child, tmp_path) == []


@contextmanager
def a_suspended_writer(folder: Path) -> Iterator[Child]:
    """Suspend a process in the middle of a write; it is woken when the block ends."""
    with playing(scenes.hold_the_turn, folder) as holder:
        holder.until("writing")
        holder.process.send_signal(signal.SIGSTOP)
        yield holder


@pytest.mark.fault("suspended process")
@pytest.mark.holds("ALL-06.41")
def test_behind_a_suspended_writer_a_write_is_refused_in_time(tmp_path: Path) -> None:
    with playing(scenes.wait_for_the_turn_again, tmp_path) as child:
        child.until("write")
        with a_suspended_writer(tmp_path) as holder:
            child.go_on()
            child.until("again")
            assert refusals(child) == {"first": "not_written"}

            holder.process.send_signal(signal.SIGCONT)
            holder.go_on()
            assert holder.end() == 0
        child.go_on()
        assert child.end() == 0

        assert tokens(child) == ["second"]
        assert faults(child, tmp_path) == []


@pytest.mark.fault("suspended process")
def test_behind_a_suspended_writer_closing_ends_in_time(tmp_path: Path) -> None:
    with playing(scenes.wait_for_the_turn, tmp_path) as child:
        child.until("write")
        with a_suspended_writer(tmp_path):
            child.go_on()
            child.until("open")

            assert set(refusals(child)) == {"first", "second"}


@pytest.mark.fault("suspended process")
def test_behind_a_suspended_writer_opening_ends_in_time(tmp_path: Path) -> None:
    with playing(scenes.wait_for_the_turn, tmp_path) as child:
        child.until("open")
        with a_suspended_writer(tmp_path):
            child.go_on()
            assert child.end() == 0

            assert refusals(child) in ({}, {"opening": "not_written"})
