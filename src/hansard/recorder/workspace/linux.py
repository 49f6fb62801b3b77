"""The two system calls of Linux that Python does not offer: openat2 and renameat2."""

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Callable
from functools import cache

RESOLVE_NO_XDEV = 0x01
RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08

RENAME_NOREPLACE = 0x01
RENAME_EXCHANGE = 0x02

_OPENAT2 = {"x86_64": 437, "aarch64": 437}
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276}


class _OpenHow(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


def openat2(folder: int, path: str, flags: int, resolve: int) -> int:
    """Open a path from a folder's descriptor; the kernel keeps to `resolve` all along the way."""
    how = _OpenHow(flags=flags | os.O_CLOEXEC, mode=0, resolve=resolve)
    name, size = ctypes.c_char_p(os.fsencode(path)), ctypes.c_size_t(ctypes.sizeof(how))
    return _call(_OPENAT2, ctypes.c_int(folder), name, ctypes.byref(how), size)


def renameat2(folder: int, name: str, to_folder: int, to_name: str, flags: int) -> None:
    """Rename within descriptors of folders; `flags` says what becomes of what was there."""
    source, target = ctypes.c_char_p(os.fsencode(name)), ctypes.c_char_p(os.fsencode(to_name))
    places = ctypes.c_int(folder), source, ctypes.c_int(to_folder), target
    _call(_RENAMEAT2, *places, ctypes.c_uint(flags))


def _call(numbers: dict[str, int], *arguments: object) -> int:
    number = numbers.get(platform.machine())
    # A 32-bit program on a 64-bit kernel has other numbers.
    if number is None or sys.platform != "linux" or sys.maxsize < 1 << 32:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    while True:
        result = _syscall()(ctypes.c_long(number), *arguments)
        if result >= 0:
            return result
        code = ctypes.get_errno()
        if code != errno.EINTR:
            raise OSError(code, os.strerror(code))


@cache
def _syscall() -> Callable[..., int]:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    return call
