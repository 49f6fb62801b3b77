"""Backups: whole, proved, incremental, never half, and brought back."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from hansard.app.keeping import backup, restoring
from hansard.app.keeping.backup import Backup, BackupNotFound, BackupUnsound, back_up
from hansard.app.keeping.blob_lock import KeepingBusy
from hansard.app.verify import verify
from hansard.engines.postgres import PostgresEngine
from hansard.kernel.problem import InvalidInput
from tests.app import kept
from tests.app.kept import AT, opened
from tests.patience import PATIENCE_S, wait_until

LATER = "2026-01-02T04:00:00.000000Z"

WRITER = """
import sys
from tests.app import kept
with kept.opened(sys.argv[1]) as app:
    someone = kept.caller()
    for number in range(100_000):
        done = app.call("toy_note", {"text": f"{sys.argv[2]} {number}"}, someone)
        receipt = done.model_dump()["receipt"]
        print(receipt["seq"], receipt["hash"], flush=True)
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with opened(tmp_path / "store") as app:
        kept.fill(app)
    return tmp_path / "store"


def take(store: Path, target: Path, at: str = AT, *, whole: bool = False) -> Backup:
    with opened(store) as app:
        return back_up(app.store, store, target, at=at, open_store=kept.open_store, whole=whole)


def test_a_backup_brought_back_is_the_store(store: Path, tmp_path: Path) -> None:
    taken = take(store, tmp_path / "backups")

    heads, aside = restoring.restore_folder(
        backup.find_backup(tmp_path / "backups"), tmp_path / "new", open_store=kept.open_store
    )

    assert heads == taken.heads == kept.heads(store)
    assert aside is None
    assert kept.faults(tmp_path / "new") == []
    with opened(tmp_path / "new") as app:
        notes = app.call("toy_list", {}, kept.caller()).model_dump()["notes"]
        assert "note 3" in notes[3]
        app.call("toy_note", {"text": "goes on"}, kept.caller())


def test_a_second_backup_copies_only_what_is_new(store: Path, tmp_path: Path) -> None:
    first = take(store, tmp_path / "backups")
    with opened(store) as app:
        kept.keep(app.store, os.urandom(150_000))

    second = take(store, tmp_path / "backups", LATER)

    assert (first.copied, second.copied) == (1, 1)
    assert [one.folder for one in backup.backups(tmp_path / "backups")] == [
        first.folder,
        second.folder,
    ]
    assert take(store, tmp_path / "backups", AT.replace("03", "05"), whole=True).copied == 2


def test_each_backup_is_whole_by_itself(store: Path, tmp_path: Path) -> None:
    take(store, tmp_path / "backups")
    taken = take(store, tmp_path / "backups", LATER)

    backup.forget(tmp_path / "backups", taken, keep=1)

    [left] = backup.backups(tmp_path / "backups")
    assert left.taken_at == LATER
    restoring.restore_folder(left, tmp_path / "new", open_store=kept.open_store)
    assert kept.faults(tmp_path / "new") == []


def test_a_damaged_store_makes_no_backup_and_is_named(store: Path, tmp_path: Path) -> None:
    take(store, tmp_path / "backups")
    [large] = [path for path in (store / "blobs").rglob("*") if path.stat().st_size > 150_000]
    large.write_bytes(b"x" * large.stat().st_size)

    with pytest.raises(BackupUnsound, match=large.name):
        take(store, tmp_path / "backups", LATER, whole=True)

    assert [one.taken_at for one in backup.backups(tmp_path / "backups")] == [AT]
    assert not list((tmp_path / "backups").glob(".incoming*"))


def test_the_backup_just_taken_stays_though_the_clock_was_put_back(
    store: Path, tmp_path: Path
) -> None:
    newest = take(store, tmp_path / "backups", LATER)
    taken = take(store, tmp_path / "backups", AT)

    assert backup.forget(tmp_path / "backups", taken, keep=2) == []
    assert backup.forget(tmp_path / "backups", taken, keep=1) == [newest.folder]
    assert backup.backups(tmp_path / "backups") == [taken]


