"""The API's description takes a tenth of a second to make: once, and only for who may come in."""

from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from starlette.requests import Request
from starlette.types import Message

from hansard.app.application import Application
from hansard.app.bounded import Bounded
from hansard.app.openapi import BASE, document
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.http import api
from hansard.http.api import Api
from hansard.http.page_login import PageDoor
from hansard.http.rate_limits import Failures

COOKIE = "hansard_test"


@pytest.fixture
def application() -> Iterator[Application]:
    application = start(Settings(store="memory:"))
    yield application
    application.close()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Give one thing for each time that the description is made, by what really makes it."""
    times: list[object] = []

    def counted(*asked: Any, **named: Any) -> dict[str, Any]:
        times.append(asked)
        return document(*asked, **named)

    monkeypatch.setattr(api, "document", counted)
    return times


def described(answering: Api, cookie: str = "") -> tuple[int, bytes]:
    """Ask for the description as the server would, with this cookie or none."""
    [route] = [one for one in answering.routes() if one.path == f"{BASE}/openapi.json"]
    headers = [(b"cookie", f"{COOKIE}={cookie}".encode())] if cookie else []
    scope: dict[str, Any] = {"type": "http", "method": "GET", "path": route.path}
    scope |= {"headers": headers, "query_string": b"", "path_params": {}}
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    async def ask() -> None:
        answer = await route.endpoint(Request(scope, receive, send))
        await answer(scope, receive, send)

    anyio.run(ask)
    return sent[0]["status"], b"".join(one.get("body", b"") for one in sent[1:])


def test_the_description_is_made_once_and_for_nobody_who_is_not_let_in(
    application: Application, made: list[object]
) -> None:
    door = PageDoor()
    answering = Api(Bounded(application), door, cookie=lambda: COOKIE, failures=Failures())

    outside = [described(answering, cookie)[0] for cookie in ("", "made-up")]
    assert (outside, len(made)) == ([401, 401], 0)

    cookie = door.enter(door.issue())
    assert cookie
    answers = {described(answering, cookie) for _ in range(3)}
    assert ({status for status, _ in answers}, len(answers), len(made)) == ({200}, 1, 1)
