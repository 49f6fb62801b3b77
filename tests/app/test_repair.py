"""Repair: views from the journal, the rest into a new store; nothing is made worse or hidden."""

import errno
import json
import os
import shutil
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from hansard.app.keeping import repair, restoring
from hansard.app.keeping import salvage as salvaging
from hansard.app.keeping.backup import Backup, back_up
from hansard.app.keeping.garbage_collection import collect
from hansard.app.keeping.repair import Repaired, RepairFailed, needed, salvage
from hansard.app.keeping.restoring import StoreInUse
from hansard.app.keeping.salvage import Seqs
from hansard.app.verify import verify
from hansard.engines.sqlite import copying
from hansard.kernel.content import content
from hansard.kernel.problem import PermissionDenied, StorageUnavailable
from tests.app import kept
from tests.app.damage import Damaged
from tests.app.kept import PERSON, PROJECT, STAMP, opened


@pytest.fixture
def store(tmp_path: Path) -> Damaged:
    made = Damaged(tmp_path / "store")
    made.fill()
    return made


@pytest.fixture
def backup(store: Damaged, tmp_path: Path) -> Backup:
    """A backup, and a few entries that are newer."""
    with store.opened() as app:
        taken = back_up(
            app.store, store.folder, tmp_path / "backups", at=kept.AT, open_store=kept.open_store
        )
        for number in range(3):
            app.call("toy_note", {"text": f"newer {number}"}, kept.caller())
    return taken


def mend(store: Damaged, backup: Backup | None = None) -> Repaired:
    return salvage(store.folder, backup, open_store=kept.open_store, stamp=PERSON)


def test_views_are_derived_again_in_place(store: Damaged) -> None:
    store.sql("DELETE FROM rows_toy_notes_v1 WHERE key = 'T003'")
    report = store.verify()

    assert needed(report) == "views"
    with store.opened() as app:
        repair.derive_again(app.store, report)

    assert store.verify().exit_code == 0


def test_a_sound_store_needs_nothing(store: Damaged) -> None:
    assert needed(store.verify()) == "nothing"


def test_a_broken_chain_keeps_its_sound_beginning_and_sets_the_rest_aside(
    store: Damaged,
) -> None:
    before = kept.heads(store.folder)
    last = before[PROJECT][0]
    store.set_entry(6, session="forged")
    assert needed(store.verify()) == "salvage"

    done = mend(store)

    [saved] = [one for one in done.saved if one.project == PROJECT]
    assert (saved.head.seq, saved.aside) == (5, Seqs(last - 5, 6, last))
    assert done.aside is not None
    [file] = done.aside.iterdir()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["seq"] for line in lines] == list(range(6, last + 1))
    assert store.verify().exit_code == 0
    assert kept.heads(store.folder)["@catalog"] == before["@catalog"]
    assert done.replaced is not None
    assert Damaged(done.replaced).entry(6, "session") == "forged"


