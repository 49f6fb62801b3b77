"""A store on a medium that cannot be written to is read all the same."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard.app import start
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.engine import Schema
from hansard.kernel.operation import Caller
from hansard.kernel.problem import StorageUnavailable

needs_mounts = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("mount") is None, reason="mounting needs root"
)


@pytest.fixture
def read_only_store(tmp_path: Path, agent: Caller) -> Iterator[Path]:
    """Make a store with something in it, then let nobody write to its folder."""
    store, mounted = tmp_path / "store", tmp_path / "mounted"
    app = start.start(Settings(store=str(store)))
    app.call("create_project", {"id": "kept", "name": "Kept"}, agent)
    app.close()
    mounted.mkdir()
    subprocess.run(["mount", "--bind", store, mounted], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", mounted], check=True)
    yield mounted
    subprocess.run(["umount", mounted], check=True)


@pytest.mark.root
@needs_mounts
def test_a_read_only_store_is_read_and_refuses_writes(read_only_store: Path, agent: Caller) -> None:
    app: Application = start.start(Settings(store=str(read_only_store), project="kept"))

    assert "Kept" in app.call("get_project", {}, agent).text()
    with pytest.raises(StorageUnavailable) as refused:
        app.call("create_project", {"name": "Another"}, agent)

    assert refused.value.details["outcome"] == "not_written"
    app.close()


@pytest.fixture
def store_with_a_read_only_database(tmp_path: Path, agent: Caller) -> Iterator[Path]:
    """Make a store with something in it, of which only the database cannot be written to."""
    store = tmp_path / "store"
    app = start.start(Settings(store=str(store)))
    app.call("create_project", {"id": "kept", "name": "Kept"}, agent)
    app.close()
    database = store / "hansard.db"
    subprocess.run(["mount", "--bind", database, database], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", database], check=True)
    yield store
    subprocess.run(["umount", database], check=True)


@pytest.mark.root
@needs_mounts
def test_a_database_that_cannot_be_written_to_is_read_and_refuses_writes(
    store_with_a_read_only_database: Path, agent: Caller
) -> None:
    app: Application = start.start(
        Settings(store=str(store_with_a_read_only_database), project="kept")
    )

    assert "Kept" in app.call("get_project", {}, agent).text()
    with pytest.raises(StorageUnavailable, match="it is read-only here") as refused:
        app.call("create_project", {"name": "Another"}, agent)

    assert refused.value.details["outcome"] == "not_written"
    app.close()


@pytest.mark.root
@needs_mounts
def test_a_read_only_store_is_verified(read_only_store: Path) -> None:
    done = subprocess.run(
        ["hansard", "verify", "--store", read_only_store],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )

    assert done.returncode == 0, done.stdout + done.stderr


FORKING = """
import os, sys
from pathlib import Path
from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.engine import Schema
engine = SqliteEngine(Path(sys.argv[1]), Schema((), ()), looking=True)
fork = os.fork()
engine.close()
if fork:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]))
"""


def test_a_fork_of_a_process_that_only_reads_ends_as_well_as_its_parent(tmp_path: Path) -> None:
    SqliteEngine(tmp_path, Schema((), ())).close()

    done = subprocess.run(
        [sys.executable, "-c", FORKING, tmp_path], check=False, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr
