"""The supervisor: starts workers on one port, replaces dead ones, and ends all.

It serves nothing itself and opens no store, so there is little that could end it. Each worker has a
line to it: when the worker is gone the line is cut, and the other way round.
"""

import fcntl
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from hansard.http.workers.worker_reports import keep_counts, note_starts
from hansard.http.workers.worker_socket import Worker
from hansard.kernel.temporary_files import temporary_root

END, ANEW = (signal.SIGTERM, signal.SIGINT), signal.SIGHUP

STEADY_S = 30.0
"""A worker that ends after so long is replaced at once; one that ends sooner after a rest."""
REST_S = 0.25
REST_MAX_S = 30.0
"""How long that rest is at first, and at most: it doubles."""

EXIT_CUT_OFF = 1

Spawn = Callable[[dict[str, str], tuple[int, ...]], subprocess.Popen[bytes]]
Say = Callable[[str], None]


@dataclass(eq=False, slots=True)
class Running:
    """One process, and its state."""

    number: int
    process: subprocess.Popen[bytes]
    line: socket.socket
    began: float
    is_ready: bool = False
    is_told: bool = False
    """Whether it was told to end."""


@dataclass(slots=True)
class Due:
    """That a worker is to be started, and when."""

    number: int
    at: float


@dataclass(slots=True)
class Supervisor:
    """Keeps a number of workers running on a port until told to end."""

    count: int
    listener: socket.socket
    key: str
    spawn: Spawn
    say: Say
    on_ready: Say
    """Told once, when the first worker answers, where the page is."""
    _folder: Path = Path()
    _running: list[Running] = field(default_factory=list)
    _due: list[Due] = field(default_factory=list)
    _failures: dict[int, int] = field(default_factory=dict)
    _asked: deque[int] = field(default_factory=deque)
    _anew: deque[int] = field(default_factory=deque)
    """Numbers of workers whose place another is to take, one after the other."""
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _starts: int = 0
    _was_ready: bool = False
    _is_ending: bool = False
    _code: int = 0

    def run(self) -> int:
        """Serve until told to end; returns the exit code."""
        self._folder = Path(tempfile.mkdtemp(prefix="hansard-", dir=temporary_root()))
        held = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            # Cleaners of old files (tmpfiles.d) leave a locked folder alone.
            fcntl.flock(held, fcntl.LOCK_SH)
            with self._hearing():
                self._start(1)
                while self._running or (self._due and not self._is_ending):
                    self._wait()
        finally:
            self._cut_off()
            self.listener.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            os.close(held)
        return self._code

    def _wait(self) -> None:
        """Wait for something to happen, and react to it."""
        now = time.monotonic()
        rest = min((one.at - now for one in self._due), default=None)
        for key, _ in self._selector.select(None if rest is None else max(0.0, rest)):
            if isinstance(key.data, Running):
                self._hear(key.data)
            else:
                with suppress(BlockingIOError):
                    key.data.recv(64)
        while self._asked:
            self._obey(self._asked.popleft())
        due = [one for one in self._due if one.at <= time.monotonic()]
        self._due = [one for one in self._due if one not in due]
        for one in due:
            if not self._is_ending:
                self._start(one.number)

    def _start(self, number: int) -> None:
        self._starts += 1
        try:
            running = self._begin(number)
        except OSError as error:
            self._not_started(number, error)
            return
        self._running.append(running)
        self._selector.register(running.line, selectors.EVENT_READ, running)

    def _begin(self, number: int) -> Running:
        """Start a process, with a line to it."""
        ours, theirs = socket.socketpair()
        with theirs:
            worker = Worker(
                number,
                self.count,
                str(self._folder),
                listener=self.listener.fileno(),
                line=theirs.fileno(),
                key=self.key,
            )
            try:
                note_starts(self._folder, self._starts)
                process = self.spawn(worker.told(), (worker.listener, worker.line))
            except OSError:
                ours.close()
                raise
        ours.setblocking(False)
        return Running(number, process, ours, time.monotonic())

    def _not_started(self, number: int, error: OSError) -> None:
        """Leave the running workers alone, and try again if none has this number."""
        if not self._was_ready:
            raise error
        self._anew.clear()
        self.say(f"Worker {number} could not be started: {error}")
        if not self._of(number):
            self._due.append(Due(number, time.monotonic() + REST_MAX_S))

    def _hear(self, worker: Running) -> None:
        """Read what a worker says; that it ends it says by its line being cut."""
        try:
            told = worker.line.recv(64 * 1024)
        except BlockingIOError:
            return
        except ConnectionResetError:
            told = b""
        if not told:
            self._ended(worker)
        elif not worker.is_ready:
            worker.is_ready = True
            self._is_there(worker, json.loads(told)["page"])

    def _is_there(self, worker: Running, page: str) -> None:
        if not self._was_ready:
            self._was_ready = True
            # The first one has made the store what it must be; the others find it so.
            self._due += [Due(number, 0.0) for number in range(2, self.count + 1)]
            self.on_ready(page)
        for one in self._of(worker.number):
            if one is not worker:
                self._tell(one)
        if self._anew and self._anew[0] == worker.number:
            self._anew.popleft()
            self._go_on_anew()

    def _ended(self, worker: Running) -> None:
        self._selector.unregister(worker.line)
        worker.line.close()
        self._running.remove(worker)
        code = worker.process.wait()
        keep_counts(self._folder, worker.process.pid)
        if self._is_ending:
            return
        if not self._was_ready:
            # It has printed why it cannot serve, and all others would too.
            self._is_ending, self._code = True, code if code > 0 else EXIT_CUT_OFF
            return
        if worker.is_told and self._of(worker.number):
            return
        if not worker.is_ready and self._of(worker.number):
            self._anew.clear()
            self.say(f"Worker {worker.number} could not begin anew; those that run go on.")
            return
        self._replace(worker, code)

    def _replace(self, worker: Running, code: int) -> None:
        lived = time.monotonic() - worker.began
        failures = 0 if lived >= STEADY_S else self._failures.get(worker.number, 0) + 1
        self._failures[worker.number] = failures
        rest = min(REST_MAX_S, REST_S * 2 ** min(failures - 1, 16)) if failures else 0.0
        how = f"by signal {-code}" if code < 0 else f"with code {code}"
        self.say(f"Worker {worker.number} ended {how}; it begins again in {rest:g} s.")
        self._due.append(Due(worker.number, time.monotonic() + rest))

    def _obey(self, number: int) -> None:
        """Do what a signal asks for."""
        if number == ANEW:
            if not self._is_ending and not self._anew and self._was_ready:
                self._anew.extend(range(1, self.count + 1))
                self._go_on_anew()
        elif self._is_ending:
            self._code = EXIT_CUT_OFF
            self._cut_off()
        else:
            self._is_ending = True
            self._due.clear()
            self._anew.clear()
            for one in self._running:
                self._tell(one)

    def _go_on_anew(self) -> None:
        """Start a replacement for the next worker, which is told to stop once that one answers."""
        if self._anew and not any(one.number == self._anew[0] for one in self._due):
            self._start(self._anew[0])

    def _tell(self, worker: Running) -> None:
        worker.is_told = True
        worker.process.terminate()

    def _cut_off(self) -> None:
        """Kill all at once: what they acknowledged is on disk."""
        for one in self._running:
            one.process.kill()
            one.process.wait()

    def _of(self, number: int) -> list[Running]:
        return [one for one in self._running if one.number == number]

    @contextmanager
    def _hearing(self) -> Iterator[None]:
        """Note signals as they come, and wake up."""

        def note(number: int, _: FrameType | None) -> None:
            self._asked.append(number)

        reader, writer = socket.socketpair()
        with reader, writer:
            reader.setblocking(False)
            writer.setblocking(False)
            self._selector.register(reader, selectors.EVENT_READ, reader)
            before = {one: signal.signal(one, note) for one in (*END, ANEW)}
            woken = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
            try:
                yield
            finally:
                signal.set_wakeup_fd(woken)
                for one, handler in before.items():
                    signal.signal(one, handler)


def as_program(arguments: list[str]) -> Spawn:
    """Run this program with these arguments, as it lies on disk by then.

    In a session of its own: the supervisor passes on Ctrl-C from a terminal.
    """
    run = "import sys; from hansard.cli.main import main; main()"
    command = [sys.executable, "-P", "-c", run, *arguments]

    def spawn(told: dict[str, str], kept: tuple[int, ...]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            env=os.environ | told,
            pass_fds=kept,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    return spawn
