"""Vectors that are gone or of another embedder are made again by themselves, on every engine."""

import pytest

from hansard.app.application import Application
from hansard.embedders.vectors import VECTORS
from hansard.kernel.follow import CURSORS
from tests.conftest import OpenApp
from tests.embedders.following import (
    TEXT,
    create,
    embed_all,
    embedded,
    nearest,
    over_http,
    search,
    vector_follower,
)
from tests.embedders.serving import EmbeddingServer


@pytest.fixture
def app(open_app: OpenApp, server: EmbeddingServer) -> Application:
    return over_http(open_app, server)


def new_head(app: Application) -> int:
    return app.store.engine.heads()[app.default_project].seq


def test_another_embedder_starts_over_and_shows_how_far_it_is(
    open_app: OpenApp, server: EmbeddingServer
) -> None:
    old = over_http(open_app, server)
    records = [create(old, f"{TEXT} {number}") for number in range(3)]
    embed_all(old)
    server.shift = 7
    new = over_http(open_app, server, model="two")

    before = search(new)
    assert (before["index"], before["index_lag"]) == ("http two", new_head(new))
    assert nearest(new) == []

    embed_all(new)
    assert search(new)["index_lag"] == 0
    assert sorted(nearest(new)) == records
    # Vectors of two embedders are never compared.
    assert nearest(old) == []
    assert search(old)["index_lag"] == new_head(old)


def test_going_back_to_the_first_embedder_starts_over_too(
    open_app: OpenApp, server: EmbeddingServer
) -> None:
    first = over_http(open_app, server)
    record = create(first)
    embed_all(first)
    embed_all(over_http(open_app, server, model="two"))

    assert search(first)["index_lag"] > 0
    embed_all(first)

    assert nearest(first) == [record]


def test_vectors_that_were_deleted_are_made_again(
    app: Application, server: EmbeddingServer
) -> None:
    record = create(app)
    embed_all(app)
    assert nearest(app) == [record]

    app.store.write(app.default_project, lambda tx: tx.clear((VECTORS,), ()))
    assert nearest(app) == []
    assert search(app)["index_lag"] > 0
    embed_all(app)

    assert nearest(app) == [record]
    assert embedded(server).count(TEXT) == 2


def test_a_cursor_that_was_deleted_costs_no_embedding(
    app: Application, server: EmbeddingServer
) -> None:
    record = create(app)
    embed_all(app)

    app.store.write(app.default_project, lambda tx: tx.clear((CURSORS,), ()))
    assert search(app)["index_lag"] > 0
    embed_all(app)

    assert search(app)["index_lag"] == 0
    assert nearest(app) == [record]
    assert embedded(server).count(TEXT) == 1


def test_a_new_embedder_that_is_stopped_before_its_cursor_is_saved_goes_on_at_the_beginning(
    open_app: OpenApp, server: EmbeddingServer
) -> None:
    old = over_http(open_app, server)
    records = [create(old, f"{TEXT} {number}") for number in range(3)]
    embed_all(old)
    new = over_http(open_app, server, model="two")
    follower, project = vector_follower(new), new.default_project
    assert follower.kinds

    # What catching up does before it saves the cursor, for the first entry alone.
    entries = new.store.read(project, lambda tx: tx.entries(limit=1, kinds=follower.kinds))
    follower.apply(project, entries)
    assert len(nearest(new)) == 1
    embed_all(new)

    assert sorted(nearest(new)) == records
