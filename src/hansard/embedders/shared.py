"""The local model in a process that all processes of a user share.

Loaded here it would take some 200 MB of each chat's server. So a process that needs a vector asks
the
process that has the model (`model_process`), and begins it if there is none. Where processes cannot
meet, or none can be begun, the model is loaded here after all.
"""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hansard.embedders import model_wire
from hansard.embedders.embedder import EmbedderUnavailable
from hansard.embedders.local import LocalEmbedder

if TYPE_CHECKING:
    from hansard.embedders.embedder import Vectors

QUERY_WAIT_S = 10.0
"""How long a search waits for its query's vector: the first one loads the model."""

TEXTS_WAIT_S = 120.0
BEGIN_S = 15.0
"""How long a process that was begun may take until it answers."""

LOOK_S = 0.02
TRIES = 10
"""The process may be ending just when it is asked; after this long another is started."""


class SharedEmbedder:
    """Asks the process that has the model; texts and queries do not wait for each other."""

    id = LocalEmbedder.id
    name = LocalEmbedder.name
    batch = LocalEmbedder.batch

    def __init__(self, own: LocalEmbedder) -> None:
        """Start without a connection; `own` loads the model here, if it cannot be shared."""
        self._own = own
        self._is_shared = model_wire.can_be_met()
        self._is_closed = threading.Event()
        self._texts = _Channel(self._is_closed)
        self._queries = _Channel(self._is_closed)

    def embed(self, texts: Sequence[str]) -> "list[Vectors]":
        if self._is_shared:
            try:
                return self._texts.ask({"texts": list(texts)}, TEXTS_WAIT_S)
            except _CannotShareError:
                self._is_shared = False
        return self._own.embed(texts)

    def embed_query(self, query: str) -> "Vectors":
        if self._is_shared:
            try:
                [made] = self._queries.ask({"query": query}, QUERY_WAIT_S)
            except _CannotShareError:
                self._is_shared = False
            else:
                return made
        return self._own.embed_query(query)

    def close(self) -> None:
        self._is_closed.set()
        self._own.close()
        self._texts.close()
        self._queries.close()


class _CannotShareError(Exception):
    """No process can be begun here that would have the model."""


class _Channel:
    """One connection, made when it is first needed, for one question at a time."""

    def __init__(self, is_closed: threading.Event) -> None:
        self._lock = threading.Lock()
        self._connection: socket.socket | None = None
        self._is_closed = is_closed

    def ask(self, said: Mapping[str, Any], wait_s: float) -> "list[Vectors]":
        """Ask for vectors; raises `EmbedderUnavailable` where there is no answer in time."""
        until = time.monotonic() + wait_s
        with self._lock:
            for _ in range(TRIES):
                if self._is_closed.is_set():
                    raise EmbedderUnavailable("the program is about to end")
                try:
                    answer = self._asked(said, until)
                except TimeoutError as error:
                    self._drop()
                    raise EmbedderUnavailable("the model does not answer in time") from error
                except (OSError, ValueError):
                    answer = None
                if answer is not None:
                    return _vectors(*answer)
                self._drop()
                time.sleep(LOOK_S)
        raise EmbedderUnavailable("the process that has the model has ended")

    def close(self) -> None:
        """Tell callers that wait for an answer that none will come."""
        connection = self._connection
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        with self._lock:
            self._drop()

    def __del__(self) -> None:
        """Close a connection that nothing else can close any more."""
        self._drop()

    def _asked(self, said: Mapping[str, Any], until: float) -> tuple[dict[str, Any], bytes] | None:
        if self._connection is None:
            self._connection = _connected(self._is_closed)
        self._connection.settimeout(max(until - time.monotonic(), LOOK_S))
        model_wire.send(self._connection, said)
        return model_wire.receive(self._connection)

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _vectors(said: Mapping[str, Any], numbers: bytes) -> "list[Vectors]":
    import numpy as np

    if "unavailable" in said:
        raise EmbedderUnavailable(str(said["unavailable"]))
    rows = said["rows"]
    made = np.frombuffer(numbers, "<f4").reshape(sum(rows), -1)
    return np.split(made, np.cumsum(rows)[:-1])


def _connected(is_closed: threading.Event) -> socket.socket:
    """Connect to the process that has the model, and begin one if there is none."""
    try:
        folder = model_wire.folder()
    except OSError as error:
        raise _CannotShareError from error
    path = folder / f"{model_wire.NAME}.sock"
    until = time.monotonic() + BEGIN_S
    while not is_closed.is_set() and time.monotonic() < until:
        connection = _connection(path)
        if connection is not None:
            return connection
        _begin(folder)
    raise TimeoutError


def _connection(path: Path) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        return None
    if not model_wire.is_own(connection):
        connection.close()
        raise _CannotShareError
    return connection


def _begin(folder: Path) -> None:
    """Begin a process that goes on when this one ends; returns when it, or another, listens."""
    told = {name: value for name, value in os.environ.items() if not name.startswith("HANSARD_")}
    # Without -P it would look for modules in the folder it is begun in first.
    program = [sys.executable, "-P", "-m", "hansard.embedders.model_process", str(folder)]
    try:
        subprocess.run(
            program,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=folder,
            env=told,
            timeout=BEGIN_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise _CannotShareError from error
