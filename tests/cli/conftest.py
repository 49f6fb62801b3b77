"""A command to run and a store to run it on."""

from pathlib import Path

import pytest

from tests.cli.running import Hansard, write_sessions


@pytest.fixture
def hansard(tmp_path: Path) -> Hansard:
    return Hansard(tmp_path)


@pytest.fixture
def filled(hansard: Hansard) -> Hansard:
    """The command on a store whose default project has three entries."""
    write_sessions(hansard, ["default.1", "default.2", "default.3"])
    return hansard
