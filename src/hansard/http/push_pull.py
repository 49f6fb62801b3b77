"""The HTTP endpoint of `hansard push` and `pull`: each message is a request.

It needs an admin's token, because a whole project is transferred as it is.
"""

import tempfile
import threading
from pathlib import Path

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hansard.app.application import Application
from hansard.app.bounded import caller_with
from hansard.app.keeping import frames
from hansard.app.keeping.peer_store import Exchange
from hansard.app.oauth import SCOPE_KEY
from hansard.app.openapi import BASE
from hansard.app.tokens import Token
from hansard.http.responses import answered, refused, unauthorized
from hansard.kernel.limits import REQUEST_BYTES_MAX
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, Problem, RequestTooLarge
from hansard.kernel.temporary_files import temporary_root

SECRET = "x-hansard-secret"  # noqa: S105 - where the secret is found, not the secret


class Exchanging:
    """Answers for the store of this server."""

    def __init__(self, application: Application) -> None:
        """Answer for an application; the folder for transfers is made when needed."""
        self._application = application
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._exchange: Exchange | None = None
        # A transfer is a file that grows by pieces: one message at a time.
        self._turn = threading.Lock()

    def routes(self) -> list[Route]:
        """List what is answered where."""
        return [Route(f"{BASE}/exchange", self._answer, methods=["POST"])]

    def end(self) -> None:
        """Remove unfinished transfers."""
        with self._turn:
            if self._folder:
                self._folder.cleanup()
            self._folder = self._exchange = None

    async def _answer(self, request: Request) -> Response:
        token: Token | None = request.scope.get(SCOPE_KEY)
        if token is None:
            return unauthorized(request)
        caller = caller_with(token, secret=request.headers.get(SECRET))
        try:
            body = await _body(request)
            made = await anyio.to_thread.run_sync(self._do, body, caller)
        except Problem as problem:
            return refused(problem)
        return answered(made)

    def _do(self, body: bytes, caller: Caller) -> bytes:
        try:
            message = frames.from_json(body)
        except frames.PeerUnreachable as problem:
            raise InvalidInput(problem.message) from None
        with self._turn:
            if self._exchange is None:
                self._folder = tempfile.TemporaryDirectory(prefix="hansard-", dir=temporary_root())
                self._exchange = Exchange(self._application, Path(self._folder.name))
            return frames.as_json(*self._exchange.answer(*message, caller))


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > REQUEST_BYTES_MAX:
            raise RequestTooLarge(f"A message has at most {REQUEST_BYTES_MAX:,} bytes")
    return bytes(body)
