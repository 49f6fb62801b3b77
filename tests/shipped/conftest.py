"""What is shipped, built once."""

from pathlib import Path

import pytest

from tests.shipped.building import LOCK, build, empty_environment, install


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the source archive."""
    wheel, archive = build(tmp_path_factory.mktemp("dist"), targets=("wheel", "sdist"))
    return wheel, archive


@pytest.fixture(scope="session")
def wheel(built: tuple[Path, Path]) -> Path:
    return built[0]


@pytest.fixture(scope="session")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, installed from the wheel with locked dependencies and nothing else."""
    python = empty_environment(tmp_path_factory.mktemp("empty") / "venv")
    install(python, "--require-hashes", "-r", LOCK)
    install(python, "--no-deps", wheel)
    return python.with_name("hansard")
