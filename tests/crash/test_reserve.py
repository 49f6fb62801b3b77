"""A disk that fills up between an intent and its outcome: the outcome still gets through."""

import json
import os
import secrets
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import pytest

from hansard.app import start
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.verify import verify
from hansard.engines.sqlite.database import DATABASE
from hansard.engines.sqlite.engine import WRITE_LOCK, SqliteEngine
from hansard.engines.sqlite.files import WriteLock
from hansard.engines.sqlite.reserve import (
    DATABASE_SHARE,
    RESERVE,
    RESERVE_BYTES_MAX,
    RESERVE_BYTES_MIN,
    Reserve,
)
from hansard.kernel.effect import open_intents
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import Store
from hansard.recorder.workspace.files import Workspace
from tests.app import kept
from tests.cli.running import Hansard, write_sessions
from tests.crash import checks
from tests.patience import wait_until
from tests.recorder.ground import needs_root
from tests.toy import Noted

pytestmark = [pytest.mark.root, pytest.mark.fault("disk full")]

DISK_BYTES = 32 << 20
OLD, NEW = "the old text\n", "the new text\n"


class Disk:
    """A small file system that can be filled to the brim, and emptied."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self, *, leaving: int = 0) -> None:
        """Take all the room there is, but for so many bytes."""
        with self._ballast.open("ab", buffering=0) as file, suppress(OSError):
            while file.write(bytes(1 << 12)):
                pass
        with self._ballast.open("ab") as file:
            file.truncate(max(file.tell() - leaving, 0))

    def empty(self) -> None:
        self._ballast.unlink()


@pytest.fixture
def system() -> str:
    """Name the file system of the store's disk."""
    return "tmpfs"


@pytest.fixture
def disk(tmp_path: Path, system: str) -> Iterator[Disk]:
    with mounted(tmp_path / "disk", system) as disk:
        yield disk


@contextmanager
def mounted(folder: Path, system: str = "tmpfs") -> Iterator[Disk]:
    needs_root("mounts a disk")
    folder.mkdir()
    if system == "tmpfs":
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs"]
    else:
        image = folder.with_suffix(".ext4")
        with image.open("wb") as file:
            file.truncate(DISK_BYTES)
        # As root one could also fill what is kept aside for root.
        subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", image], check=True)
        mount = ["mount", "-o", "loop", str(image)]
    subprocess.run([*mount, folder], check=True)
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.fixture
def store(disk: Disk) -> Path:
    return disk.folder / "store"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Lies on another disk than the store, one with room."""
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "a").write_text(OLD)
    return folder


@contextmanager
def opened(store: Path, workspace: Path) -> Iterator[Application]:
    app = start.start(Settings(store=str(store), workspace=str(workspace), embedder="none"))
    try:
        yield app
    finally:
        app.close()


AGENT = Caller(Actor("agent", "writer", "agent"), seat=Seat())


def ask(app: Application, name: str, key: str | None = None, **arguments: Any) -> Any:
    caller = Caller(AGENT.actor, seat=AGENT.seat, idempotency_key=key)
    return app.call(name, arguments, caller)


def edit(app: Application, content: str, **more: Any) -> Any:
    return ask(app, "file_op", action="edit", path="a", content=content, **more)


@pytest.fixture
def filled_while_acting(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Someone else takes all the room of the store's disk just before the file is changed."""
    replace = Workspace.replace

    def fill_first(*arguments: Any, **named: Any) -> Any:
        disk.fill()
        return replace(*arguments, **named)

    monkeypatch.setattr(Workspace, "replace", fill_first)


@pytest.mark.usefixtures("filled_while_acting")
@pytest.mark.parametrize(("system", "key"), [("tmpfs", None), ("tmpfs", "once"), ("ext4", None)])
def test_an_outcome_is_recorded_on_a_full_disk(
    store: Path, workspace: Path, key: str | None
) -> None:
    with opened(store, workspace) as app:
        ask(app, "record_session_start", title="Before")
        answer = edit(app, NEW, key=key)

        assert [one.status for one in answer.results] == ["done"]
        assert open_intents(app.store, "default") == []
        assert verify(app.store).exit_code == 0
        assert 0 < (store / RESERVE).stat().st_size < RESERVE_BYTES_MIN
        with pytest.raises(StorageUnavailable, match="full"):
            ask(app, "audit_event", type="note", description="n" * 5_000)
        if key:
            assert edit(app, NEW, key=key) == answer

    with opened(store, workspace) as app:
        head = app.store.engine.heads()["default"]
        assert (head.seq, head.hash) >= (answer.receipt.seq, answer.receipt.hash)
        assert checks.findings(app) == []
    assert (workspace / "a").read_text() == NEW


