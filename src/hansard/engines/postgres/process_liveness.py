"""Whether a process on this machine is alive, as the operating system knows.

Each engine binds a socket whose name lies in no file: it is there until its process ends, however
that ends. Elsewhere than on Linux there are no such names, and only time tells.
"""

import os
import socket
import sys
from pathlib import Path


class Sign:
    """What shows others on this machine that this process lives."""

    def __init__(self, member: str) -> None:
        """Begin to show it; where that is impossible, `machine` is empty."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.machine = _machine()
        try:
            self._socket.bind(_address(member))
        except OSError:
            self.machine = ""

    def close(self) -> None:
        """Stop showing it."""
        self._socket.close()

    def can_tell(self, machine: str) -> bool:
        """Whether a process of that machine is one whose end we can see."""
        return bool(machine) and machine == self.machine


def lives(member: str) -> bool:
    """Whether a member on this machine shows its sign."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(_address(member))
        except ConnectionRefusedError:
            return False
    return True


def _address(member: str) -> str:
    return f"\0hansard-{member}"


def _machine() -> str:
    """Name this machine since it was started, as far as the names of its sockets reach."""
    if sys.platform != "linux":
        return ""
    try:
        started = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        reach = Path("/proc/self/ns/net").stat().st_ino
    except OSError:
        return ""
    return f"{os.uname().nodename} {started} {reach}"
