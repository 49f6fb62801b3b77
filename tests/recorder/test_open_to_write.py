"""A file that others have open to write into is left to them, and nothing they wrote is dropped."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import pytest

from hansard.kernel.blob import digest_of
from hansard.recorder.problems import FileChanged
from hansard.recorder.workspace import linux
from hansard.recorder.workspace.files import Workspace
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import FileState, Seen
from hansard.recorder.workspace.swapping import Keep, nothing
from tests.conftest import OpenApp, a_caller
from tests.recorder.asking import create, edit, evolution, sha256
from tests.recorder.ground import NEW, OLD, OTHER, at, fingerprints, overwrite

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tell")

LATER = b"later still\n"
Intrude = Callable[..., None]
Deed = Callable[[Workspace, Keep], object]


def replace(workspace: Workspace, keep: Keep = nothing) -> None:
    workspace.replace(at("f"), NEW, expect=digest_of(OLD), keep=keep)


def delete(workspace: Workspace, keep: Keep = nothing) -> None:
    workspace.delete(at("f"), expect=digest_of(OLD), keep=keep)


def move(workspace: Workspace, keep: Keep = nothing) -> None:
    workspace.move(at("f"), at("g"), expect=digest_of(OLD), keep=keep)


class Writers:
    """Programs that have a file open, and write into it when told."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._open: list[BinaryIO] = []

    def open(self, path: Path) -> None:
        """Open a file to write into."""
        self._open.append(self._stack.enter_context(path.open("r+b", buffering=0)))

    def write(self, content: bytes) -> None:
        """Write, and be done with it."""
        for file in self._open:
            file.write(content)
            file.truncate()
            file.close()


@pytest.fixture
def writers() -> Iterator[Writers]:
    with ExitStack() as stack:
        yield Writers(stack)


@pytest.mark.parametrize("deed", [replace, delete])
def test_what_is_open_to_write_is_not_taken_away(
    workspace: Workspace, file: Path, writers: Writers, deed: Deed
) -> None:
    writers.open(file)

    with pytest.raises(FileChanged, match="open in another program"):
        deed(workspace, nothing)

    writers.write(OLD)
    assert list(fingerprints(file.parent)) == ["f"]
    deed(workspace, nothing)
    assert not file.exists() or file.read_bytes() == NEW


@pytest.mark.parametrize("deed", [replace, delete])
def test_what_is_opened_at_the_last_moment_is_given_back(
    workspace: Workspace, file: Path, intrude: Intrude, writers: Writers, deed: Deed
) -> None:
    """Before the rename; the writing comes after it, when the file would have no name."""
    intrude(lambda: writers.open(file))

    with pytest.raises(FileChanged):
        deed(workspace, nothing)

    writers.write(OTHER)
    assert file.read_bytes() == OTHER
    assert list(fingerprints(file.parent)) == ["f"]


def test_what_is_opened_while_a_change_is_taken_back_stays_too(
    workspace: Workspace, file: Path, intrude: Intrude, writers: Writers
) -> None:
    """The second opens what we had put there, and writes into it when it would be gone."""
    kept: list[tuple[FilePath, Seen]] = []
    intrude(lambda: overwrite(file), lambda: writers.open(file))

    with pytest.raises(FileChanged):
        replace(workspace, lambda *one: kept.append(one))

    writers.write(LATER)
    assert file.read_bytes() == LATER
    assert [content(seen) for _, seen in kept] == [OTHER]


@pytest.mark.parametrize("deed", [replace, delete, move])
def test_what_the_last_of_several_writers_pushed_out_is_kept(
    workspace: Workspace, file: Path, intrude: Intrude, deed: Deed
) -> None:
    kept: list[tuple[FilePath, Seen]] = []
    intrude(lambda: overwrite(file), lambda: overwrite(file, LATER))

    with pytest.raises(FileChanged):
        deed(workspace, lambda *one: kept.append(one))

    assert file.read_bytes() == LATER
    assert [(str(path), content(seen)) for path, seen in kept] == [("f", OTHER)]
    assert list(fingerprints(file.parent)) == ["f"]


def test_where_a_refused_lease_says_nothing_it_is_not_believed(
    workspace: Workspace, file: Path, writers: Writers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Network file systems refuse leases as they please; nobody could change a file there."""
    monkeypatch.setattr(linux, "COUNTS_WRITERS", set[int]())
    writers.open(file)

    replace(workspace)

    assert file.read_bytes() == NEW


def test_what_was_pushed_out_is_in_the_record(
    open_app: OpenApp, files: Path, intrude: Intrude
) -> None:
    app, caller, path = open_app(), a_caller(), files / "f"
    create(app, caller, "f", OLD.decode())
    intrude(lambda: overwrite(path), lambda: overwrite(path, LATER))

    with pytest.raises(FileChanged):
        edit(app, caller, "f", NEW.decode())

    edit(app, caller, "f", NEW.decode())
    told = evolution(app, caller, path="f").revisions or ()
    assert [(one.source, one.sha256) for one in told[::-1]] == [
        ("executed", sha256(OLD.decode())),
        ("external", sha256(OTHER.decode())),
        ("external", sha256(LATER.decode())),
        ("executed", sha256(NEW.decode())),
    ]


def content(seen: Seen) -> bytes:
    assert isinstance(seen, FileState)
    return seen.content