@pytest.mark.usefixtures("filled_while_acting")
def test_without_the_reserve_the_outcome_would_be_unknown(
    store: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Reserve, "spend", lambda _: False)

    with opened(store, workspace) as app:
        ask(app, "record_session_start", title="Before")
        with pytest.raises(StorageUnavailable) as refused:
            edit(app, NEW)

        assert refused.value.details["outcome"] == "unknown"
        assert len(open_intents(app.store, "default")) == 1
        assert verify(app.store).exit_code == 0, "its owner lives, so it is not drift"


@pytest.mark.holds("ALL-06.41")
def test_an_intent_that_finds_no_room_changes_nothing(
    disk: Disk, store: Path, workspace: Path
) -> None:
    with opened(store, workspace) as app:
        ask(app, "record_session_start", title="Before")
        disk.fill()
        with pytest.raises(StorageUnavailable) as refused:
            edit(app, NEW)

        assert refused.value.details["outcome"] == "not_written"
        assert open_intents(app.store, "default") == []
        assert (store / RESERVE).stat().st_size == RESERVE_BYTES_MIN
        assert (workspace / "a").read_text() == OLD
        disk.empty()
        assert edit(app, NEW).results[0].status == "done"


@pytest.mark.usefixtures("filled_while_acting")
def test_the_reserve_is_made_anew_by_the_next_write_that_finds_room(
    disk: Disk, store: Path, workspace: Path
) -> None:
    with opened(store, workspace) as app:
        ask(app, "record_session_start", title="Before")
        edit(app, NEW)
        disk.empty()
        ask(app, "audit_event", type="note", description="there is room")

        assert (store / RESERVE).stat().st_size == RESERVE_BYTES_MIN


def test_the_reserve_is_made_anew_when_the_store_is_opened(store: Path, workspace: Path) -> None:
    with opened(store, workspace):
        (store / RESERVE).unlink()
    with opened(store, workspace):
        assert (store / RESERVE).stat().st_blocks * 512 >= RESERVE_BYTES_MIN