def test_a_journal_of_many_pages_is_saved_whole(
    store: Damaged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(salvaging, "ENTRIES_PAGE", 3)
    before = kept.heads(store.folder)

    done = mend(store)

    assert kept.heads(store.folder) == before
    assert not any(one.aside or one.unreadable for one in done.saved)


def test_a_backup_fills_the_hole_and_what_is_newer_stays(store: Damaged, backup: Backup) -> None:
    before = kept.heads(store.folder)
    store.set_entry(4, payload=b'{"id":"T001","text":"forged"}')
    store.sql("DELETE FROM journal WHERE number = ?", store.number(7))

    done = mend(store, backup)

    [saved] = [one for one in done.saved if one.project == PROJECT]
    assert (saved.from_backup, saved.aside, saved.unreadable) == (2, Seqs(), Seqs())
    assert kept.heads(store.folder) == before
    assert store.verify().exit_code == 0
    with store.opened() as app:
        notes = app.call("toy_list", {}, kept.caller()).model_dump()["notes"]
        assert sum("newer" in note for note in notes) == 3


def test_damage_beyond_the_backup_loses_only_what_follows_it(
    store: Damaged, backup: Backup
) -> None:
    last = kept.heads(store.folder)[PROJECT][0]
    store.sql("DELETE FROM journal WHERE number = ?", store.number(last - 1))

    done = mend(store, backup)

    [saved] = [one for one in done.saved if one.project == PROJECT]
    assert saved.head.seq == last - 2
    assert saved.aside == Seqs(1, last, last)
    assert saved.unreadable == Seqs(1, last - 1, last - 1)
    assert store.verify().exit_code == 0


@pytest.mark.parametrize("how", ["cut", "gone", "row"])
def test_a_damaged_blob_is_the_backups(store: Damaged, backup: Backup, how: str) -> None:
    if how == "row":
        store.sql("DELETE FROM blobs WHERE digest = ?", store.small.digest)
    elif how == "cut":
        store.blob_file(store.large).write_bytes(b"short")
    else:
        store.blob_file(store.large).unlink()

    done = mend(store, backup)

    assert sum(one.blobs_from_backup for one in done.saved) == 1
    assert store.verify().exit_code == 0
    with store.opened() as app:
        for digest in (store.small.digest, store.large.digest):
            assert app.store.read(PROJECT, partial(content, digest=digest))


def test_a_blob_that_nobody_has_is_named_and_owned_up_to(store: Damaged) -> None:
    store.blob_file(store.large).unlink()

    done = mend(store)

    [saved] = [one for one in done.saved if one.blobs_lost]
    assert list(saved.blobs_lost) == [store.large.digest]
    report = store.verify()
    assert report.exit_code == 0
    assert [one.redacted for one in report.projects if one.project == PROJECT] == [1]


def test_a_head_that_lies_is_put_right(store: Damaged) -> None:
    before = kept.heads(store.folder)
    store.sql("UPDATE heads SET seq = seq - 2, hash = 'x' WHERE project = ?", PROJECT)

    mend(store)

    assert kept.heads(store.folder) == before
    assert store.verify().exit_code == 0


def test_a_database_that_cannot_be_read_is_made_of_the_backup(
    store: Damaged, backup: Backup
) -> None:
    for path in store.folder.glob("hansard.db*"):
        path.write_bytes(b"not a database " * 1_000)
    with pytest.raises(StorageUnavailable):
        mend(store)

    mend(store, backup)

    assert kept.heads(store.folder) == backup.heads
    assert store.verify().exit_code == 0


def test_a_store_without_any_entry_is_not_made_an_empty_one(store: Damaged) -> None:
    store.sql("DELETE FROM journal")

    with pytest.raises(RepairFailed, match="nothing to save"):
        mend(store)

    assert store.verify().exit_code == 2


def test_a_backup_is_not_touched(store: Damaged, backup: Backup) -> None:
    def listed() -> dict[str, bytes]:
        paths = [path for path in backup.folder.rglob("*") if path.is_file()]
        return {str(path): path.read_bytes() for path in paths}

    before = listed()
    store.set_entry(4, session="forged")

    mend(store, backup)

    assert listed() == before


def test_only_a_person_may_and_only_when_nobody_uses_it(store: Damaged) -> None:
    with pytest.raises(PermissionDenied):
        salvage(store.folder, None, open_store=kept.open_store, stamp=STAMP)
    with opened(store.folder), pytest.raises(StoreInUse):
        mend(store)


def test_what_was_collected_is_not_missed(store: Damaged) -> None:
    with store.opened() as app:
        someone = kept.caller()
        saved = app.call("workflow_checkpoint_save", {"context": {"a": 1}}, someone).model_dump()
        app.call("workflow_checkpoint_delete", {"checkpointId": saved["checkpointId"]}, someone)
        assert collect(app.store, deleted_before="9999", stamp=STAMP).count == 1
    store.blob_file(store.large).unlink()

    done = mend(store)

    assert [list(one.blobs_lost) for one in done.saved if one.blobs_lost] == [[store.large.digest]]


def test_what_was_collected_once_and_named_again_since_is_missed_when_it_is_lost(
    store: Damaged,
) -> None:
    with store.opened() as app:
        someone = kept.caller()

        def save() -> str:
            answer = app.call("workflow_checkpoint_save", {"context": {"a": 1}}, someone)
            return str(answer.model_dump()["checkpointId"])

        app.call("workflow_checkpoint_delete", {"checkpointId": save()}, someone)
        gone = collect(app.store, deleted_before="9999", stamp=STAMP).deleted[PROJECT].keys()
        save()
        named_again = app.store.engine.heads()[PROJECT].seq
    for digest in gone:
        store.sql("DELETE FROM blobs WHERE digest = ?", digest)

    done = mend(store)

    assert [one.blobs_lost for one in done.saved if one.blobs_lost] == [
        dict.fromkeys(gone, named_again)
    ]


def test_saving_what_is_sound_changes_nothing(store: Damaged, tmp_path: Path) -> None:
    before = kept.heads(store.folder)
    shutil.copytree(store.folder, tmp_path / "same")

    mend(store)

    assert kept.heads(store.folder) == before == kept.heads(tmp_path / "same")
    with store.opened() as app:
        assert verify(app.store).findings == ()


def failing(*_: object) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.fault("sync fails (EIO)")
@pytest.mark.parametrize(
    ("where", "outcome", "code"), [(copying, "not_written", 2), (restoring, "unknown", 0)]
)
def test_a_disk_that_fails_at_the_end_is_told_and_what_is_said_of_the_store_is_so(
    store: Damaged, monkeypatch: pytest.MonkeyPatch, where: ModuleType, outcome: str, code: int
) -> None:
    store.set_entry(6, session="forged")
    monkeypatch.setattr(where, "sync_folder", failing)

    with pytest.raises(StorageUnavailable) as refused:
        mend(store)

    assert refused.value.details["outcome"] == outcome
    monkeypatch.undo()
    assert store.verify().exit_code == code
    kept_beside = list(store.folder.parent.glob("store.replaced-*"))
    assert all(one.name in refused.value.message for one in kept_beside)
    assert len(kept_beside) == (outcome == "unknown")
