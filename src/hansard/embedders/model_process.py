"""The process that holds the model for all processes of a user (`python -m`).

It is begun by the first that needs a vector, and ends when none has been connected for a while. It
reads no store and writes nothing: texts come in, vectors go out.
"""

import fcntl
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hansard.embedders import model_wire
from hansard.embedders.embedder import EmbedderUnavailable
from hansard.embedders.local import LocalEmbedder

IDLE_S = 20.0
"""How long it stays when nobody is connected: the next chat often begins soon."""

TURN_S = 5.0
"""How long it waits for another that is about to end; of two that start, one exits."""

LOOK_S = 0.5
WAITING_MAX = 64


class ModelProcess:
    """Answers each connection in its own thread; the model does one chunk at a time anyhow."""

    def __init__(self, listener: socket.socket, idle_s: float = IDLE_S) -> None:
        """Listen here."""
        self._listener = listener
        self._idle_s = idle_s
        self._embedder = LocalEmbedder()
        self._lock = threading.Lock()
        self._connected = 0
        self._left_at = time.monotonic()

    def serve(self) -> None:
        """Serve until nobody has been connected for long enough."""
        self._listener.settimeout(LOOK_S)
        while not self._is_idle():
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            with self._lock:
                self._connected += 1
            threading.Thread(target=self._meet, args=[connection], daemon=True).start()

    def _is_idle(self) -> bool:
        with self._lock:
            is_alone = not self._connected
            return is_alone and time.monotonic() - self._left_at > self._idle_s

    def _meet(self, connection: socket.socket) -> None:
        try:
            # A client that is killed, or speaks another protocol, is simply gone.
            with connection, suppress(OSError, ValueError):
                connection.settimeout(None)
                if model_wire.is_own(connection):
                    self._answer(connection)
        finally:
            with self._lock:
                self._connected -= 1
                self._left_at = time.monotonic()

    def _answer(self, connection: socket.socket) -> None:
        import numpy as np

        while (asked := model_wire.receive(connection)) is not None:
            try:
                match asked[0]:
                    case {"query": str(query)}:
                        made = [self._embedder.embed_query(query)]
                    case {"texts": [*texts]}:
                        made = self._embedder.embed([str(text) for text in texts])
                    case _:
                        return
            except EmbedderUnavailable as unavailable:
                model_wire.send(connection, {"unavailable": str(unavailable)})
                continue
            rows = [len(each) for each in made]
            numbers = np.concatenate(made).astype("<f4").tobytes() if made else b""
            model_wire.send(connection, {"rows": rows}, numbers)


def main(folder: Path) -> None:
    """Become the one process with the model, unless there is one; it then keeps listening."""
    with suppress(_AlreadyThereError), listening(folder) as listener:
        # The process that began this waits for its end, so the one that stays is another.
        if os.fork():
            os._exit(0)
        _note(folder)
        ModelProcess(listener).serve()


@contextmanager
def listening(folder: Path) -> Iterator[socket.socket]:
    """Listen in a folder, as the only one; what a dead one left there is taken away."""
    path = folder / f"{model_wire.NAME}.sock"
    lock = os.open(_lock_of(folder), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _locked(lock):
            raise _AlreadyThereError
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(path))
            listener.listen(WAITING_MAX)
            yield listener
            path.unlink(missing_ok=True)
    finally:
        os.close(lock)


class _AlreadyThereError(Exception):
    """Another has the model."""


def _lock_of(folder: Path) -> Path:
    return folder / f"{model_wire.NAME}.lock"


def _note(folder: Path) -> None:
    """Say which process it is, for people who look."""
    _lock_of(folder).write_text(f"{os.getpid()}\n")


def _locked(lock: int) -> bool:
    until = time.monotonic() + TURN_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(LOOK_S / 5)
        else:
            return True


if __name__ == "__main__":
    main(Path(sys.argv[1]))
