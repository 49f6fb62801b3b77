"""The SQLite engine keeps every promise of the seam."""

from functools import partial
from pathlib import Path

import pytest

from hansard.engines.sqlite import SqliteEngine
from hansard.testing.engine_suite import SCHEMA, EngineSuite, Opener


@pytest.mark.holds("000-notes-storage", "ALL-09.1", "ALL-09.3")
class TestSqlite(EngineSuite):
    @pytest.fixture
    def opener(self, tmp_path: Path) -> Opener:
        return partial(SqliteEngine, tmp_path / "store", SCHEMA)
