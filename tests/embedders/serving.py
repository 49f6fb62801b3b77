"""A real HTTP server that embeds, as OpenAI's does, by counting words."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORDS = 64


class EmbeddingServer(ThreadingHTTPServer):
    """Answers as it is told to."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.paths: list[str] = []
        self.status = 200
        self.body: bytes | None = None
        self.refused_word: str | None = None
        self.wait_s = 0.0
        self.closing = threading.Event()
        self.meanwhile: Callable[[], object] | None = None
        """Done once, before the next answer."""
        self.shift = 0
        """Turns the vectors by so many places, as another model would."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet when a client does not wait for its answer."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer

    def do_POST(self) -> None:
        server = self.server
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.asked.append(asked)
        server.keys.append(self.headers["Authorization"])
        server.paths.append(self.path)
        server.closing.wait(server.wait_s)
        meanwhile, server.meanwhile = server.meanwhile, None
        if meanwhile:
            meanwhile()
        made = [
            {"index": number, "embedding": count_words(text, server.shift)}
            for number, text in enumerate(asked["input"])
        ]
        answer = server.body or json.dumps({"data": made[::-1]}).encode()
        is_refused = server.refused_word and server.refused_word in str(asked["input"])
        self.send_response(400 if is_refused else server.status)
        self.send_header("Location", f"http://127.0.0.1:{server.server_port}/elsewhere")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


def count_words(text: str, shift: int = 0) -> list[float]:
    """Make a vector that is near another where the texts share words."""
    vector = [0.0] * WORDS
    vector[shift % WORDS] = 0.01
    for word in text.lower().split():
        place = int(hashlib.sha256(word.encode()).hexdigest(), 16) + shift
        vector[place % WORDS] += 1.0
    return vector


@contextmanager
def serving() -> Iterator[EmbeddingServer]:
    """Serve for a while."""
    server = EmbeddingServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
