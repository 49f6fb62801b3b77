"""Whoever comes with a token is served by the one application: its clock and its rules."""

from collections.abc import Iterator

import pytest

from hansard.app import tokens
from hansard.app.application import Application
from hansard.app.bounded import Bounded, TokenCaller, caller_with
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.tokens import WantedToken
from hansard.kernel import paging
from hansard.kernel.clock import to_text
from hansard.kernel.event import Actor, Entry, Stamp
from tests.conftest import SteppingClock

ADMIN = Stamp(Actor("human", "maria", "admin"), "2026-01-02T03:04:05.000000Z")
TEXTS = {"type": "task", "title": "Ours", "summary": "s", "body": "b"}
A_SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def application(clock: SteppingClock) -> Iterator[Application]:
    application = start(Settings(store="memory:"), clock=clock)
    application.call("create_project", {"id": "ours", "name": "x"}, TokenCaller(ADMIN.actor))
    yield application
    application.close()


@pytest.fixture
def caller(application: Application) -> TokenCaller:
    """One who sees a single project."""
    wanted = WantedToken("agent", name="ci", projects=("ours",))
    return caller_with(tokens.create(application.store, wanted, ADMIN)[0])


def newest(application: Application) -> Entry:
    """Read the last entry that was written to the caller's project."""
    return application.store.read("ours", lambda tx: [*paging.entries(tx)][-1])


def test_a_bearers_call_is_stamped_by_the_applications_clock(
    application: Application, caller: TokenCaller, clock: SteppingClock
) -> None:
    since = to_text(clock())

    Bounded(application).call("create_record", TEXTS, caller)

    assert since < newest(application).at < to_text(clock())


def test_a_secret_that_a_bearer_writes_is_told_of_like_anyones(
    application: Application, caller: TokenCaller
) -> None:
    asked = TEXTS | {"body": f"The key is {A_SECRET}", "project_id": "ours"}

    told = Bounded(application).call("create_record", asked, caller).model_dump()

    assert told["secrets"]
    assert (
        told["secrets"] == application.call("create_record", asked, caller).model_dump()["secrets"]
    )
