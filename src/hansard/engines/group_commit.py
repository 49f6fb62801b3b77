"""Group commit: writers share commits, so that N of them cost one fsync.

A caller that arrives while nobody writes leads: it does and commits its work in its own thread, and
wakes no other. The main thread never leads, since a signal could end it between a lock and its
release.
Callers that arrive meanwhile queue for a thread that commits all waiting work at once.
"""

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from hansard.kernel import limits
from hansard.kernel.problem import StorageUnavailable

T = TypeVar("T")
Tx = TypeVar("Tx")

COMMIT_WAIT_S = 30.0
"""How much longer a caller waits once its work has begun: it can no longer be cancelled."""


class CommitOutcome:
    """The outcome of a job: a future for one waiter, at a fifth of the library's cost."""

    __slots__ = ("_ended", "_failure", "_result", "_state", "_turn")

    def __init__(self) -> None:
        """Wait to be begun."""
        self._turn = threading.Lock()
        self._ended = threading.Lock()
        self._ended.acquire()
        self._state: Literal["waits", "runs", "ended"] = "waits"
        self._result: Any = None
        self._failure: BaseException | None = None

    def begin(self) -> bool:
        """Start the job, perhaps again; false if it was cancelled or has ended."""
        with self._turn:
            if self._state == "ended":
                return False
            self._state = "runs"
            return True

    def put_back(self) -> None:
        """Reset it to wait for another start: none of it was done, and it may be cancelled."""
        with self._turn:
            assert self._state == "runs", "only what has begun is put back"
            self._state = "waits"

    def call_back(self) -> bool:
        """Cancel it before it begins; false if it has begun."""
        with self._turn:
            if self._state != "waits":
                return False
            self._state = "ended"
            return True

    def set_result(self, result: Any) -> None:
        """End it with a result."""
        self._result = result
        self._end()

    def set_exception(self, failure: BaseException) -> None:
        """End it with an error for its caller to raise."""
        self._failure = failure
        self._end()

    def wait(self, timeout_s: float) -> bool:
        """Wait until it has ended; false if that takes longer."""
        if not self._ended.acquire(timeout=timeout_s):
            return False
        self._ended.release()
        return True

    def result(self) -> Any:
        """Give the result of one that has ended, or raise its failure."""
        if self._failure is not None:
            raise self._failure
        return self._result

    def _end(self) -> None:
        self._state = "ended"
        self._ended.release()


@dataclass(slots=True)
class Job(Generic[Tx]):
    """A piece of work and where its caller waits for the result."""

    work: Callable[[Tx], Any]
    urgent: bool = False
    """Whether it records the outcome of an effect, which may use the reserved space."""
    done: CommitOutcome = field(default_factory=CommitOutcome)

    def begin(self) -> bool:
        """Start the job, perhaps again; false if its caller has given up waiting."""
        return self.done.begin()


def _may_be_interrupted() -> bool:
    """Whether a signal may be raised here at any line, also between a lock and its release."""
    return threading.current_thread() is threading.main_thread()


class GroupCommit(Generic[Tx]):
    """Runs work in batches, one at a time.

    `commit` gets the jobs of one batch. It begins each, runs them so that the failure of one undoes
    only that one, commits them together, and only then ends them. If it raises, every unresolved
    job of the batch gets the error.

    `lead` gets a single job, in its caller's thread, and does the same; if it would have to wait
    before the job begins, it does nothing and gives `False`. Without `lead` nobody leads, and the
    main thread never does.
    """

    def __init__(
        self,
        name: str,
        commit: Callable[[Sequence[Job[Tx]]], None],
        lead: Callable[[Job[Tx]], bool] | None = None,
    ) -> None:
        """Start the writer thread."""
        self._commit = commit
        self._lead = lead
        self._writing = threading.Lock()
        """Held while a batch runs."""
        self._writer: int | None = None
        """The thread that runs it."""
        self._is_crowd = False
        """Whether several callers shared the last commit: then nobody leads, so that the next
        share."""
        self._jobs: queue.SimpleQueue[Job[Tx] | None] = queue.SimpleQueue()
        self._closed = False
        self._closing = threading.Lock()
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Callable[[Tx], T], *, urgent: bool = False) -> T:
        """Do work, and return when it is durable or has failed.

        A leader waits for the disk as long as that takes; a queued caller gives up after a while.
        """
        assert threading.get_ident() != self._writer, "work must not write again"
        job: Job[Tx] = Job(work, urgent)
        if not self._has_led(job):
            self._queue_up(job)
        result: T = job.done.result()
        return result

    def _has_led(self, job: Job[Tx]) -> bool:
        """Do a job at once in this thread, if nobody else writes or waits to."""
        if self._lead is None or self._is_crowd or _may_be_interrupted():
            return False
        if not self._writing.acquire(blocking=False):
            return False
        try:
            if self._closed or not self._jobs.empty():
                return False
            self._writer = threading.get_ident()
            return self._lead(job)
        except BaseException as error:  # noqa: BLE001 - its caller raises it again
            if job.begin():
                job.done.set_exception(error)
            return True
        finally:
            self._writer = None
            self._writing.release()

    def _queue_up(self, job: Job[Tx]) -> None:
        """Wait until the writer thread has done a job."""
        with self._closing:
            if self._closed:
                raise StorageUnavailable("The store is closed", outcome="not_written")
            self._jobs.put(job)
        if not job.done.wait(limits.WRITE_WAIT_S) and job.done.call_back():
            raise StorageUnavailable(
                f"Other writers held the store for {limits.WRITE_WAIT_S:g} s", outcome="not_written"
            )
        if not job.done.wait(COMMIT_WAIT_S):
            raise StorageUnavailable("The commit did not end in time", outcome="unknown")

    def put_back(self, jobs: Sequence[Job[Tx]]) -> bool:
        """Put jobs of a batch back in the queue, behind those that wait now; false if it is closed.

        Only their own batch may do so, and no longer owns them afterwards.
        """
        with self._closing:
            if self._closed:
                return False
            for job in jobs:
                job.done.put_back()
                self._jobs.put(job)
            return True

    def close(self) -> bool:
        """Finish accepted work, then end the thread; false if it does not end in time."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join(limits.SHUTDOWN_S)
        # By now nobody begins to lead; a present leader may finish.
        if self._thread.is_alive() or not self._writing.acquire(timeout=limits.SHUTDOWN_S):
            return False
        self._writing.release()
        return True

    def _serve(self) -> None:
        while (first := self._jobs.get()) is not None:
            self._is_crowd = True  # a caller waits, though the queue is empty by now
            with self._writing:
                batch, last = self._gather(first)
                self._is_crowd = len(batch) > 1
                self._writer = threading.get_ident()
                self._do(batch)
                self._writer = None
            if last:
                return

    def _do(self, batch: Sequence[Job[Tx]]) -> None:
        try:
            self._commit(batch)
        except BaseException as error:  # noqa: BLE001 - each waiting caller raises it again
            for job in batch:
                # A job that has not begun is begun first: its caller may be giving up just now.
                if job.begin():
                    job.done.set_exception(error)

    def _gather(self, first: Job[Tx]) -> tuple[list[Job[Tx]], bool]:
        """Take the jobs that queued behind the first; also says whether to end after them."""
        batch = [first]
        while len(batch) < limits.GROUP_COMMIT_MAX:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                return batch, True
            batch.append(job)
        return batch, False
