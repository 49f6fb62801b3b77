"""`backup` where something is wrong with the folder, and `redact` where a decision is concerned."""

from pathlib import Path

import pygit2
import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.decisions.events import DecisionRecorded
from hansard.decisions.git import decision_log
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat
from tests.cli.running import Hansard


@pytest.mark.parametrize("name", ["", " "])
def test_a_folder_without_a_name_is_refused(filled: Hansard, name: str) -> None:
    ran = filled("backup", name)

    assert (ran.code, "empty" in ran.err) == (2, True)


def test_a_folder_in_the_store_is_refused(filled: Hansard) -> None:
    ran = filled("backup", str(filled.store / "backups"))

    assert (ran.code, "lies in the store" in ran.err) == (2, True)
    assert not (filled.store / "backups").exists()


def test_a_damaged_backup_is_named_and_passed_over(filled: Hansard, tmp_path: Path) -> None:
    filled("backup", str(tmp_path / "backups"))
    [damaged] = (tmp_path / "backups").glob("[0-9]*")
    (damaged / "backup.json").write_text("{")

    taken = filled("backup", str(tmp_path / "backups"))
    restored = filled("restore-backup", str(tmp_path / "backups"), "--force")

    assert (taken.code, restored.code) == (0, 0)
    assert str(damaged) in taken.err
    assert str(damaged) in restored.err


def a_published_decision(hansard: Hansard) -> str:
    """Make a decision that stands in the store's repository; returns the digest of its reasons."""
    application = start(Settings(store=str(hansard.store)))
    try:
        given = {"target": "db", "title": "Use SQLite", "rationale": "The password is hunter2"}
        caller = Caller(Actor("human", "ada", "admin"), seat=Seat())
        application.call("record_decision", given, caller)
        decision_log.publish(application.store, hansard.store / decision_log.FOLDER, "default")
        kinds = frozenset({DecisionRecorded.kind})
        [entry] = application.store.read("default", lambda tx: tx.entries(limit=1, kinds=kinds))
        event = application.store.kinds.decode(entry)
        assert isinstance(event, DecisionRecorded)
        return event.reasons
    finally:
        application.close()


def test_a_redacted_decision_is_gone_from_the_stores_repository(filled: Hansard) -> None:
    digest = a_published_decision(filled)
    path = decision_log.repository_path(filled.store, "default")
    assert in_objects(path, b"hunter2")

    ran = filled.on_a_terminal("redact", "blob", digest, "--reason", "leaked", "--yes")

    assert ran.code == 0, ran.out
    assert not in_objects(path, b"hunter2")
    assert in_objects(path, b"Use SQLite")
    assert filled("verify").code == 0


def in_objects(repository: Path, text: bytes) -> bool:
    repo = pygit2.Repository(str(repository))
    return any(text in repo[oid].read_raw() for oid in repo)