def test_the_reserve_never_takes_the_last_room(disk: Disk, store: Path, workspace: Path) -> None:
    with opened(store, workspace):
        (store / RESERVE).unlink()
    disk.fill(leaving=RESERVE_BYTES_MIN * 3 // 2)
    with opened(store, workspace) as app:
        ask(app, "record_session_start", title="Without a reserve")
        assert not (store / RESERVE).exists()


@pytest.mark.parametrize(
    ("room", "status"), [(4 * RESERVE_BYTES_MIN, "ok"), (RESERVE_BYTES_MIN, "warn")]
)
def test_the_doctor_says_whether_the_reserve_is_in_place(
    disk: Disk, room: int, status: str
) -> None:
    hansard = Hansard(disk.folder)
    write_sessions(hansard, ["default.1"])
    (hansard.store / RESERVE).unlink()
    disk.fill(leaving=room)

    shown = json.loads(hansard("doctor", "--json", HANSARD_EMBEDDER="none").out)

    assert [one["status"] for one in shown["checks"] if one["what"] == "reserve"] == [status]


def test_a_backup_has_no_reserve(disk: Disk, tmp_path: Path) -> None:
    hansard = Hansard(disk.folder)
    write_sessions(hansard, ["default.1"])

    assert hansard("backup", str(tmp_path / "backups")).code == 0
    restored = tmp_path / "restored"
    assert hansard("restore-backup", str(tmp_path / "backups"), "--store", str(restored)).code == 0

    assert (hansard.store / RESERVE).exists()
    assert [*(tmp_path / "backups").rglob(RESERVE), *restored.rglob(RESERVE)] == []


def test_the_reserve_is_larger_where_outcomes_are(store: Path, workspace: Path) -> None:
    with opened(store, workspace) as app:
        ask(app, "record_session_start", title="Before")
        for _ in range(30):
            kept.keep(app.store, os.urandom(60_000))
    size = (store / DATABASE).stat().st_size
    assert RESERVE_BYTES_MIN < size // DATABASE_SHARE < RESERVE_BYTES_MAX

    with opened(store, workspace):
        assert (store / RESERVE).stat().st_size == size // DATABASE_SHARE


def test_what_shares_a_commit_with_an_outcome_does_not_share_its_room(
    disk: Disk, store: Path
) -> None:
    with kept.opened(store, embedder="none") as app, ThreadPoolExecutor() as pool:
        kept.fill(app)
        turn = WriteLock(store / WRITE_LOCK)
        disk.fill()
        with turn.turn():
            urgent = [False, False, True, False, True]
            jobs = cast("SqliteEngine", app.store.engine)._group._jobs
            writes = [pool.submit(write_note, app.store, urgent=urgent[0])]
            wait_until(lambda: is_waited_for(store / WRITE_LOCK))
            # The first waits for its turn, and all the others behind it.
            writes += [pool.submit(write_note, app.store, urgent=one) for one in urgent[1:]]
            wait_until(lambda: jobs.qsize() == len(urgent) - 1)
        outcomes = [type(write.exception()) for write in writes]
        turn.close()

        assert outcomes == [type(None) if one else StorageUnavailable for one in urgent]
        assert verify(app.store).exit_code == 0


def is_waited_for(lock: Path) -> bool:
    """Whether somebody waits in line for a lock, as the system tells."""
    name = f":{lock.stat().st_ino} "
    lines = Path("/proc/locks").read_text().splitlines()
    return any("->" in line and name in line for line in lines)


def write_note(store: Store, *, urgent: bool) -> None:
    note = Noted(id=f"T{1_000 + secrets.randbelow(10**6)}", text=os.urandom(5_000).hex())
    store.write(kept.PROJECT, lambda tx: store.record(tx, note, kept.STAMP), urgent=urgent)


def test_a_full_disk_lets_what_a_dead_process_left_open_be_settled(
    disk: Disk, store: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with opened(store, workspace) as app, monkeypatch.context() as patch:
        ask(app, "record_session_start", title="Before")
        patch.setattr(Workspace, "replace", die)
        with pytest.raises(KeyboardInterrupt):
            edit(app, NEW)
    disk.fill()
    with opened(store, workspace) as app:
        assert open_intents(app.store, "default") == []
        assert (store / RESERVE).stat().st_size < RESERVE_BYTES_MIN
    # Not even the little is there that reading needs, once the room kept aside is gone, too.
    (store / RESERVE).unlink()
    (store / f"{DATABASE}-shm").unlink(missing_ok=True)
    disk.fill()
    with pytest.raises(StorageUnavailable, match="full"), opened(store, workspace):
        pass


@pytest.mark.slow("fills a disk to many different levels")
def test_however_little_room_is_left_an_edit_is_done_or_leaves_nothing(
    tmp_path: Path, record_property: Any
) -> None:
    statuses = {}
    for pages in range(0, 64, 2):
        place = tmp_path / f"{pages}"
        place.mkdir()
        statuses[pages] = _edited_with(place, pages << 12)

    record_property("points", len(statuses))
    assert set(statuses.values()) == {"done", "done on the reserve", "not_written"}


def _edited_with(place: Path, room: int) -> str:
    (place / "ws").mkdir()
    (place / "ws" / "a").write_text(OLD)
    with mounted(place / "disk") as disk, opened(disk.folder / "s", place / "ws") as app:
        ask(app, "record_session_start", title="Before")
        disk.fill(leaving=room)
        try:
            edit(app, NEW)
        except StorageUnavailable as refused:
            assert (place / "ws" / "a").read_text() == OLD
            return str(refused.details["outcome"])
        finally:
            assert open_intents(app.store, "default") == []
            assert (disk.folder / "s" / DATABASE).exists()
        whole = (disk.folder / "s" / RESERVE).stat().st_size
        return "done" if whole == RESERVE_BYTES_MIN else "done on the reserve"
