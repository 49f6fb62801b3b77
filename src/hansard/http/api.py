"""The HTTP API: every operation by name, verification, and the journal's tail."""

import json
import logging
import re
import secrets
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import anyio
import anyio.to_thread
import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

import hansard
from hansard.app import people, tracing
from hansard.app.bounded import Bounded, caller_with
from hansard.app.identity import IDENTITY, StoreChanged, identity_of
from hansard.app.oauth import SCOPE_KEY
from hansard.app.openapi import BASE, MARK, document
from hansard.app.people import is_unproved
from hansard.app.tokens import RateLimited, Token
from hansard.app.verify import verify
from hansard.http.event_stream import Tail
from hansard.http.middleware import RECHECK_S, REFERENCE
from hansard.http.page_login import PageDoor, Visit
from hansard.http.rate_limits import Failures
from hansard.http.responses import (
    NOT_LET_IN_HINT,
    SAFETY,
    answered,
    failed,
    forbidden,
    refused,
    unauthorized,
)
from hansard.http.signing_in import SigningIn
from hansard.kernel.event import Role
from hansard.kernel.limits import REQUEST_BYTES_MAX
from hansard.kernel.operation import Caller
from hansard.kernel.problem import (
    InvalidInput,
    PermissionDenied,
    Problem,
    RequestTooLarge,
    UnknownOperation,
)
from hansard.kernel.values import check_handle

logger = logging.getLogger(__name__)

SECRET = "x-hansard-secret"  # noqa: S105 - where the secret is found, not the secret
IDEMPOTENCY = "idempotency-key"

FOR_PEOPLE = {"PERMISSION_DENIED", "ISOLATION_VIOLATION"}
"""Operations that need a proved person."""
UNPROVED_HINT = "Enter the secret, which proves that you are a person, and do it again"

SIGN_IN_HINT = "Open the page again and sign in, or run `hansard open` where the server runs"

SEQ = re.compile("[0-9]{1,15}")

STREAMS_MAX = 64
CALLS_AT_ONCE = 16

Work = Callable[[bytes, Caller, Request], bytes | dict[str, Any]]


