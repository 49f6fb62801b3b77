"""Waiting for a commit: what was called back in time was not written; of the rest nobody knows."""

import threading
from collections.abc import Iterator, Sequence

import pytest

from hansard.engines.group_commit import CommitOutcome, GroupCommit, Job
from hansard.kernel import limits
from hansard.kernel.problem import StorageUnavailable
from tests.patience import PATIENCE_S

AT_ONCE_S = 0.01


class Disk:
    """A commit that takes until it is let go."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()
        self.done: list[str] = []

    def commit(self, jobs: Sequence[Job[list[str]]]) -> None:
        for job in [one for one in jobs if one.begin()]:
            self.begun.set()
            assert self.may_end.wait(PATIENCE_S)
            job.done.set_result(job.work(self.done))


@pytest.fixture
def disk() -> Iterator[Disk]:
    disk = Disk()
    yield disk
    disk.may_end.set()


@pytest.fixture
def group(disk: Disk) -> Iterator[GroupCommit[list[str]]]:
    group = GroupCommit("test-writer", disk.commit)
    yield group
    disk.may_end.set()
    assert group.close()


def test_a_commit_that_takes_too_long_has_an_outcome_that_nobody_knows(
    group: GroupCommit[list[str]], disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = CommitOutcome.wait

    def cut_short(outcome: CommitOutcome, _: float) -> bool:
        assert disk.begun.wait(PATIENCE_S)
        return real(outcome, 0)

    monkeypatch.setattr(CommitOutcome, "wait", cut_short)

    with pytest.raises(StorageUnavailable) as refused:
        group.run(lambda done: done.append("written"))
    disk.may_end.set()
    assert group.close()

    # Had it said `not_written`, whoever repeats it would have it twice.
    assert refused.value.details["outcome"] == "unknown"
    assert disk.done == ["written"]


def test_what_waits_for_its_turn_too_long_is_called_back_and_never_written(
    group: GroupCommit[list[str]], disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = threading.Thread(target=group.run, args=(lambda done: done.append("first"),))
    holder.start()
    assert disk.begun.wait(PATIENCE_S)
    monkeypatch.setattr(limits, "WRITE_WAIT_S", AT_ONCE_S)

    with pytest.raises(StorageUnavailable) as refused:
        group.run(lambda done: done.append("second"))
    disk.may_end.set()
    holder.join(PATIENCE_S)
    assert group.close()

    assert refused.value.details["outcome"] == "not_written"
    assert disk.done == ["first"]
