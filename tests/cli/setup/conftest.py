"""Somebody whose hosts are connected."""

from pathlib import Path

import pytest

from tests.cli.running import Hansard
from tests.cli.setup.person import Person


@pytest.fixture
def person(hansard: Hansard, tmp_path: Path) -> Person:
    return Person(hansard, tmp_path)
