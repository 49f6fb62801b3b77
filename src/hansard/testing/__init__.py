"""The engine suite, for anyone who writes another engine, and an engine that runs all work twice.

from hansard.testing.engine_suite import SCHEMA, EngineSuite

class TestMyEngine(EngineSuite):
    @pytest.fixture
    def opener(self, tmp_path):
        return partial(MyEngine, tmp_path, SCHEMA)
"""

import pytest

# The suite's modules are no test files, so pytest would not explain what their asserts compared.
pytest.register_assert_rewrite("hansard.testing.suite")
