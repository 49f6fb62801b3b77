"""How a running server serves hooks: it records their spool when woken, and sends briefs.

A socket in the store's own folder, which only its user can enter; the user of a connecting process
is checked as well. Nothing that comes over it is recorded: what is recorded is in the spool.
"""

import json
import os
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from hansard.app.hook_recording import HookIntake
from hansard.app.settings import Settings
from hansard.hooks import locations, servers, spool
from hansard.kernel.problem import Problem

LINE_BYTES_MAX = 64 * 1024
"""The largest request of a hook."""

ASKING_MAX = 8
"""Hooks that are answered at the same time; others give up, and their event stays in the spool."""

ASK_S = 2.0
"""How long a hook may take to say what it wants."""

END_S = 5.0
"""How long a stopping server waits for what it is recording; the rest stays in the spool."""


class HookServer:
    """Serves the hooks of one store, in threads of its own."""

    def __init__(self, settings: Settings, say: Callable[[str], None]) -> None:
        """Prepare; nothing is opened before there is something to do."""
        folder = locations.hooks_folder(
            {"store": settings.store} if settings.store else {}, os.environ
        )
        self._folder = None if settings.read_only else folder
        self._say = say
        self._intake = HookIntake(folder) if folder else None
        self._working = threading.Lock()
        self._room = threading.BoundedSemaphore(ASKING_MAX)
        self._listener: socket.socket | None = None
        self._name = f"{os.getpid()}-{os.urandom(4).hex()}{servers.SUFFIX}"
        self._is_over = threading.Event()

    def __enter__(self) -> Self:
        """Begin, if the store lies where it can."""
        if self._folder is not None:
            try:
                self._listener = self._listen(self._folder)
            except OSError as error:
                self._say(f"hansard: Hooks find no server here: {error}")
                return self
            threading.Thread(target=self._serve, name="hooks", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """End; what is not recorded yet stays in the spool."""
        self._is_over.set()
        if self._listener is not None and self._folder is not None:
            with suppress(OSError):
                os.unlink(os.path.join(self._folder, self._name))  # noqa: PTH108, PTH118
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        if self._intake and self._working.acquire(timeout=END_S):
            self._intake.close()

    def _listen(self, folder: str) -> socket.socket:
        locations.make(folder)
        servers.sweep(folder)
        path, descriptor = servers.address(folder, self._name)
        begun = path.removesuffix(servers.SUFFIX) + servers.BEGUN
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            # It gets its name once it answers: a socket that does not is taken for a dead server's.
            listener.bind(begun)
            os.chmod(begun, 0o600)  # noqa: PTH101
            listener.listen(ASKING_MAX)
            os.rename(begun, path)  # noqa: PTH104
        except OSError:
            listener.close()
            raise
        finally:
            if descriptor is not None:
                os.close(descriptor)
        return listener

    def _serve(self) -> None:
        assert self._folder, "hooks are served that have no folder"
        assert self._listener, "hooks are served that nobody listens to"
        if spool.waiting(self._folder):
            self._take()
        while not self._is_over.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if not self._room.acquire(blocking=False):
                connection.close()
                continue
            threading.Thread(target=self._meet, args=[connection], daemon=True).start()

    def _meet(self, connection: socket.socket) -> None:
        """Do what one hook asks."""
        try:
            with connection, suppress(OSError, ValueError, KeyError, TypeError):
                connection.settimeout(ASK_S)
                if not _is_own(connection):
                    return
                asked = json.loads(_line(connection))
                self._take()
                if "brief" in asked:
                    text = self._brief(asked["brief"])
                    connection.sendall(json.dumps({"text": text}).encode() + b"\n")
        finally:
            self._room.release()

    def _take(self) -> None:
        with self._working:
            if self._intake is None or self._is_over.is_set():
                return
            try:
                self._intake.take()
            except (Problem, OSError) as error:
                self._say(f"hansard: What hooks told could not be taken in: {error}")

    def _brief(self, asked: dict[str, Any]) -> str:
        with self._working:
            if self._intake is None or self._is_over.is_set():
                return ""
            try:
                return self._intake.brief(asked)
            except Problem as problem:
                self._say(f"hansard: {problem}")
                return ""


def _is_own(connection: socket.socket) -> bool:
    """Whether the other end is of the same user, where the system says so."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", told)
    return bool(user == os.geteuid())


def _line(connection: socket.socket) -> bytes:
    data = b""
    while not data.endswith(b"\n"):
        part = connection.recv(LINE_BYTES_MAX)
        data += part
        if not part or len(data) > LINE_BYTES_MAX:
            break
    return data
