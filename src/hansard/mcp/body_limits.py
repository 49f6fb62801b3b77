"""Checks the size of a request body before anything else."""

import anyio
import orjson
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hansard.kernel.limits import MIB, REQUEST_BYTES_MAX
from hansard.kernel.problem import RequestTooLarge
from hansard.mcp.messages import ID_SEARCH_BYTES, too_long

LINGER_S = 2.0
LINGER_BYTES_MAX = 64 * MIB
"""How much of a refused body is read and dropped: a caller that is cut off while still sending
never reads the answer."""

FAILED = 400
TOO_LARGE = RequestTooLarge.http_status


class Bodies:
    """Refuses every body over the limit, announced as such or not."""

    def __init__(self, app: ASGIApp, *, messages: str) -> None:
        """Wrap an application that takes JSON-RPC messages at the path `messages`."""
        self._app = app
        self._messages = messages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(receive)
        headers = Headers(scope=scope)
        announced = headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > REQUEST_BYTES_MAX:
            await self._refuse(scope, body, send)
            return
        is_unsaid = "transfer-encoding" in headers
        sending = self._once_counted(scope, body, send) if is_unsaid else send
        await self._app(scope, body.receive, sending)

    def _once_counted(self, scope: Scope, body: "_Body", send: Send) -> Send:
        """Send no refusal before a body of unknown length is known to be short enough.

        A body that is too long is then refused as such, whatever else is wrong with it.
        """
        is_replaced = False

        async def sending(message: Message) -> None:
            nonlocal is_replaced
            begins = message["type"] == "http.response.start"
            if begins and message["status"] >= FAILED:
                with anyio.move_on_after(LINGER_S):
                    await body.drop(REQUEST_BYTES_MAX)
                if body.size > REQUEST_BYTES_MAX and message["status"] != TOO_LARGE:
                    is_replaced = True
                    await self._refuse(scope, body, send)
            if not is_replaced:
                await send(message)

        return sending

    async def _refuse(self, scope: Scope, body: "_Body", send: Send) -> None:
        response = await self._refusal(scope, body)
        start = {"type": "http.response.start", "status": TOO_LARGE}
        await send(start | {"headers": response.raw_headers})
        await send({"type": "http.response.body", "body": response.body, "more_body": True})
        with anyio.move_on_after(LINGER_S):
            await body.drop(LINGER_BYTES_MAX)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _refusal(self, scope: Scope, body: "_Body") -> Response:
        """Refuse in the one shape of all errors; a message by its id, where it is near."""
        if scope["path"] != self._messages:
            problem = too_long(b"", b"", bytes_max=REQUEST_BYTES_MAX).problem
            assert problem, "what is too long is a problem"
            told = orjson.dumps({"error": problem.as_dict()})
        else:
            with anyio.move_on_after(LINGER_S):
                await body.begin()
            found = too_long(bytes(body.head), b"", bytes_max=REQUEST_BYTES_MAX)
            told = found.answer()
        return Response(told, TOO_LARGE, {"Connection": "close"}, "application/json")


class _Body:
    """The body of one request as it comes: how much of it came, and how it begins."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._is_over = False
        self.size = 0
        self.head = bytearray()

    async def receive(self) -> Message:
        """Give the next part to the reader, and count it."""
        message = await self._receive()
        part = message.get("body", b"")
        self.size += len(part)
        self.head += part[: max(0, ID_SEARCH_BYTES - len(self.head))]
        self._is_over = self._is_over or not message.get("more_body", False)
        return message

    async def begin(self) -> None:
        """Read as much of it as is searched for an id."""
        while not self._is_over and len(self.head) < ID_SEARCH_BYTES:
            await self.receive()

    async def drop(self, bytes_max: int) -> None:
        """Read the rest, until it exceeds the limit."""
        while not self._is_over and self.size <= bytes_max:
            await self.receive()
