"""An embedder over HTTP with OpenAI's interface: `POST …/embeddings`.

Redirects are not followed, so that the key goes to the configured host and nowhere else.
"""

import http.client
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

import orjson

from hansard.embedders.embedder import EmbedderRefused, EmbedderUnavailable
from hansard.kernel.limits import MIB

if TYPE_CHECKING:
    from hansard.embedders.embedder import Vectors

SCHEMES = ("http", "https")
ENDPOINT = "/embeddings"

QUERY_WAIT_S = 2.0
"""How long a search waits for its query's vector before it goes by words alone."""

TEXTS_WAIT_S = 60.0
"""How long the follower, whom nobody waits for, waits for a batch."""

REFUSALS = frozenset({400, 413, 422})
"""What is wrong is the text, not the time or the key."""

ANSWER_BYTES_MAX = 64 * MIB
READ_BYTES = 64 * 1024

CHUNK_CHARS_MAX = 1_800
"""About 450 tokens, so that a server whose model reads 512 at once takes it."""

CHUNKS_MAX = 8
INPUTS_MAX = 64
"""Chunks in one request."""


def is_address(url: str) -> bool:
    """Whether this is a URL that such an embedder can have."""
    parts = urlsplit(url)
    return parts.scheme in SCHEMES and bool(parts.hostname)


class HttpEmbedder:
    """A model that a server runs."""

    batch = INPUTS_MAX

    def __init__(self, url: str, model: str, key: str | None = None) -> None:
        """Ask this model at this URL, with this key; asks nothing yet."""
        assert is_address(url), "the settings were checked for this"
        self._address = urlsplit(url)
        self._model = model
        self._key = key
        self.id = f"http/{model}/{CHUNK_CHARS_MAX}x{CHUNKS_MAX}"
        self.name = f"http {model}"
        self._lock = threading.Lock()
        self._connections: set[http.client.HTTPConnection] = set()
        self._is_closed = False

    def embed(self, texts: Sequence[str]) -> "list[Vectors]":
        import numpy as np

        chunks = [_chunks(text) for text in texts]
        inputs = [chunk for each in chunks for chunk in each]
        made = np.concatenate([
            self._ask(inputs[first : first + INPUTS_MAX], TEXTS_WAIT_S)
            for first in range(0, len(inputs), INPUTS_MAX)
        ])  # fmt: skip
        ends = np.cumsum([len(each) for each in chunks])
        return np.split(made, ends[:-1])

    def embed_query(self, query: str) -> "Vectors":
        return self._ask([_chunks(query)[0]], QUERY_WAIT_S)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            for connection in self._connections:
                # Callers that wait for an answer there are told that none will come.
                if connection.sock:
                    with suppress(OSError):
                        connection.sock.shutdown(socket.SHUT_RDWR)

    def _ask(self, inputs: Sequence[str], wait_s: float) -> "Vectors":
        asked = orjson.dumps({"model": self._model, "input": inputs, "encoding_format": "float"})
        host = self._address.hostname
        try:
            status, answer = self._post(asked, wait_s)
        except (OSError, http.client.HTTPException) as error:
            why = "in time" if isinstance(error, TimeoutError) else f"({type(error).__name__})"
            raise EmbedderUnavailable(f"the embedder at {host} does not answer {why}") from error
        if status in REFUSALS:
            raise EmbedderRefused(f"the embedder at {host} refuses with {status}")
        if status != http.client.OK:
            raise EmbedderUnavailable(f"the embedder at {host} answers {status}")
        try:
            return _vectors(orjson.loads(answer), len(inputs))
        except (ValueError, TypeError, LookupError) as error:
            raise EmbedderUnavailable(
                f"what the embedder at {host} answers is no list of vectors"
            ) from error

    def _post(self, body: bytes, wait_s: float) -> tuple[int, bytes]:
        """Send one request; all of it ends in time, however slowly the answer comes."""
        until = time.monotonic() + wait_s
        headers = {"Content-Type": "application/json", "Connection": "close"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        with self._connected(wait_s) as connection:
            connection.request("POST", _path(self._address), body, headers)
            response = connection.getresponse()
            return response.status, b"".join(_read(response, until))

    @contextmanager
    def _connected(self, wait_s: float) -> Iterator[http.client.HTTPConnection]:
        """Connect for one request, where `close` can find the connection."""
        connection = _connection(self._address, wait_s)
        with self._lock:
            if self._is_closed:
                raise ConnectionAbortedError
            self._connections.add(connection)
        try:
            yield connection
        finally:
            with self._lock:
                self._connections.discard(connection)
            connection.close()


def _connection(address: SplitResult, wait_s: float) -> http.client.HTTPConnection:
    assert address.hostname is not None, "the settings were checked for this"
    if address.scheme == "https":
        return http.client.HTTPSConnection(address.hostname, address.port, timeout=wait_s)
    return http.client.HTTPConnection(address.hostname, address.port, timeout=wait_s)


def _path(address: SplitResult) -> str:
    path = address.path.rstrip("/")
    path = path if path.endswith(ENDPOINT) else path + ENDPOINT
    return f"{path}?{address.query}" if address.query else path


def _read(response: http.client.HTTPResponse, until: float) -> Iterator[bytes]:
    size = 0
    while part := response.read1(READ_BYTES):
        size += len(part)
        if size > ANSWER_BYTES_MAX:
            raise http.client.HTTPException
        if time.monotonic() > until:
            raise TimeoutError
        yield part


def _vectors(answer: Any, count: int) -> "Vectors":
    """Read the answer's vectors in the order of the inputs, and make each of length 1."""
    import numpy as np

    ordered = sorted(answer["data"], key=lambda one: one["index"])
    made = np.array([one["embedding"] for one in ordered], dtype=np.float32)
    lengths = np.linalg.norm(made, axis=-1, keepdims=True)
    if made.ndim != 2 or len(made) != count or not np.isfinite(lengths).all():  # noqa: PLR2004
        raise ValueError
    if (lengths == 0).any():
        raise ValueError
    normal: Vectors = made / lengths
    return normal


def _chunks(text: str) -> list[str]:
    """Cut a text into what is embedded at once; even an empty text is one chunk."""
    starts = range(0, min(len(text), CHUNK_CHARS_MAX * CHUNKS_MAX), CHUNK_CHARS_MAX)
    return [text[start : start + CHUNK_CHARS_MAX] for start in starts] or [" "]
