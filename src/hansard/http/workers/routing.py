"""Which worker must handle a request that only one of them can answer.

Any worker answers most requests. A connection of the handshake era, a browser's visit, the token
that lets a browser in and what is under way between two stores are known to one process. Whichever
worker meets such a request passes it on to that one; if it has ended, the request is answered as by
a server that was started anew.
"""

import json
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from urllib.parse import parse_qs

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hansard.app.openapi import BASE
from hansard.http.workers.forwarding import CALLER, NobodyThereError, pass_on
from hansard.http.workers.worker_socket import MARK, Worker
from hansard.mcp.http_seats import CONNECTION

EXCHANGE = f"{BASE}/exchange"
WITHIN = "hansard.within"
"""Where the scope of a request says that another worker made it itself."""


class Lanes:
    """Wraps everything that a worker serves."""

    def __init__(self, app: ASGIApp, worker: Worker, cookie: Callable[[], str]) -> None:
        """Wrap an application; `cookie` names the cookie of browsers."""
        self._app = app
        self._worker = worker
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have another worker answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _came_from_a_worker(scope):
            _take_over(scope)
        elif (number := self.owner(scope)) not in {None, self._worker.number}:
            assert number, "another worker has a number"
            try:
                await pass_on(self._worker.address(number), scope, receive, send)
            except NobodyThereError:
                pass
            else:
                return
        _rename(scope, partial(_unmarked, own=b"%d" % self._worker.number))
        await self._app(scope, receive, self._marking(send))

    def owner(self, scope: Scope) -> int | None:
        """Say which worker a request belongs to; `None` if to none of them."""
        request = HTTPConnection(scope)
        if CONNECTION in request.headers:
            return self._marked(request.headers[CONNECTION])
        path: str = scope["path"]
        if path == "/" and (tokens := parse_qs(scope["query_string"].decode("latin-1"))):
            return self._marked(tokens.get("token", [""])[0])
        if path == EXCHANGE:
            return self._drawn(request.headers.get("authorization"))
        if path.startswith(BASE) and "authorization" not in request.headers:
            return self._drawn(request.cookies.get(self._cookie()))
        return None

    def _marked(self, text: str) -> int | None:
        _, mark, number = text.rpartition(MARK)
        numbers = {str(one): one for one in range(1, self._worker.count + 1)}
        return numbers.get(number) if mark else None

    def _drawn(self, text: str | None) -> int | None:
        """Route requests with the same value to the same worker."""
        if text is None:
            return None
        digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8]) % self._worker.count + 1

    def _marking(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                mark = self._worker.mark.encode()
                _rename(message, lambda value: value + mark)
            await send(message)

        return sending


def _rename(message: Message | Scope, change: Callable[[bytes], bytes]) -> None:
    """Rename a connection of the handshake era."""
    name = CONNECTION.encode()
    message["headers"] = [
        (key, change(value)) if key.lower() == name else (key, value)
        for key, value in message.get("headers", ())
    ]


def _unmarked(value: bytes, *, own: bytes) -> bytes:
    """Remove our own mark; an id with another's mark is unknown here, whatever it begins with."""
    before, mark, number = value.rpartition(MARK.encode())
    return before if mark and number == own else value


def _came_from_a_worker(scope: Scope) -> bool:
    """Whether a request came in at the socket of workers: at a path, which has no port.

    The sender's address proves nothing: that of a stranger who has hung up is missing too.
    """
    return bool(scope["server"]) and scope["server"][1] is None


def _take_over(scope: Scope) -> None:
    """Restore the original client of a request that a worker forwarded."""
    told = next((value for name, value in scope["headers"] if name == CALLER), None)
    if told is None:
        scope[WITHIN] = True
        return
    client, server = json.loads(told)
    scope["client"], scope["server"] = client and tuple(client), server and tuple(server)
    scope["headers"] = [one for one in scope["headers"] if one[0] != CALLER]
