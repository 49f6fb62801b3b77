"""What the suite does in another process, run as `python -m hansard.testing.suite.elsewhere`."""

import os
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hansard.kernel.engine import Engine, WriteTx
from hansard.testing.suite.base import PROJECT, THINGS, Noted, Opener, record

STAY_S = 600.0
"""How long the other process stays if nobody ends it."""

Act = Callable[[Engine], None]
"""What to do there: it tells when it is done with `report`, then the process waits to be ended."""


@contextmanager
def process(opener: Opener, act: Act) -> Iterator[subprocess.Popen[bytes]]:
    """Open an engine in another process and act there; it is killed when the block ends."""
    with subprocess.Popen(
        [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(pickle.dumps((opener, act)))
            child.stdin.close()
            assert child.stdout.readline() == b"done\n", "the other process did not get to act"
            yield child
        finally:
            child.kill()


def in_a_fork(act: Callable[[], object]) -> int:
    """Act in a copy of this process, and wait for its end; gives how it ended."""
    with warnings.catch_warnings():
        # Some versions of Python warn that other threads are not copied: that is the point.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        status = 1
        try:
            act()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def take_hold(engine: Engine) -> None:
    """Take the lock that the tests contend for, and keep it."""
    assert engine.hold("contended") is not None
    report()


def take_hold_and_fork(engine: Engine) -> None:
    """Take the lock, and have a fork that closes its copy of the engine and stays.

    Tells the fork's number besides.
    """
    held = engine.hold("contended")
    assert held is not None
    ready, tells = os.pipe()
    fork = os.fork()
    if not fork:
        engine.close()
        os.write(tells, b"closed")
        wait_to_be_killed()
    assert os.read(ready, 10) == b"closed", "the fork did not get to close its copy"
    report()
    sys.stdout.write(f"{fork}\n")
    sys.stdout.flush()


def write_one(engine: Engine) -> None:
    """Commit an entry."""
    engine.write(PROJECT, lambda tx: record(tx, Noted(text="from elsewhere")))
    report()


def stall_in_a_write(engine: Engine) -> None:
    """Begin to write and never end."""

    def work(tx: WriteTx) -> None:
        record(tx, Noted(text="never committed"))
        tx.put(THINGS, "stalled", {"color": "red"}, seq=1)
        report()
        wait_to_be_killed()

    engine.write(PROJECT, work)


def report() -> None:
    """Tell the process that started this one."""
    sys.stdout.write("done\n")
    sys.stdout.flush()


def wait_to_be_killed() -> None:
    """Stay, with everything open."""
    threading.Event().wait(STAY_S)


if __name__ == "__main__":
    opener, act = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the test that started this
    engine = opener()
    act(engine)
    wait_to_be_killed()
