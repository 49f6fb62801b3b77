"""Whatever the umask, nobody but its owner can read or write anything that Hansard keeps."""

import base64
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.http.login_store import visits_of
from hansard.http.page_key import leave_key
from hansard.http.page_login import PageDoor
from hansard.kernel.follow import catch_up
from tests.cli.running import Hansard
from tests.conftest import a_caller
from tests.contract.everything_asked import SECRET, ask_everything

OTHERS = 0o077
RECORD = {"type": "t", "title": "T", "summary": "s"}


SLOW = pytest.mark.slow("does all that there is once more; the lenient one shows more")


@pytest.fixture(params=[pytest.param(0o000, id="000"), pytest.param(0o077, id="077", marks=SLOW)])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def seen_by_others(*folders: Path) -> dict[str, str]:
    """Name what others may do anything with."""
    found = {}
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            mode = stat.S_IMODE(path.lstat().st_mode)
            if mode & (OTHERS | 0o7000):
                found[str(path.relative_to(folder.parent))] = oct(mode)
    return found


def fill(settings: Settings, workspace: Path) -> None:
    """Ask everything of a store while it is looked at, and bring up to date what follows it."""
    app = start(settings)
    try:
        ask_everything(app, workspace)
        secret = f"KEY=ghp_{'a1B2' * 9}\n"
        app.call("file_op", {"action": "create", "path": ".env", "content": secret}, a_caller())
        large = base64.b64encode(os.urandom(300_000)).decode()
        app.call("file_op", {"action": "create", "path": "large", "content": large}, a_caller())
        for follower in app.followers:
            for project in app.store.engine.heads():
                catch_up(app.store, follower, project)
        assert seen_by_others(Path(settings.store)) == {}
    finally:
        app.close()


KEEPING = [
    ("backup", "{home}/backups/new"),
    ("backup", "{home}/backups/new"),
    ("export", "{project}", "{home}/out/project.bundle"),
    ("rebuild",),
    ("gc", "--apply", "--days", "0"),
    ("restore-backup", "{home}/backups/new", "--store", "{home}/kept/back/store"),
    ("restore-backup", "{home}/backups/new", "--store", "{home}/kept/back/store", "--force"),
    ("import", "{home}/out/project.bundle", "--store", "{home}/kept/taken/in/store"),
]


def test_nothing_that_is_kept_is_open_to_others(
    tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_SECRET", SECRET)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    workspace, hansard = tmp_path / "work", Hansard(tmp_path / "kept" / "deep")
    workspace.mkdir()
    keys = tmp_path / "keys" / "deep" / "key"
    settings = Settings(
        store=str(hansard.store),
        workspace=str(workspace),
        key_file=str(keys),
        embedder="none",
        review_window_s=0,
    )

    (tmp_path / "out").mkdir(mode=0o700)
    fill(settings, workspace)
    for command in KEEPING:
        parts = [part.format(home=tmp_path, project="default") for part in command]
        ran = hansard(*parts)
        assert ran.code == 0, (parts, ran)
    blob = max((hansard.store / "blobs").rglob("*"), key=lambda path: path.is_file())
    assert blob.is_file()
    blob.write_bytes(b"damaged")
    assert hansard("repair", "--from", str(tmp_path / "backups" / "new"), "--yes").code in (0, 1)
    door = PageDoor(visits_of(settings))
    assert door.enter(door.issue())
    assert leave_key(1, "http://localhost:1", door.key)

    assert keys.is_file()
    kept = ("kept", "keys", "backups", "out", "state")
    assert seen_by_others(*(tmp_path / name for name in kept)) == {}
    assert list(hansard.store.rglob("*.git"))
    assert umask in (0, OTHERS)


def test_what_an_earlier_version_left_open_is_closed_at_the_next_start_and_doctor_says_so(
    tmp_path: Path,
) -> None:
    hansard = Hansard(tmp_path)
    settings = Settings(store=str(hansard.store), workspace=str(tmp_path), embedder="none")
    app = start(settings)
    large = base64.b64encode(os.urandom(300_000)).decode()
    app.call("create_record", RECORD | {"body": large}, a_caller())
    app.close()
    for path in (hansard.store, *hansard.store.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)

    told = hansard("doctor").out

    assert "were open to others, and are not any more" in told
    assert seen_by_others(hansard.store) == {}
    assert "private" not in hansard("doctor").out


def test_what_is_not_ours_is_left_as_it_is(tmp_path: Path) -> None:
    settings = Settings(store=str(tmp_path), workspace=str(tmp_path), embedder="none")
    start(settings).close()
    other, link = tmp_path / "notes.txt", tmp_path / "locks" / "link"
    (tmp_path / "locks").mkdir(exist_ok=True)
    other.write_text("theirs")
    link.symlink_to(other)
    other.chmod(0o644)
    for path in (tmp_path, tmp_path / "locks"):
        path.chmod(0o755)

    start(settings).close()

    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path, other, tmp_path / "locks")]
    assert modes == [0o755, 0o644, 0o700]
