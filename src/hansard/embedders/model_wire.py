"""The protocol between a process that needs vectors and the one with the model.

A message is its length, a line of JSON, and after it what numbers there are. Both ends are of one
user and of one form (`NAME`), so nothing here is for strangers; still, everything has a limit.
"""

import hashlib
import os
import socket
import stat
import struct
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from hansard.embedders import local
from hansard.kernel.limits import MIB

FORM = 1
"""The version of the wire format; processes with different ones do not meet."""

MESSAGE_BYTES_MAX = 32 * MIB

_LENGTH = struct.Struct("!I")

_NAMED = f"{FORM} {local.LocalEmbedder.id} {local.MODEL_SHA256}"
NAME = hashlib.sha256(_NAMED.encode()).hexdigest()[:16]
"""Names the model and how it is asked: so two versions of Hansard do not get each other's."""


def can_be_met() -> bool:
    """Whether processes of this system can meet over a path."""
    return hasattr(socket, "AF_UNIX") and hasattr(os, "geteuid")


def folder() -> Path:
    """Give the folder where they meet, which is its user's alone; raises `OSError` if it cannot be.

    It is a short path, since the system takes no long one for a socket.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    path = Path(runtime) / "hansard" if runtime else _temporary()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise PermissionError(f"{path} is not this user's alone")
    return path


def _temporary() -> Path:
    return Path(tempfile.gettempdir()) / f"hansard-{os.geteuid()}"


def is_own(connection: socket.socket) -> bool:
    """Whether the other end is of the same user, where the system says so."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", told)
    return bool(user == os.geteuid())


def send(connection: socket.socket, said: Mapping[str, Any], numbers: bytes = b"") -> None:
    """Send one message."""
    line = orjson.dumps(said) + b"\n"
    connection.sendall(_LENGTH.pack(len(line) + len(numbers)) + line + numbers)


def receive(connection: socket.socket) -> tuple[dict[str, Any], bytes] | None:
    """Receive one message; `None` where the other end has gone. Raises `ValueError` for no such."""
    head = _read(connection, _LENGTH.size)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MESSAGE_BYTES_MAX:
        raise ValueError("a message is too long")
    message = _read(connection, length)
    if message is None:
        return None
    line, _, numbers = message.partition(b"\n")
    said = orjson.loads(line)
    if not isinstance(said, dict):
        raise ValueError("a message is no object")  # noqa: TRY004 - it is what was sent, not a type
    return said, numbers


def _read(connection: socket.socket, count: int) -> bytes | None:
    parts, left = [], count
    while left:
        part = connection.recv(min(left, MIB))
        if not part:
            return None
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
