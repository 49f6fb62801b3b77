"""Linux system calls that Python lacks: openat2, renameat2, and who has a file open for writing."""

import ctypes
import errno
import fcntl
import os
import platform
import signal
import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any

RESOLVE_NO_XDEV = 0x01
RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08

RENAME_NOREPLACE = 0x01
RENAME_EXCHANGE = 0x02

_STATFS_BYTES = 120

COUNTS_WRITERS = {
    0xEF53,  # ext2, ext3, ext4
    0x58465342,  # xfs
    0x9123683E,  # btrfs
    0xF2F52010,  # f2fs
    0x2FC12FC1,  # zfs
    0x01021994,  # tmpfs
    0x794C7630,  # overlayfs
}
"""File systems whose refusal of a lease means a writer. A network's may refuse it to anybody."""


class _OpenHow(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


_CALLS: dict[str, tuple[dict[str, int], tuple[Any, ...]]] = {
    "openat2": (
        {"x86_64": 437, "aarch64": 437},
        (ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(_OpenHow), ctypes.c_size_t),
    ),
    "renameat2": (
        {"x86_64": 316, "aarch64": 276},
        (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint),
    ),
    "fstatfs": ({"x86_64": 138, "aarch64": 44}, (ctypes.c_int, ctypes.c_char_p)),
}
"""Their numbers by machine, and what they take."""


def openat2(folder: int, path: str, flags: int, resolve: int) -> int:
    """Open a path from a folder's descriptor; the kernel keeps to `resolve` all along the way."""
    how = _how(flags | os.O_CLOEXEC, resolve)
    return _call("openat2", folder, os.fsencode(path), how, ctypes.sizeof(_OpenHow))


def renameat2(folder: int, name: str, to_folder: int, to_name: str, flags: int) -> None:
    """Rename within descriptors of folders; `flags` says what becomes of what was there."""
    source, target = os.fsencode(name), os.fsencode(to_name)
    _call("renameat2", folder, source, to_folder, target, flags)


def is_open_to_write(descriptor: int) -> bool:
    """Whether anybody has this file open for writing; `False` if that is unknown.

    A file can be leased to a reader only while no one may write into it. The lease ends with this
    check, and should it be broken before, its signal is one that we ignore.
    """
    if sys.platform != "linux":
        return False
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN and _file_system(descriptor) in COUNTS_WRITERS
    fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


def _file_system(descriptor: int) -> int | None:
    """Give the number of the kind of file system that a file lies on; `None` where unknown."""
    facts = ctypes.create_string_buffer(_STATFS_BYTES)
    try:
        _call("fstatfs", descriptor, facts)
    except OSError:
        return None
    return ctypes.c_long.from_buffer(facts).value


@cache
def _how(flags: int, resolve: int) -> object:
    """Say how to open; the kernel only reads it."""
    return ctypes.byref(_OpenHow(flags=flags, mode=0, resolve=resolve))


def _call(name: str, *arguments: object) -> int:
    call = _declared(name)
    while True:
        result = call(*arguments)
        if result >= 0:
            return result
        code = ctypes.get_errno()
        if code != errno.EINTR:
            raise OSError(code, os.strerror(code))


@cache
def _declared(name: str) -> Callable[..., int]:
    """Give a system call that knows what it takes, so that nothing need be wrapped each time."""
    numbers, takes = _CALLS[name]
    number = numbers.get(platform.machine())
    # A 32-bit program on a 64-bit kernel has other numbers.
    if number is None or sys.platform != "linux" or sys.maxsize < 1 << 32:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    call = ctypes.CDLL(None, use_errno=True)["syscall"]  # one of its own: an attribute is shared
    call.restype, call.argtypes = ctypes.c_long, (ctypes.c_long, *takes)
    return partial(call, number)
