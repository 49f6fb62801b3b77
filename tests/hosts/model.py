"""A model that follows a script, on loopback, for hosts of every wire."""

import gzip
import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import zstandard

from tests.hosts.dialects import Answer, spoken_at
from tests.hosts.script import Script, due
from tests.patience import POLL_S

COUNTED = {"input_tokens": 100, "totalTokens": 100}
"""What to answer where a host asks how long something is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to go on with the chat, as it came."""

    offered: list[str]
    done: int
    text: str
    """All of it."""


@dataclass
class Model:
    """What was asked in a chat so far, and where to ask."""

    url: str
    script: Script = ()
    asked: list[Asked] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def begin(self, script: Script) -> None:
        """Follow another script, in a chat that begins now."""
        self.script, self.asked = script, []


@contextmanager
def speaking() -> Iterator[Model]:
    """Have a model at hand while the block runs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        model = _Handler.of = Model(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True)
        thread.start()
        yield model
        server.shutdown()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    of: Model

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on stderr."""

    def do_HEAD(self) -> None:
        self._send(b"", "application/json")

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [], "models": [], "has_more": False})

    def do_POST(self) -> None:
        raw, path = self._body(), self.path.partition("?")[0]
        dialect = spoken_at(path)
        if dialect is None:
            return self._json(COUNTED)
        body = json.loads(raw)
        offered, done = dialect.offered(body), dialect.done(body)
        self.of.asked.append(Asked(offered, done, raw.decode()))
        turn = due(self.of.script, done=done, offers_tools=bool(offered))
        answer = dialect.answer(body, turn, next(self.of.numbers))
        if body.get("stream") or "stream" in path:
            return self._stream(answer)
        return self._json(answer.whole)

    def _body(self) -> bytes:
        """Read what was sent, however it was sent."""
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b"".join(iter(self._chunk, b""))
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        match self.headers.get("content-encoding"):
            case "gzip":
                return gzip.decompress(raw)
            case "zstd":
                return zstandard.ZstdDecompressor().decompressobj().decompress(raw)
        return raw

    def _chunk(self) -> bytes:
        chunk = self.rfile.read(int(self.rfile.readline(), 16))
        self.rfile.readline()
        return chunk

    def _json(self, value: object) -> None:
        self._send(json.dumps(value).encode(), "application/json")

    def _stream(self, answer: Answer) -> None:
        lines = []
        for name, data in answer.events:
            lines += [f"event: {name}"] if name else []
            lines += [f"data: {data if isinstance(data, str) else json.dumps(data)}", ""]
        self._send("\n".join([*lines, ""]).encode(), "text/event-stream")

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
