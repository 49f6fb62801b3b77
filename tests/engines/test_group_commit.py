"""Waiting for a commit: what was called back in time was not written; of the rest nobody knows."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import pytest

from hansard.engines.group_commit import CommitOutcome, GroupCommit, Job
from hansard.kernel import limits
from hansard.kernel.problem import StorageUnavailable
from tests.patience import PATIENCE_S, wait_until

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


def _noted(word: str, done: list[str]) -> str:
    done.append(word)
    return word


class Asking:
    """Callers that each wait for their own work, and what they were told."""

    def __init__(self, group: GroupCommit[list[str]]) -> None:
        self._group = group
        self._threads: list[threading.Thread] = []
        self.told: dict[str, object] = {}

    def ask(self, word: str) -> None:
        thread = threading.Thread(target=self._run, args=(word,))
        self._threads.append(thread)
        thread.start()

    def _run(self, word: str) -> None:
        try:
            self.told[word] = self._group.run(partial(_noted, word))
        except RuntimeError as error:
            self.told[word] = error

    def wait(self) -> None:
        for thread in self._threads:
            thread.join(PATIENCE_S)


@dataclass
class Batches:
    """A commit that can be held, and notes which jobs came together."""

    may_go: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)
    sizes: list[int] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    fails: bool = False

    def commit(self, jobs: Sequence[Job[list[str]]]) -> None:
        self.sizes.append(len(jobs))
        self.begun.set()
        assert self.may_go.wait(PATIENCE_S)
        if self.fails:
            raise RuntimeError("the disk is gone")
        for job in [one for one in jobs if one.begin()]:
            job.done.set_result(job.work(self.done))


def test_what_was_accepted_before_closing_is_done_together_and_then_the_thread_ends() -> None:
    batches = Batches()
    group = GroupCommit[list[str]]("test-writer", batches.commit)
    asking, closed = Asking(group), list[bool]()
    asking.ask("first")
    assert batches.begun.wait(PATIENCE_S)
    asking.ask("second")
    asking.ask("third")
    wait_until(lambda: group._jobs.qsize() == 2)
    closing = threading.Thread(target=lambda: closed.append(group.close()))
    closing.start()
    wait_until(lambda: group._jobs.qsize() == 3)

    batches.may_go.set()
    asking.wait()
    closing.join(PATIENCE_S)

    assert asking.told == {"first": "first", "second": "second", "third": "third"}
    assert batches.sizes == [1, 2]
    assert closed == [True]
    assert group.close()
    with pytest.raises(StorageUnavailable) as refused:
        group.run(len)
    assert refused.value.details["outcome"] == "not_written"


class PuttingBack:
    """A commit that puts the first job back, once."""

    def __init__(self) -> None:
        self.begun, self.may_go = threading.Event(), threading.Event()
        self.group: GroupCommit[list[str]] = GroupCommit("test-writer", self._commit)
        self.put_back: list[bool] = []
        self.done: list[str] = []

    def _commit(self, jobs: Sequence[Job[list[str]]]) -> None:
        for job in [one for one in jobs if one.begin()]:
            if not self.put_back:
                self.begun.set()
                assert self.may_go.wait(PATIENCE_S)
                self.put_back.append(self.group.put_back([job]))
                if self.put_back == [True]:
                    continue
            job.done.set_result(job.work(self.done))


def test_what_is_put_back_is_done_after_what_waits() -> None:
    putting = PuttingBack()
    asking = Asking(putting.group)
    asking.ask("first")
    assert putting.begun.wait(PATIENCE_S)
    asking.ask("second")
    wait_until(lambda: putting.group._jobs.qsize() == 1)

    putting.may_go.set()
    asking.wait()

    assert putting.done == ["second", "first"]
    assert putting.group.close()


def test_nothing_is_put_back_once_it_is_closed() -> None:
    putting = PuttingBack()
    asking = Asking(putting.group)
    asking.ask("first")
    assert putting.begun.wait(PATIENCE_S)
    closing = threading.Thread(target=putting.group.close)
    closing.start()
    wait_until(lambda: putting.group._jobs.qsize() == 1)

    putting.may_go.set()
    asking.wait()
    closing.join(PATIENCE_S)

    assert putting.put_back == [False]
    assert putting.done == ["first"]


def test_a_batch_holds_no_more_than_may_share_a_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "GROUP_COMMIT_MAX", 2)
    batches = Batches()
    group = GroupCommit[list[str]]("test-writer", batches.commit)
    asking = Asking(group)
    asking.ask("0")
    assert batches.begun.wait(PATIENCE_S)
    for number in range(1, 6):
        asking.ask(str(number))
    wait_until(lambda: group._jobs.qsize() == 5)

    batches.may_go.set()
    asking.wait()

    assert batches.sizes == [1, 2, 2, 1]
    assert sorted(batches.done) == ["0", "1", "2", "3", "4", "5"]
    assert group.close()


def test_what_keeps_a_batch_from_being_committed_is_told_to_all_of_it_and_to_no_other() -> None:
    batches = Batches(fails=True)
    group = GroupCommit[list[str]]("test-writer", batches.commit)
    asking = Asking(group)
    asking.ask("lost")
    assert batches.begun.wait(PATIENCE_S)
    batches.may_go.set()
    asking.wait()
    batches.fails = False

    assert group.run(len) == 0

    assert isinstance(asking.told["lost"], RuntimeError)
    assert group.close()


def test_work_that_would_write_again_is_a_bug() -> None:
    batches = Batches()
    batches.may_go.set()
    group: GroupCommit[list[str]] = GroupCommit("test-writer", batches.commit)

    def nested(done: list[str]) -> None:
        with pytest.raises(AssertionError):
            group.run(lambda _: None)
        done.append("refused")

    group.run(nested)

    assert batches.done == ["refused"]
    assert group.close()


@dataclass
class Leading(Batches):
    """A commit that its caller may do, unless somebody outside has the turn."""

    is_taken: bool = False
    threads: list[int] = field(default_factory=list)

    def lead(self, job: Job[list[str]]) -> bool:
        if self.is_taken:
            return False
        self.threads.append(threading.get_ident())
        self.commit([job])
        return True

    def group(self) -> GroupCommit[list[str]]:
        return GroupCommit[list[str]]("test-writer", self.commit, self.lead)


def test_who_comes_alone_commits_in_its_own_thread() -> None:
    batches = Leading()
    batches.may_go.set()
    group = batches.group()

    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(group.run, partial(_noted, "mine")).result() == "mine"
        own = threads.submit(threading.get_ident).result()

    assert batches.threads == [own]
    assert group.close()


def test_the_main_thread_in_which_signals_are_raised_leads_nothing() -> None:
    batches = Leading()
    batches.may_go.set()
    group = batches.group()

    assert group.run(partial(_noted, "mine")) == "mine"

    assert threading.current_thread() is threading.main_thread()
    assert (batches.threads, batches.done) == ([], ["mine"])
    assert group.close()


def test_who_comes_while_another_leads_shares_the_next_commit_and_then_all_do() -> None:
    batches = Leading()
    group = batches.group()
    asking = Asking(group)
    asking.ask("first")
    assert batches.begun.wait(PATIENCE_S)
    asking.ask("second")
    asking.ask("third")
    # The writer's thread has taken one of them on, and waits for who leads.
    wait_until(lambda: group._jobs.qsize() == 1)

    batches.may_go.set()
    asking.wait()
    with ThreadPoolExecutor(1) as threads:
        threads.submit(group.run, partial(_noted, "fourth")).result()
        threads.submit(group.run, partial(_noted, "fifth")).result()
        own = threads.submit(threading.get_ident).result()

    assert batches.sizes == [1, 2, 1, 1]
    assert batches.done == ["first", *sorted(batches.done[1:3]), "fourth", "fifth"]
    # After a commit that several shared the next is the writer thread's; then one leads again.
    assert batches.threads[1:] == [own]
    assert group.close()


def test_who_waits_for_the_one_that_leads_is_next() -> None:
    batches = Leading()
    group = batches.group()

    def write_and_write_again() -> None:
        group.run(partial(_noted, "first"))
        group.run(partial(_noted, "again"))

    leader = threading.Thread(target=write_and_write_again)
    leader.start()
    assert batches.begun.wait(PATIENCE_S)
    asking = Asking(group)
    asking.ask("waits")
    # The queue is empty then: the writer's thread has the job, and waits for who leads.
    wait_until(lambda: group._is_crowd)

    batches.may_go.set()
    leader.join(PATIENCE_S)
    asking.wait()

    assert batches.done == ["first", "waits", "again"]
    assert group.close()


def test_where_somebody_outside_has_the_turn_nobody_leads_and_a_caller_can_give_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batches = Leading(is_taken=True)
    group = batches.group()
    asking = Asking(group)
    asking.ask("waits")
    assert batches.begun.wait(PATIENCE_S)
    monkeypatch.setattr(limits, "WRITE_WAIT_S", AT_ONCE_S)

    with pytest.raises(StorageUnavailable) as refused:
        group.run(partial(_noted, "gives up"))
    batches.may_go.set()
    asking.wait()

    assert refused.value.details["outcome"] == "not_written"
    assert group.close()
    assert batches.done == ["waits"]
    assert batches.threads == []


def test_closing_waits_for_who_leads_and_nobody_leads_after_it() -> None:
    batches = Leading()
    group = batches.group()
    asking, closed = Asking(group), list[bool]()
    asking.ask("first")
    assert batches.begun.wait(PATIENCE_S)
    closing = threading.Thread(target=lambda: closed.append(group.close()))
    closing.start()
    wait_until(lambda: not group._thread.is_alive())
    assert closed == []

    batches.may_go.set()
    asking.wait()
    closing.join(PATIENCE_S)

    assert closed == [True]
    assert asking.told == {"first": "first"}
    with pytest.raises(StorageUnavailable):
        group.run(len)
    assert batches.done == ["first"]


def test_an_interrupt_of_who_leads_is_its_own_and_the_next_can_write() -> None:
    batches = Leading()
    batches.may_go.set()
    group = batches.group()

    def interrupted(_: list[str]) -> None:
        raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as threads:
        with pytest.raises(KeyboardInterrupt):
            threads.submit(group.run, interrupted).result()
        assert threads.submit(group.run, partial(_noted, "next")).result() == "next"
        own = threads.submit(threading.get_ident).result()

    assert batches.threads == [own, own]
    assert group.close()


def test_work_of_who_leads_that_would_write_again_is_a_bug() -> None:
    batches = Leading()
    batches.may_go.set()
    group = batches.group()

    with ThreadPoolExecutor(1) as threads:
        with pytest.raises(AssertionError, match="must not write again"):
            threads.submit(group.run, lambda _: group.run(len)).result()
        assert threads.submit(group.run, len).result() == 0
        own = threads.submit(threading.get_ident).result()

    assert batches.threads == [own, own]
    assert group.close()
