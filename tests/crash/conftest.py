"""Where the crash tests find a store with nothing in it, and room for many."""

import itertools
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

_numbers = itertools.count(1)

MEMORY = Path("/dev/shm")


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Path]:
    """Give a folder in memory, if there is such: what a process has written outlives it there, too.

    What does not outlive a power cut is on disks of its own, whose images may lie in memory.
    """
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY, prefix="hansard-") as folder:
        yield Path(folder)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Name a store that is not there yet, in a folder or in a database of its own."""
    if request.param == "sqlite":
        return str(tmp_path / "store")
    return new_database(request.getfixturevalue("postgres_url"))


def new_database(url: str) -> str:
    """Make an empty database beside the one of this URL; it goes when the server goes."""
    name = f"crash_{next(_numbers)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    host = conninfo_to_dict(url)["host"]
    return f"postgresql://postgres@/{name}?host={host}"
