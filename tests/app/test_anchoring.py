"""Anchors are noted by themselves, and show a store that was rolled back or rewritten."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hansard.app import anchoring
from hansard.app.anchoring import anchors
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.verify import Report, verify
from hansard.kernel.event import Head, Receipt
from hansard.kernel.problem import InvalidInput
from tests.app import kept
from tests.cli.running import Hansard
from tests.patience import wait_until

pytestmark = pytest.mark.fault("tampering")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "elsewhere" / "anchors"


@pytest.fixture(autouse=True)
def _elsewhere(file: Path) -> None:
    file.parent.mkdir()


@contextmanager
def opened(folder: Path, file: Path) -> Iterator[Application]:
    app = start(Settings(store=str(folder / "store"), anchor_file=str(file)))
    try:
        yield app
    finally:
        app.close()


def write(folder: Path, file: Path, title: str = "A record") -> None:
    with opened(folder, file) as app:
        app.call("create_record", kept.RECORD | {"title": title}, kept.caller())


def look(folder: Path, file: Path) -> Report:
    app = start(Settings(store=str(folder / "store"), read_only=True))
    try:
        return verify(app.store, anchored=file, quick=True)
    finally:
        app.close()


def test_every_process_that_writes_leaves_an_anchor(tmp_path: Path, file: Path) -> None:
    write(tmp_path, file)
    first = dict(anchors(file))
    write(tmp_path, file)

    assert first.keys() == {"@catalog", "default"}
    assert dict(anchors(file))["default"].seq > first["default"].seq
    assert file.stat().st_mode & 0o077 == 0
    assert look(tmp_path, file).exit_code == 0


def test_who_writes_nothing_notes_nothing(tmp_path: Path, file: Path) -> None:
    write(tmp_path, file)
    before = file.read_bytes()

    with opened(tmp_path, file) as app:
        app.call("list_projects", {}, kept.caller())

    assert file.read_bytes() == before


def test_a_server_notes_while_it_runs(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anchoring, "EVERY_S", 0.01)
    with opened(tmp_path, file) as app:
        app.follow()
        app.call("create_record", kept.RECORD, kept.caller())
        head = app.store.engine.heads()["default"]

        wait_until(lambda: file.exists() and dict(anchors(file)).get("default") == _at(head))


def _at(head: Head) -> Receipt:
    return Receipt(head.seq, head.hash)


def rolled_back(tmp_path: Path, file: Path) -> None:
    """Write, copy, write on, and put the copy in the store's place."""
    write(tmp_path, file)
    shutil.copytree(tmp_path / "store", tmp_path / "earlier")
    write(tmp_path, file)
    shutil.rmtree(tmp_path / "store")
    (tmp_path / "earlier").rename(tmp_path / "store")


def test_a_store_that_was_rolled_back_is_found(tmp_path: Path, file: Path) -> None:
    rolled_back(tmp_path, file)

    report = look(tmp_path, file)

    assert report.exit_code == 2
    assert {(one.check, one.project) for one in report.findings} == {("anchors", "default")}


def test_a_store_that_went_on_since_is_still_found(
    tmp_path: Path, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rolled_back(tmp_path, file)
    noted = dict(anchors(file))["default"]

    for number in range(5):
        write(tmp_path, file, f"another way {number}")

    assert dict(anchors(file))["default"] == noted
    assert look(tmp_path, file).exit_code == 2
    assert "rolled back" in caplog.text


def test_a_store_that_is_gone_is_found(tmp_path: Path, file: Path) -> None:
    write(tmp_path, file)
    shutil.rmtree(tmp_path / "store")
    with opened(tmp_path, tmp_path / "other"):
        pass

    assert look(tmp_path, file).exit_code == 2


def test_a_line_that_a_crash_tore_spoils_no_other(tmp_path: Path, file: Path) -> None:
    write(tmp_path, file)
    with file.open("ab") as torn:
        torn.write(b"default 1")
    write(tmp_path, file)

    with opened(tmp_path, file) as app:
        head = app.store.engine.heads()["default"]
    assert dict(anchors(file))["default"] == _at(head)
    assert look(tmp_path, file).exit_code == 0


def test_a_file_in_the_store_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(InvalidInput, match="rolled back"),
        opened(tmp_path, tmp_path / "store" / "anchors"),
    ):
        pass


def test_a_file_that_cannot_be_written_stops_nobody_and_is_told(
    tmp_path: Path, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file.mkdir()

    write(tmp_path, file)

    assert "No anchor can be noted" in caplog.text
    assert look(tmp_path, file).exit_code == 3


def test_verify_takes_no_argument_for_it(tmp_path: Path, file: Path) -> None:
    hansard = Hansard(tmp_path)
    write(tmp_path, file)
    environment = {"HANSARD_ANCHOR_FILE": str(file)}

    assert hansard("verify", **environment).code == 0
    rolled = file.read_text().replace("default ", "default 9")
    file.write_text(rolled)
    ran = hansard("verify", **environment)

    assert ran.code == 2
    assert "broken default anchors: default does not have s:9" in ran.out
    file.unlink()
    assert hansard("verify", **environment).code == 1
