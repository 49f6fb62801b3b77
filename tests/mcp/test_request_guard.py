"""The guard, asked as a server asks it that lets several Host headers by."""

import anyio
import pytest
from starlette.types import Message, Receive, Scope, Send

from hansard.app import start
from hansard.mcp.request_guard import RequestGuard

OURS, OTHER = b"127.0.0.1:8377", b"evil.example"


def status_of(*headers: tuple[bytes, bytes]) -> int:
    """Ask with these headers, in this order; gives the status of the answer."""
    statuses: list[int] = []

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    scope = {"type": "http", "method": "GET", "path": "/metrics", "query_string": b""}
    scope |= {"headers": [*headers], "server": ("127.0.0.1", 8377)}
    guard = RequestGuard(served, path="/mcp", catalog=start.catalog())
    anyio.run(guard, scope, receive, send)
    [status] = statuses
    return status


@pytest.mark.parametrize(
    ("hosts", "status"),
    [
        ([OURS], 200),
        ([], 421),
        ([OTHER], 421),
        ([OURS, OTHER], 421),
        ([OTHER, OURS], 421),
        ([OURS, OURS], 421),
    ],
)
def test_a_request_names_one_host_and_that_is_ours(hosts: list[bytes], status: int) -> None:
    assert status_of(*((b"host", one) for one in hosts)) == status


@pytest.mark.parametrize("also", [b"x-forwarded-host", b"forwarded", b"x-original-host"])
def test_what_a_proxy_may_say_of_the_host_counts_for_nothing(also: bytes) -> None:
    assert status_of((b"host", OTHER), (also, OURS)) == 421
    assert status_of((b"host", OURS), (also, OTHER)) == 200


@pytest.mark.parametrize("first", [b"", b"http://127.0.0.1:8377"])
def test_every_origin_that_is_named_must_be_ours(first: bytes) -> None:
    other = (b"origin", b"http://evil.example")

    assert status_of((b"host", OURS), (b"origin", first)) == 200
    assert status_of((b"host", OURS), (b"origin", first), other) == 403
