"""The PostgreSQL engine keeps every promise of the seam."""

import threading
from contextlib import closing
from functools import partial

import pytest

from hansard.engines.postgres import PostgresEngine
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.engine_suite import SCHEMA, EngineSuite, Opener
from hansard.testing.suite.base import Noted, record_all

pytestmark = pytest.mark.postgres


@pytest.mark.holds("000-notes-storage", "ALL-09.1", "ALL-09.3")
class TestPostgres(EngineSuite):
    @pytest.fixture
    def opener(self, postgres_url: str, postgres_namespace: str) -> Opener:
        return partial(PostgresEngine, postgres_url, SCHEMA, namespace=postgres_namespace)

    def test_who_leaves_an_engine_open_can_end_all_the_same(self, opener: Opener) -> None:
        before = set(threading.enumerate())
        with closing(opener()) as engine, closing(engine.watch()):
            assert engine.hold("name") is not None
            record_all(engine, Noted())

            started = set(threading.enumerate()) - before

        assert {"postgres-notices", "postgres-leases"} <= {one.name for one in started}
        assert [one.name for one in started if not one.daemon] == []

    @pytest.mark.parametrize("watched", [False, True])
    def test_a_closed_engine_ends_its_watches_and_begins_none(
        self, opener: Opener, *, watched: bool
    ) -> None:
        before = set(threading.enumerate())
        engine = opener()
        if watched:
            engine.watch()

        engine.close()

        started = set(threading.enumerate()) - before
        assert "postgres-notices" not in {one.name for one in started}
        with pytest.raises(StorageUnavailable):
            engine.watch()
