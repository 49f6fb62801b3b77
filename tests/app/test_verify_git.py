"""`verify` tells a repository that is merely behind from one that contradicts the journal."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard.app.verify import verify
from hansard.decisions.git import decision_log
from hansard.kernel.follow import lock_of
from tests.conftest import SteppingClock
from tests.decisions.git_scenes import PROJECT, Ledger, a_ledger, needs_git

pytestmark = [needs_git, pytest.mark.fault("Git in trouble")]

BEHIND = "refs/heads/main is not where the journal leads"


@pytest.fixture
def ledger(tmp_path: Path, clock: SteppingClock) -> Iterator[Ledger]:
    with a_ledger(tmp_path, clock) as opened:
        opened.publish()
        yield opened


def faults(ledger: Ledger) -> list[str]:
    return decision_log.faults(ledger.app.store, ledger.folder, PROJECT)


@pytest.fixture
def followed(ledger: Ledger) -> Iterator[None]:
    """Have someone follow, who has the lock and is not done yet."""
    lock = ledger.app.store.engine.hold(lock_of(decision_log.NAME))
    assert lock
    with lock:
        yield


@pytest.mark.usefixtures("followed")
def test_a_branch_that_is_behind_is_no_fault_while_someone_follows(ledger: Ledger) -> None:
    ledger.git("update-ref", "refs/heads/main", ledger.git.ids()[1])
    assert faults(ledger) == []

    ledger.git("update-ref", "-d", "refs/heads/main")
    assert faults(ledger) == []


def test_a_branch_that_is_behind_is_drift_where_nobody_follows(ledger: Ledger) -> None:
    ledger.git("update-ref", "refs/heads/main", ledger.git.ids()[1])

    assert faults(ledger) == [BEHIND]


@pytest.mark.usefixtures("followed")
def test_a_branch_that_contradicts_is_a_fault_even_then(ledger: Ledger) -> None:
    tree = ledger.git("rev-parse", "main^{tree}").strip()
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    forged = ledger.git(*who, "commit-tree", tree, "-p", "main", "-m", "forged").strip()
    ledger.git("update-ref", "refs/heads/main", forged)

    assert faults(ledger) == [BEHIND]


def test_a_repository_that_is_written_meanwhile_has_no_faults(ledger: Ledger) -> None:
    def follow() -> None:
        for number in range(15):
            ledger.bot.record(target=f"meanwhile {number}")
            decision_log.publish_now(ledger.app.store, ledger.folder, PROJECT)

    at_work = threading.Thread(target=follow)
    found = []
    at_work.start()
    while at_work.is_alive():
        # Between two goes of this writer nobody has the lock, so that the branch may lag.
        found += [fault for fault in faults(ledger) if fault != BEHIND]
    at_work.join()

    assert found == []


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
def test_a_repository_of_someone_else_cannot_be_read(ledger: Ledger) -> None:
    os.chown(ledger.git.path, 54_321, 54_321)

    report = verify(ledger.app.store, git=ledger.folder)

    [found] = report.findings
    assert (found.severity, found.check, report.exit_code) == ("unreadable", "git", 3)
    assert "cannot be opened" in found.message
