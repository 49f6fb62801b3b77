"""Forwards a request unchanged to the worker it belongs to."""

import asyncio
import json
from contextlib import suppress

import h11
from starlette.types import Receive, Scope, Send

CALLER = b"x-hansard-caller"
"""The original client of a forwarded request, and where it came in. It counts only from a worker:
nobody else reaches the folder where they meet."""

HOPS = {b"connection", b"keep-alive", b"te", b"trailer", b"upgrade", b"expect", CALLER}
"""Headers that are about a connection, not about the request."""

PART_BYTES = 64 * 1024
ASK_S = 2.0
"""How long a worker may take to report its state."""


class NobodyThereError(OSError):
    """The worker does not run; nothing was asked of it."""


async def fetch(address: str, target: str) -> tuple[int, bytes] | None:
    """Send a worker a request; `None` if it does not answer."""
    head = [("host", "localhost"), ("connection", "close")]
    status, body = 0, bytearray()
    with suppress(OSError, h11.RemoteProtocolError):
        async with asyncio.timeout(ASK_S):
            wire = await _Wire.to(address)
            try:
                wire.send(h11.Request(method="GET", target=target, headers=head))
                wire.send(h11.EndOfMessage())
                while not isinstance(event := await wire.event(), h11.EndOfMessage):
                    if isinstance(event, h11.Response):
                        status = event.status_code
                    elif isinstance(event, h11.Data):
                        body += event.data
            finally:
                wire.close()
            return status, bytes(body)
    return None


async def pass_on(address: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Have a worker answer a request; a client that disconnects is gone there too."""
    wire = await _Wire.to(address)
    sending = asyncio.create_task(_send(wire, scope, receive))
    answering = asyncio.create_task(_answer(wire, send))
    try:
        # The sender goes on until the caller has gone away.
        await asyncio.wait((sending, answering), return_when=asyncio.FIRST_COMPLETED)
    finally:
        sending.cancel()
        answering.cancel()
        await asyncio.gather(sending, answering, return_exceptions=True)
        wire.close()


async def _send(wire: "_Wire", scope: Scope, receive: Receive) -> None:
    """Pass on a request; done when the caller has gone away."""
    wire.send(_request(scope))
    is_whole = False
    while (message := await receive())["type"] != "http.disconnect":
        if is_whole:
            continue
        if part := message.get("body", b""):
            wire.send(h11.Data(data=part))
            with suppress(OSError):  # it may have answered, and not want the rest
                await wire.drain()
        if not message.get("more_body", False):
            wire.send(h11.EndOfMessage())
            is_whole = True


def _request(scope: Scope) -> h11.Request:
    target: bytes = scope["raw_path"]
    if scope["query_string"]:
        target += b"?" + scope["query_string"]
    kept = [(name, value) for name, value in scope["headers"] if name.lower() not in HOPS]
    caller = json.dumps([scope["client"], scope["server"]]).encode()
    head = [*kept, (CALLER, caller), (b"connection", b"close")]
    return h11.Request(method=scope["method"], target=target, headers=head)


async def _answer(wire: "_Wire", send: Send) -> None:
    """Give the caller the worker's answer. One that dies before is reported as unavailable."""
    has_begun = False
    try:
        while not isinstance(event := await wire.event(), h11.EndOfMessage):
            if isinstance(event, h11.Response):
                head = [one for one in event.headers if one[0] != b"connection"]
                start = {"type": "http.response.start", "status": event.status_code}
                await send(start | {"headers": head})
                has_begun = True
            elif isinstance(event, h11.Data):
                body = {"type": "http.response.body", "body": bytes(event.data)}
                await send(body | {"more_body": True})
    except (OSError, h11.RemoteProtocolError):
        if has_begun:
            return  # what is cut off must look cut off
        head = [(b"content-type", b"text/plain"), (b"retry-after", b"1")]
        await send({"type": "http.response.start", "status": 503, "headers": head})
        text = b"The worker that was asked has ended. What it was doing may be done: ask again."
        await send({"type": "http.response.body", "body": text})
        return
    await send({"type": "http.response.body", "body": b"", "more_body": False})


class _Wire:
    """A connection to a worker."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._connection = h11.Connection(h11.CLIENT)

    @classmethod
    async def to(cls, address: str) -> "_Wire":
        try:
            return cls(*await asyncio.open_unix_connection(address))
        except OSError as error:
            raise NobodyThereError(str(error)) from error

    def send(self, event: h11.Event) -> None:
        if self._connection.our_state is not h11.ERROR:
            self._writer.write(self._connection.send(event) or b"")

    async def drain(self) -> None:
        await self._writer.drain()

    async def event(self) -> h11.Event:
        """Give what comes next of the answer."""
        while (event := self._connection.next_event()) is h11.NEED_DATA:
            self._connection.receive_data(await self._reader.read(PART_BYTES))
        if not isinstance(event, h11.Event):
            raise ConnectionResetError("the worker has closed the connection")
        return event

    def close(self) -> None:
        self._writer.close()