def test_backups_that_may_be_another_stores_are_not_removed(store: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "other") as app:
        kept.fill(app)
    target = tmp_path / "backups"
    others = take(tmp_path / "other", target, AT)
    unknown = take(store, target, AT.replace("03", "01"))
    manifest = unknown.folder / backup.MANIFEST
    manifest.write_text(manifest.read_text().replace(unknown.store, ""))

    taken = take(store, target, LATER)

    assert backup.forget(target, taken, keep=1) == []
    assert [one.folder for one in backup.backups(target)] == [
        unknown.folder,
        others.folder,
        taken.folder,
    ]


@pytest.mark.parametrize("manifest", [b"", b"[]", b'{"heads": []}', b"\xff"])
def test_a_backup_that_cannot_be_read_does_not_hinder_the_next(
    store: Path, tmp_path: Path, manifest: bytes
) -> None:
    target = tmp_path / "backups"
    first = take(store, target)
    (first.folder / backup.MANIFEST).write_bytes(manifest)

    second = take(store, target, LATER)

    assert backup.backups(target) == [second]
    assert backup.unreadable(target) == [first.folder]
    assert backup.forget(target, second, keep=1) == []


@pytest.mark.parametrize("place", [".", "backups", "blobs/../deeper/still"])
def test_a_backup_into_the_store_itself_is_refused(store: Path, place: str) -> None:
    before = sorted(path.name for path in store.iterdir())

    with pytest.raises(InvalidInput):
        take(store, store / place)

    assert sorted(path.name for path in store.iterdir()) == before


def test_what_has_rotted_in_an_earlier_backup_is_copied_anew(store: Path, tmp_path: Path) -> None:
    first = take(store, tmp_path / "backups")
    [large] = [
        path for path in (first.folder / "blobs").rglob("*") if path.stat().st_size > 150_000
    ]
    large.write_bytes(b"x" * large.stat().st_size)

    second = take(store, tmp_path / "backups", LATER)

    assert second.copied == 1
    restoring.restore_folder(second, tmp_path / "new", open_store=kept.open_store)
    assert kept.faults(tmp_path / "new") == []


def test_a_store_in_place_is_not_overwritten(store: Path, tmp_path: Path) -> None:
    taken = take(store, tmp_path / "backups")
    before = kept.heads(store)

    with pytest.raises(restoring.StoreInPlace):
        restoring.restore_folder(taken, store, open_store=kept.open_store)
    assert kept.heads(store) == before

    with opened(store) as app:
        app.call("toy_note", {"text": "newer"}, kept.caller())
    newer = kept.heads(store)
    heads, aside = restoring.restore_folder(taken, store, open_store=kept.open_store, force=True)

    assert heads == before == kept.heads(store)
    assert aside is not None
    assert kept.heads(aside) == newer


def test_a_store_in_use_is_not_replaced(store: Path, tmp_path: Path) -> None:
    taken = take(store, tmp_path / "backups")
    with opened(store), pytest.raises(restoring.StoreInUse):
        restoring.restore_folder(taken, store, open_store=kept.open_store, force=True)


def test_an_altered_backup_is_not_brought_back(store: Path, tmp_path: Path) -> None:
    taken = take(store, tmp_path / "backups")
    manifest = taken.folder / backup.MANIFEST
    seq, _ = taken.heads["default"]
    manifest.write_text(manifest.read_text().replace(f"{seq},", f"{seq + 1},"))

    with pytest.raises(BackupUnsound):
        restoring.restore_folder(
            backup.find_backup(taken.folder), tmp_path / "new", open_store=kept.open_store
        )

    assert not (tmp_path / "new").exists()
    assert not list(tmp_path.glob(".new*"))


def test_a_folder_without_a_backup_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".incoming-1").mkdir()
    (tmp_path / ".incoming-1" / backup.MANIFEST).write_text("{}")

    with pytest.raises(BackupNotFound):
        backup.find_backup(tmp_path)


def test_only_one_keeps_a_store_at_a_time(store: Path, tmp_path: Path) -> None:
    with opened(store) as app:
        lock = app.store.engine.hold("keeping")
        assert lock is not None
        with lock, pytest.raises(KeepingBusy):
            back_up(app.store, store, tmp_path / "backups", at=AT, open_store=kept.open_store)


