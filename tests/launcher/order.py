"""What the launcher is asked for, and how that goes through a socket."""

import pickle
import socket
from collections.abc import Sequence
from dataclasses import dataclass

_LENGTH_BYTES = 4
_STREAMS = 3


@dataclass(frozen=True)
class Order:
    """A program to run: everything that a new process is given, but for its three streams."""

    program: str
    """A file, or what follows `-m`."""
    is_module: bool
    arguments: tuple[str, ...]
    environment: dict[str, str]
    folder: str
    umask: int
    leads_session: bool


@dataclass(frozen=True)
class Ready:
    """The launcher's first word: the variables that were read while it imported."""

    read: frozenset[str]


@dataclass(frozen=True)
class Started:
    """The process that was asked for."""

    pid: int


def send(channel: socket.socket, message: object, streams: Sequence[int] = ()) -> None:
    """Send a message, and file descriptors with it."""
    body = pickle.dumps(message)
    socket.send_fds(channel, [len(body).to_bytes(_LENGTH_BYTES)], streams)
    channel.sendall(body)


def receive(channel: socket.socket) -> tuple[object, list[int]]:
    """Wait for a message; `None` says that the other side is gone."""
    head, streams, _, _ = socket.recv_fds(channel, _LENGTH_BYTES, _STREAMS)
    length, body = int.from_bytes(head), b""
    while len(body) < length:
        more = channel.recv(length - len(body))
        if not more:
            return None, streams
        body += more
    return pickle.loads(body) if body else None, streams
