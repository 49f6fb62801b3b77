"""Running our programs as processes: as `subprocess` does, but without the wait for imports.

A new interpreter takes a second to import Hansard. The launcher (`tests.launcher.process`) has
done so once, and forks. What a test gets is a child process like any other, with a pid, streams
and an end of its own.

What the launcher could not do as a new interpreter would is left to a new interpreter: other
programs, unusual options, and environments that differ in what is read while importing. A test
that is about starting or ending is marked `cold`. With HANSARD_TEST_COLD=1 every test is.
"""

import asyncio
import atexit
import ctypes
import inspect
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, AnyStr

from tests.launcher.order import Order, Ready, Started, receive, send

ROOT = Path(__file__).parents[2]
HERE = Path(sys.executable).with_name("hansard")
PROGRAM = Path(os.environ.get("HANSARD_TEST_PROGRAM") or HERE)
"""The installed program; or another one that is to be tried, which the launcher cannot fork."""

STARTED_IN = dict(os.environ)
ALL_COLD = bool(os.environ.get("HANSARD_TEST_COLD"))

READ_AT_START = ("PYTHON", "LANG", "LC_", "LD_", "MALLOC_", "GLIBC_", "TZ")
"""How the names of variables begin that the interpreter and its libraries read."""
OBEYED = {"HOME", "PYTHONDONTWRITEBYTECODE"}
"""Those of them that may differ: one is for folders nobody uses, one is seen to by the launcher."""

USUAL: Mapping[str, Any] = {
    "executable": None,
    "preexec_fn": None,
    "close_fds": True,
    "pass_fds": (),
    "shell": False,
    "restore_signals": True,
    "gid": None,
    "gids": None,
    "uid": None,
    "umask": -1,
    "process_group": -1,
}
"""What a command may be given of the options that only `subprocess` itself knows how to obey."""

_PR_SET_CHILD_SUBREAPER = 36

_is_cold = ALL_COLD


@contextmanager
def starting(*, cold: bool) -> Iterator[None]:
    """Say whether programs are started by new interpreters while the block runs."""
    global _is_cold  # noqa: PLW0603 - the tests of a process run one after the other
    before, _is_cold = _is_cold, cold
    try:
        yield
    finally:
        _is_cold = before


class Popen(subprocess.Popen[AnyStr]):
    """A process, forked by the launcher if it is to be a program of ours."""

    def _execute_child(self, *given: Any) -> None:
        # This is where the class above starts the process and closes its ends of the pipes.
        start: Any = subprocess.Popen._execute_child  # type: ignore[attr-defined]
        asked = inspect.signature(start).bind(self, *given).arguments
        order = order_for(asked)
        if order is None or not launcher().fits(order):
            start(self, *given)
            return
        ends = [asked[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        try:
            self.pid = launcher().start(
                order, [end if end >= 0 else n for n, end in enumerate(ends)]
            )
            self._child_created = True
        finally:
            pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
            self._close_pipe_fds(*(asked[name] for name in pipes))  # type: ignore[attr-defined]


def help_asyncio() -> None:
    """Have asyncio, and so the clients that start a server themselves, use the same `Popen`."""
    asyncio.unix_events.subprocess = _Subprocess()  # type: ignore[attr-defined]


class _Subprocess:
    """The module `subprocess`, but for its `Popen`."""

    def __getattr__(self, name: str) -> Any:
        return Popen if name == "Popen" else getattr(subprocess, name)


def run(
    command: Sequence[str | Path],
    *,
    input: Any = None,  # noqa: A002 - as `subprocess` has it
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool = False,
    **rest: Any,
) -> subprocess.CompletedProcess[Any]:
    """Run a program to its end, as `subprocess.run` does."""
    if input is not None:
        rest["stdin"] = subprocess.PIPE
    if capture_output:
        rest |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process: Popen[Any]
    with Popen(command, **rest) as process:
        try:
            out, err = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(command, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


def order_for(asked: Mapping[str, Any]) -> Order | None:
    """Say what to ask the launcher for; `None` if it is not for the launcher."""
    folder = Path(asked["cwd"] or ".").resolve()
    environment = os.environ if asked["env"] is None else asked["env"]
    if (
        _is_cold
        or not folder.is_dir()
        or any(asked[name] != usual for name, usual in USUAL.items())
    ):
        return None
    match [os.fsdecode(word) for word in asked["args"]]:
        case [sys.executable, "-m", program, *arguments]:
            is_module = True
        case [program, *arguments] if Path(program) == PROGRAM == HERE:
            is_module = False
        case _:
            return None
    return Order(
        program=program,
        is_module=is_module,
        arguments=tuple(arguments),
        environment={os.fsdecode(name): os.fsdecode(value) for name, value in environment.items()},
        folder=str(folder),
        umask=_umask(),
        leads_session=asked["start_new_session"],
    )


class Launcher:
    """This side of the launcher."""

    def __init__(self) -> None:
        """Start it, in the environment that the tests were started in."""
        self._turn = threading.Lock()
        self._environment = {
            name: value
            for name, value in STARTED_IN.items()
            if not name.startswith("HANSARD_") and name != "PYTHONDONTWRITEBYTECODE"
        }
        self._channel, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.launcher.process", str(theirs.fileno())],
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        ready, _ = receive(self._channel)
        assert isinstance(ready, Ready), "the launcher could not start"
        self._read = ready.read

    def fits(self, order: Order) -> bool:
        """Whether the program would have read the same while importing as the launcher did."""
        given, own = order.environment, self._environment
        return all(
            given.get(name) == own.get(name)
            for name in (given.keys() | own.keys()) - OBEYED
            if name in self._read or name.startswith(READ_AT_START)
        )

    def start(self, order: Order, streams: Sequence[int]) -> int:
        """Start a program with these standard streams; gives its pid."""
        with self._turn:
            # For so long, orphans become our children: see `tests.launcher.process.has_forked`.
            _adopt_orphans(1)
            try:
                send(self._channel, order, streams)
                started, _ = receive(self._channel)
            finally:
                _adopt_orphans(0)
        assert isinstance(started, Started), "the launcher is gone"
        return started.pid

    def close(self) -> None:
        """End it."""
        self._channel.close()
        self._process.wait()


@cache
def launcher() -> Launcher:
    """Give the launcher of this process, which starts when it is first asked for."""
    started = Launcher()
    atexit.register(started.close)
    return started


def _adopt_orphans(on: int) -> None:
    failed = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, on, 0, 0, 0)
    assert not failed, "only Linux can do this: set HANSARD_TEST_COLD=1"


def _umask() -> int:
    """Give the umask; asking `os.umask` for it would change it for other threads."""
    lines = Path("/proc/self/status").read_text().splitlines()
    [umask] = [line.split()[1] for line in lines if line.startswith("Umask:")]
    return int(umask, 8)
