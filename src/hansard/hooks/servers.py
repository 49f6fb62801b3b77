"""Finds the running servers of a store: a socket each, in a private folder.

What is to be recorded is in the spool already; a server is only woken. So nothing is lost with a
server that dies, and nothing that comes over a socket is recorded.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from hansard.hooks import locations, spool
from hansard.hooks.host_events import HostTold

if TYPE_CHECKING:
    import socket

SUFFIX = ".sock"
BEGUN = ".sock~"
"""Ends the name of a socket that does not answer yet."""

BEGUN_S = 60.0
"""After this long, the process that began it has died."""

WAKE_S = 0.5
BRIEF_S = 10.0
"""How long a host is kept waiting for its session's brief."""

PATH_BYTES_MAX = 100
"""The longest path that the system takes for a socket; a longer one is reached from its folder."""

REPLY_BYTES_MAX = 256 * 1024


def wake(folder: str) -> None:
    """Notify a server, if there is one, that something waits in the spool."""
    for connection in _connections(folder, WAKE_S):
        with connection, suppress(OSError):
            connection.sendall(b'{"take":true}\n')
            return


def brief(folder: str, told: HostTold, given: locations.Given) -> str:
    """Ask a server for the brief of this project; without one, load what can write it."""
    asked = {"session": told.session, "host": told.host, "source": told.source, "given": given}
    for connection in _connections(folder, BRIEF_S):
        with connection, suppress(OSError, ValueError):
            connection.sendall(json.dumps({"brief": asked}).encode() + b"\n")
            return str(json.loads(_reply(connection))["text"])
    if not _is_there(folder, given):
        return ""
    # Only here is the store opened on a host's time: once a session, and when nobody else can.
    from importlib import import_module

    said: str = import_module("hansard.app.hook_recording").brief_alone(asked)
    return said


def address(folder: str, name: str) -> tuple[str, int | None]:
    """Give the path of a socket, and the descriptor of its folder if the path goes by that."""
    path = os.path.join(folder, name)
    if len(os.fsencode(path)) <= PATH_BYTES_MAX or not sys.platform.startswith("linux"):
        return path, None
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    return f"/proc/self/fd/{descriptor}/{name}", descriptor


def sweep(folder: str) -> None:
    """Remove what dead servers have left."""
    for connection in _connections(folder, WAKE_S):
        connection.close()
    with suppress(OSError):
        for one in os.scandir(folder):
            if one.name.endswith(BEGUN) and time.time() - one.stat().st_mtime > BEGUN_S:
                os.unlink(one.path)


def _connections(folder: str, timeout_s: float) -> "Iterator[socket.socket]":
    """Connect to one server after another; what a dead one left is removed."""
    try:
        names = [name for name in os.listdir(folder) if name.endswith(SUFFIX)]
    except OSError:
        return
    if not names:
        return
    # Loaded here, since often no server is there.
    import socket

    for name in names:
        path, descriptor = address(folder, name)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(timeout_s)
        try:
            connection.connect(path)
        except ConnectionRefusedError:
            with suppress(OSError):
                os.unlink(os.path.join(folder, name))
            connection.close()
            continue
        except OSError:
            connection.close()
            continue
        finally:
            if descriptor is not None:
                os.close(descriptor)
        yield connection


def _reply(connection: "socket.socket") -> bytes:
    data = b""
    while not data.endswith(b"\n") and len(data) < REPLY_BYTES_MAX:
        part = connection.recv(65_536)
        if not part:
            break
        data += part
    return data


def _is_there(folder: str, given: locations.Given) -> bool:
    """Whether there is a store to brief from; checking creates none."""
    if given.get("store", "").startswith(("postgresql://", "postgres://")):
        return True
    made = os.path.exists(os.path.join(os.path.dirname(folder), "hansard.db"))
    return made or spool.waiting(folder)
