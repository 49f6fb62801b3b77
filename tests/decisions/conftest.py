"""Every Hansard that these tests open knows decisions, and a secret to accept proposals by."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from hansard.app import people, start
from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.kernel.clock import to_text
from hansard.kernel.engine import Engine, Schema
from hansard.kernel.event import SYSTEM, Stamp
from tests.conftest import EXTRA, SteppingClock
from tests.decisions.known import SECRET, known
from tests.decisions.parties import Party, a_party

OpenWith = Callable[..., Application]


@pytest.fixture
def open_with(
    open_engine: Callable[[str, Schema], Engine], clock: SteppingClock, files: Path
) -> Iterator[OpenWith]:
    """Open applications on the same store, whose decisions are set up as given.

    The first secret that one is opened with is the store's.
    """
    with ExitStack() as stack:

        def opener(**given: Any) -> Application:
            settings = Settings(workspace=str(files))
            given = {"secret": SECRET} | given
            catalog = known(settings, **given)
            app = start.start(
                settings,
                open_engine,
                clock=clock,
                known=Catalog([*catalog.capabilities, *EXTRA]),
            )
            stack.callback(app.close)
            if given["secret"] and not people.known(app.store):
                people.set_secret(app.store, given["secret"], Stamp(SYSTEM, to_text(clock())))
            return app

        yield opener


@pytest.fixture
def app(open_with: OpenWith) -> Application:
    return open_with()


@pytest.fixture
def bot(app: Application) -> Party:
    return a_party(app, "agent")


@pytest.fixture
def person(app: Application) -> Party:
    """A person, as their way in has proved."""
    return a_party(app, "human", "admin", is_vouched=True)


@pytest.fixture
def admin(app: Application) -> Party:
    """A person who proves the secret with every call."""
    return a_party(app, "human", "admin", secret=SECRET)
