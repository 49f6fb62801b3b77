"""`verify` in several processes finds what it finds in one, and says it in the same order."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import apsw
import psycopg
import pytest

from hansard.app import start
from hansard.app.settings import Settings
from hansard.app.verify import Report, Spread, verify
from hansard.cli.opened_store import looked_at
from hansard.engines.postgres import schema as postgres_schema
from hansard.engines.sqlite import schema as sqlite_schema
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import Store
from hansard.records.views import RECORDS, WORDS
from tests.app.damage import NUMBER_BITS
from tests.cli.running import Hansard
from tests.conftest import a_caller

PROJECTS = [f"p{number}" for number in range(5)]
MANY = 120
"""Records of one of them, of each of which something can be found: more than is listed."""


def _fill(settings: Settings) -> None:
    app = start.start(settings)
    for number, project in enumerate(PROJECTS):
        app.call("create_project", {"id": project, "name": project}, a_caller())
        for nth in range(MANY if number == 3 else number + 2):
            texts = {"type": "note", "title": f"T {nth}", "summary": "s", "body": f"body {nth}"}
            app.call("create_record", texts | {"project_id": project}, a_caller())
    app.close()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    made = Settings(store=str(tmp_path / "store"), workspace=str(tmp_path), embedder="none")
    _fill(made)
    return made


@pytest.fixture
def on_postgres(postgres_url: str, tmp_path: Path) -> Settings:

    name = f"spread_{os.getpid()}_{tmp_path.name.replace('-', '_')}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    made = Settings(
        store=postgres_url.replace("/postgres?", f"/{name}?"),
        workspace=str(tmp_path),
        embedder="none",
    )
    _fill(made)
    return made


def _verified(settings: Settings, processes: int | None, *, quick: bool = False) -> Report:
    spread = Spread(processes, partial(looked_at, settings)) if processes else None
    with looked_at(settings) as store:
        return verify(store, quick=quick, spread=spread)


def _damage(settings: Settings) -> None:
    """Alter several projects in several ways, one of them so often that not all is listed."""
    chosen = "(SELECT number FROM heads WHERE project IN ({}))"
    connection = apsw.Connection(str(Path(settings.store) / "hansard.db"))
    altered, robbed = chosen.format("'p1', 'p3'"), chosen.format("'@catalog', 'p0', 'p4'")
    connection.execute(f"UPDATE journal SET tick = 77 WHERE number >> {NUMBER_BITS} IN {altered}")
    connection.execute(
        f"UPDATE {sqlite_schema.table_name(RECORDS)} SET f_state = 'LOST' WHERE project IN {robbed}"
    )
    connection.execute("DELETE FROM blobs WHERE rowid % 4 = 0")
    connection.close()


@pytest.mark.parametrize("quick", [True, False])
def test_a_sound_store_is_found_sound_by_several(settings: Settings, *, quick: bool) -> None:
    alone, together = (_verified(settings, one, quick=quick) for one in (None, 3))

    assert together == alone
    assert together.exit_code == 0
    assert {one.project for one in together.projects} >= set(PROJECTS)
    assert all(one.rows is None for one in together.projects) == quick


def test_a_damaged_one_is_found_damaged_in_the_same_words_and_order(settings: Settings) -> None:
    _damage(settings)

    alone, together = (_verified(settings, one) for one in (None, 3))

    assert len({finding.project for finding in together.findings}) > 2
    assert {finding.check for finding in together.findings} >= {"chain", "blobs", "views"}
    assert together.as_dict() == alone.as_dict()


def test_a_damaged_head_is_found_by_several_as_by_one(settings: Settings) -> None:
    with apsw.Connection(str(Path(settings.store) / "hansard.db")) as connection:
        connection.execute("UPDATE heads SET seq = 'x' WHERE project = 'p1'")

    alone, together = (_verified(settings, one) for one in (None, 2))

    assert alone.exit_code == 2
    assert (together.exit_code, together.findings) == (2, alone.findings)


def test_a_store_on_postgresql_is_shared_too(on_postgres: Settings) -> None:

    with psycopg.connect(on_postgres.store, autocommit=True) as connection:
        connection.execute("UPDATE hansard.journal SET payload = '{}' WHERE seq = 5")
        words = postgres_schema.topic_name(WORDS)
        connection.execute(f"DELETE FROM hansard.{words} WHERE project = 'p3'".encode())

    alone, together = (_verified(on_postgres, one) for one in (None, 2))

    assert {finding.project for finding in together.findings} >= set(PROJECTS)
    assert together.as_dict() == alone.as_dict()


@contextmanager
def _killed_when_opened(settings: Settings, parent: int) -> Iterator[Store]:
    """Open the store, but in another process than the first: that one is killed instead."""
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    with looked_at(settings) as store:
        yield store


def test_a_process_that_is_killed_is_said_and_nothing_is_called_sound(settings: Settings) -> None:
    spread = Spread(2, partial(_killed_when_opened, settings, os.getpid()))

    with looked_at(settings) as store, pytest.raises(StorageUnavailable, match="has ended"):
        verify(store, spread=spread)


def test_the_command_takes_workers_and_says_the_same(settings: Settings, tmp_path: Path) -> None:
    _damage(settings)
    hansard = Hansard(tmp_path)

    alone = hansard("verify", "--json", HANSARD_WORKSPACE=str(tmp_path))
    together = hansard("verify", "--json", "--workers", "2", HANSARD_WORKSPACE=str(tmp_path))

    assert together.code == alone.code == 2
    assert together.out == alone.out
