"""What commands write for people is whole or not there, and why it is not is said in a sentence."""

import errno
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hansard.app.keeping.files import remove
from hansard.engines.sqlite import errors
from tests.cli import writing_scenes as scenes
from tests.cli.running import Ran
from tests.crash.overseeing import FAIL, FAIL_FROM, KILL, Strike
from tests.crash.player import Player, built
from tests.crash.player import player as player_with
from tests.crash.sweep import evenly
from tests.crash.test_reserve import mounted

Record = Callable[[str, object], None]

POINTS_FEW = 3
PLAIN = ("entities-export", "checkpoints-export")
"""Those that write lines and nothing else, over a file of before."""

REASONS = (
    *("No space left on device", "disk is full", "Input/output error", "disk failed"),
    "cannot be opened",
)
"""How the cause is told: by what the system calls it, or as the database does."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    scenes.prepare(folder)
    return folder


@pytest.fixture
def player() -> Player:
    library = built()
    if library is None:
        pytest.skip("no C compiler, or not Linux: the library that makes calls fail is not built")
    return player_with(library)


def left_in(out: Path) -> set[str]:
    """Name what is in a folder, but for the lock that backups share."""
    return {path.name for path in out.iterdir() if path.name != ".lock"} if out.exists() else set()


def run(name: str, folder: Path, out: Path, *flags: str) -> Ran:
    return scenes.hansard_in(folder)(*scenes.arguments(name, folder, out), *flags)


def is_sentence(ran: Ran, *reasons: str) -> bool:
    is_told = any(reason in ran.err for reason in reasons)
    return ran.code in (1, 2) and is_told and "bug" not in ran.err and "inside" not in ran.err


@pytest.mark.parametrize("name", scenes.COMMANDS)
def test_each_command_writes_what_it_should(prepared: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "not" / "there" / "yet"

    ran = run(name, prepared, out)

    assert ran.code == 0, ran.err
    assert len(left_in(out)) == 1


@pytest.mark.parametrize("name", scenes.COMMANDS)
def test_a_path_that_leads_through_a_file_is_said(
    prepared: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "file"
    out.write_text("mine")

    ran = run(name, prepared, out)

    assert is_sentence(ran, "Not a directory", "file"), ran
    assert out.read_text() == "mine"


@pytest.mark.root
@pytest.mark.fault("disk full")
@pytest.mark.parametrize("name", scenes.COMMANDS)
def test_a_full_disk_is_said_and_nothing_is_left(prepared: Path, tmp_path: Path, name: str) -> None:
    with mounted(tmp_path / "disk") as disk:
        out = disk.folder / "out"
        out.mkdir()
        disk.fill()

        ran = run(name, prepared, out)
        said = run(name, prepared, out, "--json")

        assert is_sentence(ran, *REASONS), ran
        # A store that was begun elsewhere is a store, and gone on with.
        assert left_in(out) <= ({"store"} if name == "push" else set())
        if name not in PLAIN:
            assert json.loads(said.out)["error"]["code"] == "STORAGE_UNAVAILABLE"
        disk.empty()
        assert run(name, prepared, out).code == 0


@pytest.mark.root
@pytest.mark.fault("read-only")
@pytest.mark.parametrize("name", scenes.COMMANDS)
def test_a_disk_that_cannot_be_written_is_said(prepared: Path, tmp_path: Path, name: str) -> None:
    with mounted(tmp_path / "disk") as disk:
        subprocess.run(["mount", "-o", "remount,ro", disk.folder], check=True)

        ran = run(name, prepared, disk.folder / "out")

    assert is_sentence(ran, "Read-only file system", "read-only"), ran


@pytest.mark.fault("library call")
@pytest.mark.parametrize("name", scenes.COMMANDS)
@pytest.mark.parametrize(
    ("what", "error"),
    [(FAIL, errno.EIO), (FAIL_FROM, errno.ENOSPC)],
    ids=["EIO", "ENOSPC for good"],
)
def test_what_fails_while_it_is_written_is_said_and_nothing_is_left(
    *,
    player: Player,
    prepared: Path,
    tmp_path: Path,
    record_property: Record,
    name: str,
    what: int,
    error: int,
) -> None:
    tried = points(player, prepared, tmp_path, name)
    for nth in tried:
        out = told_to(tmp_path, name, prepared)
        said = player.play(scenes.write, out, Strike("write", nth, what, error))

        assert said.last("bug") is None
        ran = Ran(**said.last("told"))
        # A second try may come through, and what only takes away may fail.
        assert ran.code == 0 or is_sentence(ran, *REASONS), (nth, ran)
        if what == FAIL and ran.code and name not in {"push", *PLAIN}:
            assert left_in(out) == set(), (nth, ran)
    record_property("points", len(tried))


@pytest.mark.fault("kill -9")
@pytest.mark.parametrize("name", sorted(scenes.COMMANDS.keys() - {"push"}))
def test_what_a_killed_command_left_is_gone_after_the_next(
    player: Player, prepared: Path, tmp_path: Path, record_property: Record, name: str
) -> None:
    tried = points(player, prepared, tmp_path, name)
    for nth in tried:
        out = told_to(tmp_path, name, prepared)
        said = player.play(scenes.write, out, Strike("write", nth, KILL))
        assert said.is_killed
        if name != "backup":
            # Killed after all was done: what has its name is whole, and would be left alone.
            for named in (one for one in left_in(out) if not one.startswith(".")):
                remove(out / named)

        ran = run(name, prepared, out)

        assert ran.code == 0, (nth, ran)
        assert not [one for one in left_in(out) if one.startswith(".")], nth
    record_property("points", len(tried))


def told_to(space: Path, name: str, prepared: Path) -> Path:
    """Say which command a scene shall run; gives an empty folder for what it writes."""
    out = space / "struck" / "out"
    shutil.rmtree(out.parent, ignore_errors=True)
    out.mkdir(parents=True)
    (out.parent / "command").write_text(f"{name}\n{prepared}")
    return out


def points(player: Player, prepared: Path, tmp_path: Path, name: str) -> list[int]:
    """Choose some of the calls at which a command changes a file."""
    out = told_to(tmp_path, name, prepared)
    met = int(player.play(scenes.write, out, Strike("write")).last("met") or 0)
    assert met
    return list(evenly(range(1, met + 1), POINTS_FEW))


@pytest.mark.parametrize("name", ["export", "replay", "export-to-vault", "export-to-jsonl"])
def test_what_is_there_already_is_left(prepared: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    assert run(name, prepared, out).code == 0
    before = {path: path.stat() for path in out.rglob("*")}

    ran = run(name, prepared, out)

    assert ran.code == 2
    assert "is there already" in ran.err
    assert {path: path.stat() for path in out.rglob("*")} == before


def test_who_has_read_enough_is_not_told_that_the_store_cannot_be_read() -> None:
    assert errors.refusal("The store cannot be read", BrokenPipeError()) is None
    assert errors.refusal("The store cannot be read", OSError(errno.EIO, "EIO"))
