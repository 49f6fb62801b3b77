"""Collects the reports of all workers: counts, and which does not answer.

A worker writes its counts to a file before it reports them. So a reported count is never taken
back, even if the worker dies: counts only grow.
"""

import asyncio
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hansard.http.request_metrics import RequestMetrics
from hansard.http.workers.forwarding import fetch
from hansard.http.workers.worker_socket import Worker

READY, METRICS = "/readyz", "/metrics"
OK = 200

ENDED = "counts-ended"
STARTS = "starts"
"""The file that says how many workers were started."""

Counted = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Whole:
    """What all workers together have counted, and what they know."""

    meter: RequestMetrics
    behind: dict[str, int]
    troubles: set[str]
    answering: int
    starts: int


class Reports:
    """Asks the other workers for their state."""

    def __init__(self, worker: Worker) -> None:
        """Ask those beside this one."""
        self._worker = worker
        self._folder = Path(worker.folder)

    async def troubles(self) -> list[str]:
        """Say which workers do not answer, or cannot work, a line each."""
        numbers = [*self._worker.others]
        answers = await asyncio.gather(*(self._ask(one, READY) for one in numbers))
        return [
            f"worker {number}: {answer[1].decode() if answer else 'does not answer'}"
            for number, answer in zip(numbers, answers, strict=True)
            if answer is None or answer[0] != OK
        ]

    def note(self, counted: Counted) -> None:
        """Write down what this worker has counted, before it says so."""
        with _alone(self._folder):
            _write(self._own(), counted)

    async def whole(self, own: Counted) -> Whole:
        """Add up what all of them know, and what those knew that have ended."""
        self.note(own)
        answers = await asyncio.gather(*(self._ask(one, METRICS) for one in self._worker.others))
        living = [own, *(json.loads(one[1]) for one in answers if one and one[0] == OK)]
        meter = RequestMetrics()
        with _alone(self._folder):
            for path in self._folder.glob("counts-*.json"):
                meter.add(json.loads(path.read_text()))
            starts = int((self._folder / STARTS).read_text())
        behind: dict[str, int] = {}
        for one in living:
            meter.open_requests += one["open_requests"]
            meter.open_streams += one["open_streams"]
            for follower, entries in one["behind"].items():
                behind[follower] = max(entries, behind.get(follower, 0))
        troubles = {trouble for one in living for trouble in one["troubles"]}
        return Whole(meter, behind, troubles, len(living), starts)

    def _own(self) -> Path:
        return self._folder / f"counts-{os.getpid()}.json"

    async def _ask(self, number: int, what: str) -> tuple[int, bytes] | None:
        return await fetch(self._worker.address(number), what)


def note_starts(folder: Path, count: int) -> None:
    """Write down how many workers were started."""
    with _alone(folder):
        (folder / STARTS).write_text(str(count))


def keep_counts(folder: Path, pid: int) -> None:
    """Keep what a worker that has ended counted, with that of all that ended before."""
    meter = RequestMetrics()
    # A folder that is gone, or what another version wrote, costs counts and nothing else.
    with suppress(OSError, ValueError, KeyError), _alone(folder):
        path = folder / f"counts-{pid}.json"
        meter.add(json.loads(path.read_text()))
        ended = folder / f"{ENDED}.json"
        if ended.is_file():
            meter.add(json.loads(ended.read_text()))
        _write(ended, meter.counted())
        path.unlink()


def _write(path: Path, counted: Counted) -> None:
    # A process that dies while writing leaves the previous content.
    begun = path.with_suffix(".new")
    begun.write_text(json.dumps(counted))
    begun.rename(path)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes from the counts meanwhile."""
    with (folder / "counts.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
