"""A client of servers that we did not write: patient with whatever else they say, for a while."""

import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ANSWER_S = 60.0
OPEN_S = 120.0


class PeerFailedError(Exception):
    """A peer does not do what it is asked, and why."""


class PeerClient:
    """Asks one thing at a time."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> None:
        """Start a server."""
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the client
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env=dict(environment),
            cwd=folder,
        )
        self.pid = self._process.pid
        self._id = 0
        self._left = b""

    def open(self) -> None:
        """Do the handshake."""
        info = {"name": "bench", "version": "1"}
        given = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        self._ask("initialize", given, OPEN_S)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, name: str, arguments: dict[str, Any]) -> None:
        """Call a tool, which must not fail."""
        answer = self._ask("tools/call", {"name": name, "arguments": arguments}, ANSWER_S)
        text = " ".join(str(part.get("text", "")) for part in answer.get("content", ()))
        if answer.get("isError") or text.startswith(("Failed to", "Error", '{"error"')):
            raise PeerFailedError(f"{name}: {text[:120]}")

    def close(self) -> None:
        """Leave, and see to it that the server does."""
        try:
            self._process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        self._said.close()

    def _ask(self, method: str, params: dict[str, Any], within_s: float) -> dict[str, Any]:
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        until = time.monotonic() + within_s
        while True:
            message = self._message(until)
            if message.get("id") != self._id:
                continue
            if "error" in message:
                raise PeerFailedError(f"{method}: {str(message['error'])[:120]}")
            result: dict[str, Any] = message["result"]
            return result

    def _message(self, until: float) -> dict[str, Any]:
        while b"\n" not in self._left:
            self._left += self._read(until)
        line, _, self._left = self._left.partition(b"\n")
        try:
            message = json.loads(line)
        except ValueError:
            return {}  # something that it printed
        return message if isinstance(message, dict) else {}

    def _read(self, until: float) -> bytes:
        assert self._process.stdout, "the server's output is a pipe"
        descriptor = self._process.stdout.fileno()
        ready = select.poll()
        ready.register(descriptor, select.POLLIN)
        if not ready.poll(max(0.0, until - time.monotonic()) * 1000):
            raise PeerFailedError("does not answer in time")
        chunk = os.read(descriptor, 1 << 16)
        if not chunk:
            raise self._ended()
        return chunk

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin, "the server's input is a pipe"
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._ended() from error

    def _ended(self) -> PeerFailedError:
        """Say why it ended, as it did itself last."""
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").splitlines()
        why = [line.strip() for line in lines if "Error: " in line]
        return PeerFailedError(f"ends by itself: {why[-1][:100]}" if why else "ends by itself")
