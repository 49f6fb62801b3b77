"""The memory engine keeps every promise of the seam."""

from functools import partial

import pytest

from hansard.engines.memory import MemoryEngine, MemoryStore
from hansard.testing.engine_suite import SCHEMA, EngineSuite, Opener


@pytest.mark.holds("000-notes-storage", "ALL-09.1", "ALL-09.3")
class TestMemory(EngineSuite):
    across_processes = False

    @pytest.fixture
    def opener(self) -> Opener:
        return partial(MemoryEngine, SCHEMA, MemoryStore())
