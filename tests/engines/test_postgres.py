"""The PostgreSQL engine keeps every promise of the seam."""

from functools import partial

import pytest

from hansard.engines.postgres import PostgresEngine
from hansard.testing.engine_suite import SCHEMA, EngineSuite, Opener

pytestmark = pytest.mark.postgres


@pytest.mark.holds("000-notes-storage", "ALL-09.1", "ALL-09.3")
class TestPostgres(EngineSuite):
    @pytest.fixture
    def opener(self, postgres_url: str, postgres_namespace: str) -> Opener:
        return partial(PostgresEngine, postgres_url, SCHEMA, namespace=postgres_namespace)