class Api:
    """Answers the page, and programs with a token."""

    def __init__(
        self,
        application: Bounded,
        door: PageDoor,
        *,
        cookie: Callable[[], str],
        failures: Failures,
        bytes_used: Callable[[], int | None] = lambda: None,
        signing_in: SigningIn | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Serve an application to authenticated callers; `cookie` names their cookie.

        `bytes_used` is what the store takes on disk, where that is known.
        """
        self._bytes_used = bytes_used
        self._signing_in = signing_in
        self._timer = timer
        self._application = application
        self._door = door
        self._cookie = cookie
        self._failures = failures
        self._description: bytes | None = None
        self._calls = anyio.CapacityLimiter(CALLS_AT_ONCE)
        self._tail = Tail(application, STREAMS_MAX)

    def routes(self) -> list[Route]:
        """List what is answered where."""
        return [
            Route(BASE, self._index),
            Route(f"{BASE}/openapi.json", self._describe),
            Route(f"{BASE}/door", self._open_door, methods=["POST"]),
            Route(f"{BASE}/leave", self._leave, methods=["POST"]),
            Route(f"{BASE}/stream", self._stream),
            Route(f"{BASE}/prove", self._posted(self._prove), methods=["POST"]),
            Route(f"{BASE}/verify", self._posted(self._verify), methods=["POST"]),
            Route(f"{BASE}/{{operation}}", self._posted(self._call), methods=["POST"]),
        ]

    def end(self) -> None:
        """End the streams, so that the server can end."""
        self._tail.end()

    def visit(self, request: Request) -> Visit | None:
        """Find which browser asks: one with a visit, or in which somebody signed in."""
        token = _token(request)
        if token is not None:
            return self._door.seat(token.sign_in) if token.sign_in else None
        return self._door.visit(request.cookies.get(self._cookie()))

    def is_of_this_store(self, request: Request) -> bool:
        """Whether a page that says which store it shows shows this one."""
        shown = request.headers.get(MARK, "")
        return not IDENTITY.fullmatch(shown) or shown == identity_of(self._application.store)

    def caller(self, request: Request, *, posts: bool = False) -> Caller | None:
        """Say who asks: a token's bearer, or a browser with a visit.

        A browser sends its cookie with any site's request, so a post needs the header too.
        """
        headers = request.headers
        key, proof = headers.get(IDEMPOTENCY), headers.get(SECRET)
        visit = self.visit(request)
        if token := _token(request):
            came = visit.came(token.id) if visit else {}
            return caller_with(token, idempotency_key=key, secret=proof, **came)
        if visit is None or (posts and MARK not in headers):
            return None
        return visit.caller(secret=proof, idempotency_key=key)

    async def _index(self, request: Request) -> Response:
        caller = self.caller(request)
        if caller is None:
            return self._not_let_in(request)
        application = self._application
        home = application.home_of(_token(request))
        try:
            project = await anyio.to_thread.run_sync(
                home.name, application.store, limiter=self._calls
            )
            who = await anyio.to_thread.run_sync(self._who, caller, request, limiter=self._calls)
        except Problem as problem:
            return refused(problem)
        return answered(
            who
            | {
                "version": hansard.__version__,
                "project": project,
                "read_only": application.read_only,
                "operations": [operation.name for operation in application.catalog],
            }
        )

    async def _describe(self, request: Request) -> Response:
        if self.caller(request) is None:
            return self._not_let_in(request)
        if self._description is None:  # made once: it takes a tenth of a second
            described = document(self._application.catalog, cookie=self._cookie())
            self._description = orjson.dumps(described)
        return answered(self._description)

    async def _open_door(self, request: Request) -> Response:
        """Give a token to a caller with the key: `hansard open`, run by the same person."""
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not self._door.has_key(key):
            try:
                self._failures.count(request)
            except RateLimited as problem:
                return refused(problem)
            return self._not_let_in(request)
        return answered({"token": self._door.issue()})

    async def _leave(self, request: Request) -> Response:
        """Forget a browser, because its user says so."""
        if self.visit(request) is None or MARK not in request.headers:
            return self._not_let_in(request)
        response = answered({})
        if (token := _token(request)) and self._signing_in:
            await anyio.to_thread.run_sync(self._signing_in.sign_out, token, response)
            return response
        self._door.leave(request.cookies.get(self._cookie()))
        response.delete_cookie(self._cookie(), httponly=True, samesite="strict")
        return response

    def _not_let_in(self, request: Request) -> Response:
        hint = SIGN_IN_HINT if self._signing_in else NOT_LET_IN_HINT
        return unauthorized(request, hint=hint)

    def _posted(self, work: Work) -> Callable[[Request], Any]:
        """Build what reads a request's body and answers it, in a thread of its own."""

        async def handle(request: Request) -> Response:
            caller = self.caller(request, posts=True)
            if caller is None:
                return self._not_let_in(request)
            try:
                body = await _body(request)
                made = await anyio.to_thread.run_sync(
                    self._do, work, body, caller, request, limiter=self._calls
                )
            except PermissionDenied as problem:
                least = self._least_role(request)
                if _token(request) and not caller.actor.may(least):
                    return forbidden(request, problem, least)
                return refused(problem)
            except Problem as problem:
                return refused(problem)
            except Exception:  # a bug: goes to the log in full, to the caller as INTERNAL
                reference = request.scope.get(REFERENCE) or secrets.token_hex(4)
                logger.exception("A call failed (reference %s)", reference)
                return failed(reference)
            return answered(made)

        return handle

    def _do(
        self, work: Work, body: bytes, caller: Caller, request: Request
    ) -> bytes | dict[str, Any]:
        if not self.is_of_this_store(request):
            raise StoreChanged("Another store answers at this address now")
        try:
            return work(body, caller, request)
        except Problem as problem:
            raise self._with_way_out(problem, caller, request) from None

    def _least_role(self, request: Request) -> Role:
        try:
            return self._application.catalog.find(request.path_params["operation"]).role
        except (KeyError, UnknownOperation):  # verify is no operation, and is for admins
            return "admin"

    def _who(self, caller: Caller, request: Request) -> dict[str, Any]:
        """Say who this is, as authors are named, and whether that is proved."""
        judged = self._application.judged(self._known_again(caller, request))
        proof = "missing" if is_unproved(judged.actor) else judged.proof
        return {"actor": str(judged.actor), "proof": proof}

    def _with_way_out(self, problem: Problem, caller: Caller, request: Request) -> Problem:
        """Make a page ask for the secret, if its reader lacks nothing else."""
        if problem.code not in FOR_PEOPLE or caller.secret is not None or _token(request):
            return problem
        if not self._application.wants_proof() or self._who(caller, request)["proof"] == "proved":
            return problem
        details = {**problem.details, "needs": "secret"}
        return type(problem)(problem.message, hint=UNPROVED_HINT, **details)

    def _prove(self, body: bytes, caller: Caller, request: Request) -> dict[str, Any]:
        """Treat a browser as a person's from now on, given the secret."""
        if _token(request):
            raise InvalidInput("prove is for the page: a token says by itself who it is")
        if body not in (b"", b"{}"):
            raise InvalidInput(f"prove takes the secret in the header {SECRET}, and no arguments")
        if caller.secret is None:
            raise InvalidInput(f"The secret comes in the header {SECRET}", argument=SECRET)
        return self._who(caller, request)

    def _call(self, body: bytes, caller: Caller, request: Request) -> bytes:
        name = request.path_params["operation"]
        caller = self._known_again(caller, request)
        came = tracing.origin("api", request.headers)
        with tracing.span(self._application, name, caller, came):
            result = self._application.call(name, _arguments(body), caller)
        return result.model_dump_json(exclude_none=True).encode()

    def _known_again(self, caller: Caller, request: Request) -> Caller:
        """Treat a browser as a person's once the secret was entered in it, for an hour.

        It is one until then, unless it leaves, the server ends, or another secret is set. One that
        only the server was set up with still proves nobody a person: it opens what needs it.
        """
        if _token(request) or (visit := self.visit(request)) is None:
            return caller
        now = self._timer()
        if caller.secret is None:
            is_vouched = visit.has_proof and visit.is_proved(self._mark(), now)
            return replace(caller, is_vouched=is_vouched)
        visit.forget_proof()
        self._application.judged(caller)  # refuses a wrong one
        if self._application.wants_proof():
            visit.prove(self._mark(), now)
        return caller

    def _mark(self) -> str | None:
        return people.mark(self._application.store)

    def _verify(self, body: bytes, caller: Caller, request: Request) -> dict[str, Any]:
        token = _token(request)
        if not caller.actor.may("admin") or (token and token.projects is not None):
            raise PermissionDenied("verify is about the whole store, for an admin of all projects")
        arguments = _arguments(body)
        if arguments.keys() - {"quick"} or not isinstance(arguments.get("quick", True), bool):
            raise InvalidInput("verify takes quick, true or false", argument="quick")
        report = verify(self._application.store, quick=arguments.get("quick", True))
        used = self._bytes_used()
        return report.as_dict() | ({} if used is None else {"bytes": used})

    async def _while_let_in(
        self, request: Request, lines: AsyncGenerator[bytes, None]
    ) -> AsyncGenerator[bytes, None]:
        """End a stream once its browser has left, or its time is over; until then it is there."""
        checked = time.monotonic()
        visit = await anyio.to_thread.run_sync(self.visit, request)
        if visit is None:
            return
        await anyio.to_thread.run_sync(visit.open_page, self._application.store.engine)
        try:
            async with aclosing(lines):
                async for line in lines:
                    if time.monotonic() - checked >= RECHECK_S:
                        if await anyio.to_thread.run_sync(self.visit, request) is None:
                            return
                        checked = time.monotonic()
                    yield line
        finally:
            visit.close_page()

    async def _stream(self, request: Request) -> Response:
        """Follow a project's journal from an entry on."""
        caller = self.caller(request)
        if caller is None:
            return self._not_let_in(request)
        caller = replace(caller, home=self._application.home_of(_token(request)))
        project = request.query_params.get("project") or None
        after = request.headers.get("last-event-id") or request.query_params.get("after")
        if after is not None and not SEQ.fullmatch(after):
            return refused(InvalidInput("after is the seq of an entry", argument="after"))
        try:
            if project is not None:
                check_handle(project, "project")
            lines = await self._tail.follow(project, caller, int(after) if after else None)
        except Problem as problem:
            return refused(problem)
        if self.visit(request) is not None:
            lines = self._while_let_in(request, lines)
        return StreamingResponse(lines, headers=SAFETY, media_type="text/event-stream")


def _token(request: Request) -> Token | None:
    token: Token | None = request.scope.get(SCOPE_KEY)
    return token


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > REQUEST_BYTES_MAX:
            raise RequestTooLarge(
                f"The request is longer than {REQUEST_BYTES_MAX} bytes", limit=REQUEST_BYTES_MAX
            )
    return bytes(body)


def _arguments(body: bytes) -> dict[str, Any]:
    try:
        arguments = orjson.loads(body) if body else {}
        # Read again, since we must not guess which of two values was meant.
        json.loads(body or b"{}", object_pairs_hook=_with_no_key_twice)
    except (ValueError, RecursionError):
        raise InvalidInput("The body is not JSON") from None
    if not isinstance(arguments, dict):
        raise InvalidInput("The body is not a JSON object of arguments")
    return arguments


def _with_no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise InvalidInput("A key occurs twice in one object of the body")
    return made
