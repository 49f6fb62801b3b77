"""The checks of the crash tests can fail: each kind of damage is found out."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from hansard.app.application import Application
from tests.crash import checks, toys
from tests.crash.checks import Ack


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def app(folder: Path) -> Iterator[Application]:
    app = toys.open_application(folder)
    yield app
    app.close()


def noted(app: Application, token: str) -> Ack:
    receipt = app.call("toy_note", {"text": token}, toys.a_caller()).model_dump()["receipt"]
    return Ack(app.default_project, token, receipt["seq"], receipt["hash"])


def damage(folder: Path, statement: str) -> None:
    connection = apsw.Connection(str(folder / "hansard.db"))
    connection.execute(statement)
    connection.close()


def test_a_sound_store_is_found_sound(app: Application, folder: Path) -> None:
    acks = [noted(app, token) for token in ("one", "two")]

    assert checks.findings(app, acks) == []
    assert checks.leftovers(folder) == []
    assert checks.takes_new_work(app, "three") == []


def test_a_lost_write_is_found(app: Application) -> None:
    ack = noted(app, "one")

    assert checks.findings(app, [ack, replace(ack, token="two", seq=ack.seq + 1)])


def test_another_hash_than_acknowledged_is_found(app: Application) -> None:
    ack = noted(app, "one")

    assert checks.findings(app, [replace(ack, hash="0" * 64)])


def test_a_write_that_is_there_twice_is_found(app: Application) -> None:
    noted(app, "one")
    noted(app, "one")

    assert checks.findings(app)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM journal WHERE kind = 'toy.noted.v1' AND tick = 2",
        "DELETE FROM journal WHERE number = (SELECT max(number) FROM journal)",
        "UPDATE journal SET tick = tick + 1",
        "UPDATE journal SET payload = x'7b7d' WHERE tick = 1",
        "UPDATE heads SET seq = seq + 1",
        "DELETE FROM rows_toy_notes_v1",
    ],
)
def test_damage_to_the_database_is_found(app: Application, folder: Path, statement: str) -> None:
    for token in ("one", "two", "three"):
        noted(app, token)
    damage(folder, statement)

    assert checks.findings(app)


def test_a_temporary_file_is_found(app: Application, folder: Path) -> None:
    (folder / "blobs" / "ab").mkdir(parents=True)
    (folder / "blobs" / "ab" / ".half-written").touch()

    assert checks.leftovers(folder)


def test_a_lock_that_nobody_holds_is_found_and_a_held_one_is_not(
    app: Application, folder: Path
) -> None:
    held = app.store.engine.hold("owner-alive")
    assert held is not None
    with held:
        assert checks.leftovers(folder) == []
        (folder / "locks" / "owner-dead").touch()

        assert checks.leftovers(folder) == ["locks/owner-dead is a dead lock"]
