"""Watching a process that plays a scene, from outside: striking its system calls, and its end."""

import os
import select
import signal
import socket
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.crash import syscalls
from tests.crash.syscalls import Question
from tests.patience import PATIENCE_S

NOTHING, KILL, TEAR, FAIL, FAIL_FROM = range(5)
"""What a strike does; `faulty.c` counts them the same."""

BEGUN, PASSED = b"+", b"-"
"""What the one who is watched says: here is its listener, or it has passed the next gate."""


@dataclass(frozen=True, slots=True)
class Strike:
    """What happens at the nth time of a call after a gate; nothing at the time that is none."""

    gate: str
    nth: int = 0
    what: int = NOTHING
    error: int = 0
    call: str | None = None
    """The system call; `None` if it is any library call."""


class Overseer:
    """Watches one process until it ends."""

    def __init__(self, child: int, channel: socket.socket, strike: Strike, folder: Path) -> None:
        self.met: list[str] = []
        """The system calls that counted, in order."""
        self.has_struck = False
        self._child, self._channel, self._strike, self._folder = child, channel, strike, folder
        self._end = os.pidfd_open(child)
        self._listener: int | None = None
        self._counts, self._is_counting = Counter[str](), False
        self._poll = select.poll()
        self._poll.register(self._end, select.POLLIN)
        self._poll.register(channel, select.POLLIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._end)
        if self._listener is not None:
            os.close(self._listener)

    def until_end(self) -> int | None:
        """Answer until it ends; gives how it did, or `None` if it does not and had to be killed."""
        while ready := dict(self._poll.poll(PATIENCE_S * 1000)):
            if self._channel.fileno() in ready:
                self._hear()
            elif self._listener in ready:
                self._be_asked(ready[self._listener])
            elif self._end in ready:
                _, status = os.waitpid(self._child, 0)
                return os.waitstatus_to_exitcode(status)
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        return None

    def _hear(self) -> None:
        """Begin or end to count; it waits for us to have heard."""
        word, listeners, _, _ = socket.recv_fds(self._channel, 1, 1)
        if listeners:
            [self._listener] = listeners
            self._poll.register(self._listener, select.POLLIN)
        if not word:
            self._poll.unregister(self._channel)
            return
        self._is_counting = word == BEGUN
        try:
            self._channel.send(word)
        except BrokenPipeError:
            return  # killed while it waited

    def _be_asked(self, events: int) -> None:
        assert self._listener is not None
        if not events & select.POLLIN:
            self._poll.unregister(self._listener)
        elif (question := syscalls.next_question(self._listener)) is not None:
            what = self._verdict(question)
            if what == KILL:
                os.kill(self._child, signal.SIGKILL)
            else:
                syscalls.answer(self._listener, question, self._strike.error if what else 0)

    def _verdict(self, question: Question) -> int:
        """Say what is to happen to a call: nothing, or what the strike is."""
        if not self._is_counting or not question.is_within(self._folder):
            return NOTHING
        self.met.append(question.call)
        self._counts[question.call] += 1
        nth, now = self._strike.nth, self._counts[question.call]
        is_it = now == nth or (now > nth > 0 and self._strike.what == FAIL_FROM)
        if question.call != self._strike.call or not is_it:
            return NOTHING
        self.has_struck = True
        return self._strike.what
