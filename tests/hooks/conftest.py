"""A command to run and a store to run it on."""

from pathlib import Path

import pytest

from tests.cli.running import Hansard


@pytest.fixture
def hansard(tmp_path: Path) -> Hansard:
    return Hansard(tmp_path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Give a project's folder, in no Git work tree."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder
