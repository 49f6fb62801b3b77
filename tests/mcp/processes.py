"""Server processes, and a client that speaks in plain lines so that it can say anything."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from http.client import HTTPConnection
from pathlib import Path
from queue import Queue
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from tests.launcher.programs import Popen
from tests.patience import PATIENCE_S

WAIT_S = PATIENCE_S

ROOT = Path(__file__).parents[2]

Json = dict[str, Any]


def environment(settings: dict[str, str]) -> dict[str, str]:
    """Give the variables that settings are read from, and no others of ours."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("HANSARD_")}
    return inherited | {f"HANSARD_{name.upper()}": value for name, value in settings.items()}


class ServerProcess:
    """A program in a process of its own, ended with the test."""

    def __init__(self, program: str, *arguments: str, settings: dict[str, str]) -> None:
        self.process: Popen[bytes] = Popen(
            [sys.executable, "-m", program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(settings),
            cwd=ROOT,
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.stdin, self.stdout, self.stderr = (
            self.process.stdin,
            self.process.stdout,
            self.process.stderr,
        )
        self.errors: Queue[str] = Queue()
        self._threads = [threading.Thread(target=self._read_errors, daemon=True)]
        self._threads[0].start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait(WAIT_S)
        for thread in self._threads:
            thread.join(WAIT_S)
        for pipe in (self.stdout, self.stderr):
            pipe.close()
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()

    def end(self, by: signal.Signals | None = None) -> int:
        """Send a signal, or close the input, and give the exit code."""
        if by is None:
            self.stdin.close()
        else:
            self.process.send_signal(by)
        return self.process.wait(WAIT_S)

    def said(self) -> str:
        """Give all that was written to stderr by a process that has ended."""
        for thread in self._threads:
            thread.join(WAIT_S)
        return "".join(list(self.errors.queue))

    def _read_errors(self) -> None:
        for line in self.stderr:
            self.errors.put(line.decode())


class StdioServer(ServerProcess):
    """A server on pipes, asked line by line."""

    def __init__(self, program: str, settings: dict[str, str], *, reads: bool = True) -> None:
        """Start it; whoever wants its output as it comes says that it `reads` no lines."""
        super().__init__(program, "stdio", settings=settings)
        self.lines: Queue[Json] = Queue()
        if reads:
            self._threads.append(threading.Thread(target=self._read_lines, daemon=True))
            self._threads[-1].start()
        self._last_id = 100

    def open(self, capabilities: Json | None = None) -> Json:
        """Do the handshake; gives what the server says of itself."""
        info = {"name": "test", "version": "1"}
        able = capabilities or {}
        params = {"protocolVersion": "2025-11-25", "capabilities": able, "clientInfo": info}
        result: Json = self.ask("initialize", params)["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, name: str, meta: Json | None = None, **arguments: Any) -> Json:
        """Call a tool; gives the whole answer."""
        params: Json = {"name": name, "arguments": arguments}
        return self.ask("tools/call", params | ({"_meta": meta} if meta else {}))

    def ask(self, method: str, params: Json | None = None) -> Json:
        """Send a request and give its answer, which must be the next line."""
        self._last_id += 1
        message: Json = {"jsonrpc": "2.0", "id": self._last_id, "method": method}
        self.send(message | ({"params": params} if params is not None else {}))
        answer = self.answer()
        assert answer["id"] == self._last_id
        return answer

    def send(self, message: Any) -> None:
        """Send a message of any shape."""
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, line: bytes) -> None:
        """Send anything at all."""
        self.stdin.write(line)
        self.stdin.flush()

    def answer(self) -> Json:
        """Wait for the next line."""
        return self.lines.get(timeout=WAIT_S)

    def rest(self) -> list[Json]:
        """Give the lines that nobody took, of a process that has ended."""
        for thread in self._threads:
            thread.join(WAIT_S)
        return list(self.lines.queue)

    def _read_lines(self) -> None:
        for line in self.stdout:
            self.lines.put(json.loads(line))


class HttpServer(ServerProcess):
    """A server on a free port of the loopback."""

    def __init__(self, settings: dict[str, str]) -> None:
        self.settings = settings
        super().__init__("tests.mcp.programs", "http", settings=settings | {"port": "0"})
        announced = self.errors.get(timeout=WAIT_S)
        assert announced.startswith("Hansard listens on "), announced
        self.url = announced.split()[-1]
        self.address = urlsplit(self.url)

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, bytes]:
        """Make one HTTP request; gives its status and what came back."""
        assert self.address.hostname
        connection = HTTPConnection(self.address.hostname, self.address.port, timeout=WAIT_S)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def post(self, body: bytes, **headers: str) -> tuple[int, bytes]:
        """Post a message as a well-behaved client would, save for the headers given."""
        usual = {
            "content_type": "application/json",
            "accept": "application/json, text/event-stream",
        }
        return self.request("POST", "/mcp", body, **(usual | headers))
