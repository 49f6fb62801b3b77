"""What is erased while it is embedded: nothing of it stays, and nothing else is missed for it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest

from hansard.app.application import Application
from hansard.app.keeping.redaction import WantedErasure, erase
from hansard.kernel.event import Actor, Entry, Stamp
from hansard.kernel.follow import NotNow, catch_up
from tests.conftest import OpenApp
from tests.embedders.following import create, embed_all, nearest, over_http, vector_follower
from tests.embedders.serving import EmbeddingServer

SECRET = "passphrase"


@pytest.fixture
def app(open_app: OpenApp, server: EmbeddingServer) -> Application:
    return over_http(open_app, server)


def erasing(app: Application, record: str) -> Callable[[], object]:
    """Give what erases a record's title."""
    page = app.store.read(app.default_project, lambda tx: tx.entries(limit=100))
    [entry] = [one for one in page if one.kind.startswith("records.") and record in str(one.body)]
    stamp = Stamp(Actor("human", "ana", "admin"), "2026-01-01T00:00:00.000000Z", None)
    wanted = WantedErasure(seq=entry.seq, fields=("title",))
    return partial(erase, app.store, app.default_project, wanted, reason="a secret", stamp=stamp)


def test_what_is_erased_while_it_is_embedded_is_not_found_by_it(
    app: Application, server: EmbeddingServer
) -> None:
    kept = create(app)
    embed_all(app)
    server.meanwhile = erasing(app, create(app, SECRET))

    with pytest.raises(NotNow):
        catch_up(app.store, vector_follower(app), app.default_project)
    embed_all(app)

    assert nearest(app, SECRET) == []
    assert nearest(app) == [kept]


def test_what_is_erased_before_anything_was_embedded_is_not_found_by_it_either(
    app: Application, server: EmbeddingServer
) -> None:
    kept = create(app)
    server.meanwhile = erasing(app, create(app, SECRET))

    with pytest.raises(NotNow):
        catch_up(app.store, vector_follower(app), app.default_project)
    embed_all(app)

    assert nearest(app, SECRET) == []
    assert nearest(app) == [kept]


def test_what_was_made_before_something_is_erased_is_made_again(app: Application) -> None:
    kept = create(app)
    embed_all(app)
    erase_it = erasing(app, create(app, SECRET))
    follower = vector_follower(app)

    def apply_and_erase(project: str, entries: Sequence[Entry]) -> None:
        follower.apply(project, entries)
        erase_it()

    catch_up(app.store, replace(follower, apply=apply_and_erase), app.default_project)
    embed_all(app)

    assert nearest(app, SECRET) == []
    assert nearest(app) == [kept]
