"""A store takes the place of another only if nobody uses that one, and never half."""

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.app.keeping.backup import Backup, OpenStore, back_up
from hansard.app.keeping.repair import salvage
from hansard.app.keeping.restoring import StoreInPlace, StoreInUse, restore_folder
from hansard.engines.sqlite import copying, engine
from hansard.engines.sqlite.interim_name import between_name
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import Store
from hansard.recorder.workspace import linux
from tests.app import kept
from tests.app.kept import AT, opened


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with opened(tmp_path / "store") as app:
        kept.fill(app)
    return tmp_path / "store"


@pytest.fixture
def taken(store: Path, tmp_path: Path) -> Backup:
    """A backup, and a note that is newer."""
    with opened(store) as app:
        taken = back_up(app.store, store, tmp_path / "backups", at=AT, open_store=kept.open_store)
        app.call("toy_note", {"text": "newer"}, kept.caller())
    return taken


class Meanwhile:
    """Opens the stores that are asked for; at the first, somebody begins to use another."""

    def __init__(self, location: Path, stack: ExitStack) -> None:
        self.location = location
        self.stack = stack
        self.app: Application | None = None

    @contextmanager
    def open_store(self, folder: Path) -> Iterator[Store]:
        if self.app is None:
            self.app = self.stack.enter_context(opened(self.location))
            self.app.call("toy_note", {"text": "written meanwhile"}, kept.caller())
        with kept.open_store(folder) as found:
            yield found


def folders(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_store_that_was_begun_meanwhile_is_left_alone(taken: Backup, tmp_path: Path) -> None:
    before = folders(tmp_path)
    with ExitStack() as stack:
        meanwhile = Meanwhile(tmp_path / "new", stack)

        with pytest.raises(StoreInPlace):
            restore_folder(taken, tmp_path / "new", open_store=meanwhile.open_store)

        assert meanwhile.app is not None
        meanwhile.app.call("toy_note", {"text": "and after"}, kept.caller())
    assert kept.faults(tmp_path / "new") == []
    assert folders(tmp_path) == before | {"new"}


def restore(store: Path, taken: Backup, open_store: OpenStore) -> None:
    restore_folder(taken, store, open_store=open_store, force=True)


def repair(store: Path, taken: Backup, open_store: OpenStore) -> None:
    salvage(store, taken, open_store=open_store, stamp=kept.PERSON)


@pytest.mark.parametrize("replace", [restore, repair])
def test_a_store_that_came_into_use_meanwhile_is_left_alone(
    store: Path,
    taken: Backup,
    tmp_path: Path,
    replace: Callable[[Path, Backup, OpenStore], None],
) -> None:
    before = folders(tmp_path)
    with ExitStack() as stack:
        meanwhile = Meanwhile(store, stack)

        with pytest.raises(StoreInUse):
            replace(store, taken, meanwhile.open_store)

        assert meanwhile.app is not None
        said = meanwhile.app.call("toy_note", {"text": "and after"}, kept.caller())
    assert kept.heads(store)[kept.PROJECT][0] == said.model_dump()["receipt"]["seq"]
    assert folders(tmp_path) == before


def test_nobody_opens_a_store_while_it_changes_places(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 50)

    with copying.claimed(store) as is_free:
        assert is_free
        with pytest.raises(StorageUnavailable), opened(store):
            pass

    assert kept.faults(store) == []


def test_asking_whether_a_store_is_in_use_leaves_its_log_alone(store: Path, tmp_path: Path) -> None:
    with opened(store) as app:
        app.call("toy_note", {"text": "in the log"}, kept.caller())
        shutil.copytree(store, tmp_path / "cut off")
    log = tmp_path / "cut off" / "hansard.db-wal"
    before = log.read_bytes()

    with copying.claimed(tmp_path / "cut off") as is_free:
        assert is_free

    assert before
    assert log.read_bytes() == before


@pytest.fixture
def without_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system where two names cannot change places at once."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSYS, "not here")

    monkeypatch.setattr(linux, "renameat2", refuse)


@pytest.mark.usefixtures("without_exchange")
def test_stores_change_places_one_after_the_other_if_need_be(store: Path, taken: Backup) -> None:
    newer = kept.heads(store)

    _, aside = restore_folder(taken, store, open_store=kept.open_store, force=True)

    assert kept.heads(store) == taken.heads
    assert aside is not None
    assert kept.heads(aside) == newer


@pytest.mark.usefixtures("without_exchange")
def test_a_place_that_refuses_the_new_store_gets_the_old_one_back(
    store: Path, taken: Backup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, newer, rename = folders(tmp_path), kept.heads(store), Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if target == store and ".replaced-" in self.name:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)

    with pytest.raises(StorageUnavailable):
        restore_folder(taken, store, open_store=kept.open_store, force=True)

    assert kept.heads(store) == newer
    assert folders(tmp_path) == before


def test_no_store_is_begun_where_one_was_just_changing_places(store: Path, taken: Backup) -> None:
    newer = kept.heads(store)
    store.rename(between_name(store))

    with pytest.raises(StorageUnavailable, match="between"), opened(store):
        pass

    assert not store.exists()
    with pytest.raises(StoreInPlace):
        restore_folder(taken, store, open_store=kept.open_store)
    assert kept.heads(store) == newer


def test_a_store_is_replaced_where_a_link_leads(store: Path, taken: Backup, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(store)

    _, aside = restore_folder(taken, tmp_path / "link", open_store=kept.open_store, force=True)

    assert (tmp_path / "link").readlink() == store
    assert kept.heads(store) == taken.heads
    assert aside is not None
    assert not aside.is_symlink()


@pytest.mark.root
@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("mount") is None, reason="mounting needs root"
)
def test_a_mount_point_is_refused_before_anything_is_built(
    store: Path, taken: Backup, tmp_path: Path
) -> None:
    mounted = tmp_path / "a mount"
    mounted.mkdir()
    subprocess.run(["mount", "--bind", store, mounted], check=True)
    try:
        before = folders(tmp_path)
        with pytest.raises(StorageUnavailable, match="mount point"):
            restore_folder(taken, mounted, open_store=kept.open_store, force=True)
        assert folders(tmp_path) == before
    finally:
        subprocess.run(["umount", mounted], check=True)
