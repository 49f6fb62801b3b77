"""System calls that ask first: a filter within a process, and the answers that come from outside.

Once a process has set the filter, each of its calls that changes files waits, in the kernel, until
the one who has its listener answers: go on, or fail with this error. One who is killed meanwhile
has not made the call. No other call is slowed down, and no thread is left out (seccomp(2)).
"""

import ctypes
import fcntl
import platform
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

CHANGES = (
    "pwrite64,write,fsync,fdatasync,syncfs,ftruncate,truncate,fallocate,"
    "mkdir,mkdirat,rename,renameat,renameat2,link,linkat,unlink,unlinkat"
).split(",")
"""The system calls by which a process changes files."""

BY_DESCRIPTOR = frozenset(
    ("pwrite64", "write", "fsync", "fdatasync", "syncfs", "ftruncate", "fallocate")
)
"""Those that name the file by a descriptor, which may be of something else than a file."""


@dataclass(frozen=True)
class _Machine:
    """How system calls are told apart on a sort of processor; some have only the newer ones."""

    audit: int
    seccomp: int
    numbers: dict[str, int]


_MACHINES = {
    "x86_64": _Machine(
        0xC000003E,
        317,
        dict(
            zip(
                CHANGES,
                (18, 1, 74, 75, 306, 77, 76, 285, 83, 258, 82, 264, 316, 86, 265, 87, 263),
                strict=True,
            )
        ),
    ),
    "aarch64": _Machine(
        0xC00000B7,
        277,
        {
            "pwrite64": 68,
            "write": 64,
            "fsync": 82,
            "fdatasync": 83,
            "syncfs": 267,
            "ftruncate": 46,
            "truncate": 45,
            "fallocate": 47,
            "mkdirat": 34,
            "renameat": 38,
            "renameat2": 276,
            "linkat": 37,
            "unlinkat": 35,
        },
    ),
}

_PR_SET_NO_NEW_PRIVS = 38
_SET_FILTER, _IS_AVAILABLE = 1, 2
_FOR_ALL_THREADS, _WITH_LISTENER, _FAIL_PLAINLY = 1, 8, 16
_ALLOW, _ASK = 0x7FFF0000, 0x7FC00000
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_CALL_AT, _MACHINE_AT = 0, 4

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_QUESTION, _ANSWER = struct.Struct("QIIiIQ6Q"), struct.Struct("QqiI")
_GO_ON = 1


@dataclass(frozen=True, slots=True)
class Question:
    """A call that waits for an answer."""

    id: int
    thread: int
    call: str
    first: int
    """Its first argument."""

    def is_within(self, folder: Path) -> bool:
        """Whether it is about a folder or a file in it, as far as it names that by a descriptor."""
        if self.call not in BY_DESCRIPTOR:
            return True
        try:
            path = Path(f"/proc/{self.thread}/fd/{self.first & 0xFFFFFFFF}").readlink()
        except OSError:
            return False
        return folder in (path, *path.parents)


def ask_first() -> int:
    """Have all changes to files of this process and its children ask; gives the listener."""
    machine, libc = _MACHINES[platform.machine()], ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    steps = b"".join(struct.pack("HBBI", *step) for step in _filter(machine))
    code = ctypes.create_string_buffer(steps)
    program = struct.pack("HxxxxxxQ", len(steps) // 8, ctypes.addressof(code))
    flags = _FOR_ALL_THREADS | _WITH_LISTENER | _FAIL_PLAINLY
    listener: int = libc.syscall(machine.seccomp, _SET_FILTER, flags, program)
    if listener < 0:
        raise OSError(ctypes.get_errno(), "the filter cannot be set")
    return listener


def _filter(machine: _Machine) -> Iterable[tuple[int, int, int, int]]:
    """Write the filter: what to do, how far to jump if it is so and if not, and the operand."""
    numbers = list(machine.numbers.values())
    yield _LOAD, 0, 0, _MACHINE_AT
    yield _IF_EQUAL, 0, len(numbers) + 1, machine.audit
    yield _LOAD, 0, 0, _CALL_AT
    for place, number in enumerate(numbers):
        yield _IF_EQUAL, len(numbers) - place, 0, number
    yield _RETURN, 0, 0, _ALLOW
    yield _RETURN, 0, 0, _ASK


def next_question(listener: int) -> Question | None:
    """Take the next question; `None` if who asked it was killed meanwhile."""
    asked = bytearray(_QUESTION.size)
    try:
        fcntl.ioctl(listener, _RECEIVE, asked)
    except FileNotFoundError:
        return None
    id_, thread, _, number, _, _, first, *_ = _QUESTION.unpack(asked)
    return Question(id_, thread, _names()[number], first)


def answer(listener: int, question: Question, error: int = 0) -> None:
    """Have a call go on, or fail."""
    said = _ANSWER.pack(question.id, 0, -error, 0 if error else _GO_ON)
    try:
        fcntl.ioctl(listener, _SEND, said)
    except FileNotFoundError:
        return  # who asked was killed meanwhile


@cache
def _names() -> dict[int, str]:
    return {number: name for name, number in _MACHINES[platform.machine()].numbers.items()}


@cache
def can_ask() -> bool:
    """Whether this system can have calls ask."""
    machine = _MACHINES.get(platform.machine())
    if platform.system() != "Linux" or machine is None:
        return False
    wanted = ctypes.c_uint32(_ASK)
    return not ctypes.CDLL(None).syscall(machine.seccomp, _IS_AVAILABLE, 0, ctypes.byref(wanted))


needs_filter = pytest.mark.skipif(
    not can_ask(), reason="this system cannot have system calls ask before they are made"
)