@pytest.mark.root
@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("mount") is None, reason="mounting needs root"
)
def test_a_store_and_a_backup_that_cannot_be_written_to_are_read_all_the_same(
    store: Path, tmp_path: Path
) -> None:
    with read_only(store, tmp_path / "store-mounted") as mounted:
        taken = take(mounted, tmp_path / "backups")
    with read_only(tmp_path / "backups", tmp_path / "backups-mounted") as mounted:
        heads, _ = restoring.restore_folder(
            backup.find_backup(mounted), tmp_path / "new", open_store=kept.open_store
        )

    assert heads == taken.heads == kept.heads(store)


@contextmanager
def read_only(folder: Path, mounted: Path) -> Iterator[Path]:
    """Show a folder at another place, where nobody can write to it."""
    mounted.mkdir()
    subprocess.run(["mount", "--bind", folder, mounted], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", mounted], check=True)
        yield mounted
    finally:
        subprocess.run(["umount", mounted], check=True)


@pytest.mark.postgres
def test_a_database_is_backed_up_as_bundles(emptied_postgres: str, tmp_path: Path) -> None:
    with opened(emptied_postgres) as app:
        kept.fill(app)
        taken = back_up(app.store, None, tmp_path / "backups", at=AT, open_store=kept.open_store)
        app.call("toy_note", {"text": "newer"}, kept.caller())
        with pytest.raises(restoring.StoreInPlace):
            restoring.restore_bundles(taken, app.store)

    other = PostgresEngine(emptied_postgres, kept.schema(), namespace="restored")
    try:
        store = kept.store_on(other)
        heads = restoring.restore_bundles(backup.find_backup(tmp_path / "backups"), store)

        assert heads == taken.heads
        assert verify(store).findings == ()
    finally:
        other.close()


@pytest.fixture
def writers(store: Path, request: pytest.FixtureRequest) -> Iterator[list[Path]]:
    """Processes that write all the while; gives what each said it was told."""
    said = [store.with_name(f"writer-{number}") for number in range(request.param)]
    with ExitStack() as stack:
        for path in said:
            stack.enter_context(writing(store, path))
        wait_until(lambda: all(path.stat().st_size for path in said), "the writers never began")
        yield said


@contextmanager
def writing(store: Path, said: Path) -> Iterator[None]:
    with said.open("wb") as file:
        command = [sys.executable, "-c", WRITER, str(store), said.name]
        process = subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=file)
        try:
            yield
        finally:
            process.kill()
            process.wait(PATIENCE_S)


def acknowledged(said: list[Path]) -> set[tuple[int, str]]:
    lines = [line for path in said for line in path.read_text().splitlines(keepends=True)]
    whole = [line.split() for line in lines if line.endswith("\n")]
    return {(int(seq), digest) for seq, digest in whole}


def check_under_writers(store: Path, said: list[Path], target: Path, times: int) -> None:
    first = acknowledged(said)
    for number in range(times):
        before = acknowledged(said)
        taken = take(store, target / "backups", f"2026-01-0{number + 1}T00:00:00.000000Z")
        restored = target / f"restored-{number}"
        restoring.restore_folder(taken, restored, open_store=kept.open_store)

        with opened(restored) as app:
            found = verify(app.store)
            entries = app.store.read(kept.PROJECT, lambda tx: tx.entries(after=0, limit=1_000_000))
        assert found.findings == ()
        assert before <= {(entry.seq, entry.hash) for entry in entries}
    assert len(acknowledged(said)) > len(first), "nobody wrote meanwhile"


@pytest.mark.parametrize("writers", [1], indirect=True)
def test_a_backup_under_a_writer_holds_all_that_was_acknowledged(
    store: Path, writers: list[Path], tmp_path: Path
) -> None:
    check_under_writers(store, writers, tmp_path, times=1)


@pytest.mark.slow("eight processes write while backups are taken and restored")
@pytest.mark.parametrize("writers", [8], indirect=True)
def test_backups_under_eight_writers_hold_all_that_was_acknowledged(
    store: Path, writers: list[Path], tmp_path: Path
) -> None:
    check_under_writers(store, writers, tmp_path, times=8)
