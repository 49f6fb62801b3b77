"""Calls over HTTP by many clients at once, beside a bare server of the same SDK."""

import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.report.figures import ROUNDS, Figure, Section
from bench.start import META
from bench.taken import processor_s
from tests.http.serving import make_token, serving

CLIENTS = 64
MEASURE_S = 2.0
WARM_S = 0.5
UP_WITHIN_S = 60.0
UNLIMITED = {"HANSARD_RATE_PER_MINUTE": "0", "HANSARD_QUOTA_MIB_PER_DAY": "0"}

CALL: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "list_projects", "arguments": {}, "_meta": META},
}
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "Mcp-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "list_projects",
}


def answering() -> Section:
    """Have 64 clients ask for the same thing, each as soon as it is answered; servers in turn."""
    section = Section(
        "http",
        "Calls over HTTP by 64 clients",
        "Milliseconds between two answers, whoever asked, and processor time of the server for "
        "each; connections stay open. `bare SDK` is the SDK's own HTTP application without "
        "sessions, tokens, limits or a log.",
    )
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        home = Path(folder)
        # Tokens are made before the server has the store to itself.
        text, _ = make_token(home, "agent")
        ours = stack.enter_context(serving(home, **UNLIMITED))
        port, pid = stack.enter_context(_bare())
        servers = {"Hansard": (ours.port, ours.process.pid, text), "bare SDK": (port, pid, "")}
        rates: dict[str, list[float]] = {who: [] for who in servers}
        taken: dict[str, list[float]] = {who: [] for who in servers}
        for at, token in ((one[0], one[2]) for one in servers.values()):
            asyncio.run(_crowd(at, token, WARM_S))
        for _ in range(ROUNDS):
            for who, (at, process, token) in servers.items():
                before, began = processor_s(process), time.perf_counter()
                calls = asyncio.run(_crowd(at, token, MEASURE_S))
                rates[who].append((time.perf_counter() - began) / calls)
                taken[who].append((processor_s(process) - before) / calls)
        section.figures = [
            Figure(
                f"look (list_projects), {CLIENTS} clients",
                who,
                statistics.median(rates[who]) * 1000,
                statistics.median(taken[who]) * 1000,
            )
            for who in servers
        ]
    return section


async def _crowd(port: int, token: str, seconds: float) -> int:
    """Ask with all clients for a while; gives how many calls were answered."""
    body = json.dumps(CALL).encode()
    headers = HEADERS | {"Host": f"127.0.0.1:{port}", "Content-Length": str(len(body))}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    request = f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body
    until = time.perf_counter() + seconds
    counts = await asyncio.gather(*(_client(port, request, until) for _ in range(CLIENTS)))
    return sum(counts)


async def _client(port: int, request: bytes, until: float) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    count = 0
    while time.perf_counter() < until:
        writer.write(request)
        answer = await _answer(reader)
        assert b" projects" in answer, answer
        count += 1
    writer.close()
    await writer.wait_closed()
    return count


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    assert head.startswith("http/1.1 200"), head
    if "transfer-encoding: chunked" not in head:
        return await reader.readexactly(int(head.split("content-length:")[1].split("\r\n")[0]))
    parts = []
    while size := int(await reader.readline(), 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readexactly(2)
    return b"".join(parts)


@contextmanager
def _bare() -> Iterator[tuple[int, int]]:
    """Serve the bare application; gives its port and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "bench.report.web", str(port)])
    try:
        until = time.monotonic() + UP_WITHIN_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert time.monotonic() < until, "the bare server does not come up"
                time.sleep(0.05)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()


def serve_bare(port: int) -> None:
    """Serve one tool with the SDK's own application."""
    import uvicorn

    from bench.stdio import bare_server

    app = bare_server().streamable_http_app(json_response=True, stateless_http=True)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False)


if __name__ == "__main__":
    os.environ.pop("HANSARD_STORE", None)
    serve_bare(int(sys.argv[1]))
