"""Work that reaches nothing but loopback: no host may call home, or depend on what is there."""

import ctypes
import fcntl
import socket
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_CLONE_NEWNET = 0x40000000
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 0x1

NOWHERE = "http://127.0.0.1:9"
"""Where nothing listens."""

PROXIES = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), NOWHERE),
    **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), NOWHERE),
    "NO_PROXY": "127.0.0.1,localhost",
    "no_proxy": "127.0.0.1,localhost",
}
"""For hosts that heed them, where there is no network of one's own to be had."""


def alone(work: Callable[[dict[str, str]], T]) -> T:
    """Do the work, and what it starts, in a network of its own, if this user may have one.

    A network is a thread's, and its children's: so it takes a thread, which ends with it. The work
    is given the variables that its programs need.
    """
    with ThreadPoolExecutor(1) as thread:
        variables = {} if thread.submit(_leave).result() else PROXIES
        return thread.submit(work, variables).result()


def _leave() -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET) != 0:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh", b"lo", _IFF_UP) + bytes(14))
    return True
