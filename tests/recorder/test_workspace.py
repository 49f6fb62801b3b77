"""The workspace reads, writes, moves and removes plain files, whole or not at all."""

import errno
import itertools
import os
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hansard.kernel.blob import digest_of
from hansard.kernel.limits import FILE_BYTES_MAX
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.recorder.problems import (
    FileChanged,
    FileExists,
    FileNotFound,
    FileNotPermitted,
    FileTooLarge,
    PathInvalid,
    PathNotRegular,
    PathOutsideWorkspace,
    PathProtected,
)
from hansard.recorder.workspace import linux
from hansard.recorder.workspace.files import Workspace
from hansard.recorder.workspace.states import FileState
from hansard.recorder.workspace.temporaries import new_name
from tests.patience import PATIENCE_S
from tests.recorder.ground import NEW, OLD, OWNER, Ground, at, fingerprints, needs_root

SOON_S = PATIENCE_S


def test_a_file_is_read_with_its_digest_and_mode(workspace: Workspace, file: Path) -> None:
    file.chmod(0o640)

    assert workspace.read(at("f")) == FileState(OLD, digest_of(OLD), 0o640)


@pytest.mark.parametrize("path", ["missing", "no/such/folder/f"])
def test_what_is_not_there_reads_as_nothing(workspace: Workspace, path: str) -> None:
    assert workspace.read(at(path)) is None


def test_create_makes_the_folders_and_obeys_the_umask(workspace: Workspace, ground: Ground) -> None:
    umask = os.umask(0o027)
    try:
        state = workspace.replace(at("a/b/c/f"), NEW, expect=None, make_parents=True)
    finally:
        os.umask(umask)

    assert state == workspace.read(at("a/b/c/f")) == FileState(NEW, digest_of(NEW), 0o640)
    assert (ground.root / "a/b").stat().st_mode & 0o777 == 0o750
    assert ground.leftovers() == []


def test_create_without_its_folder_is_not_found(workspace: Workspace, ground: Ground) -> None:
    with pytest.raises(FileNotFound):
        workspace.replace(at("a/f"), NEW, expect=None)
    assert fingerprints(ground.root) == {}


def test_create_does_not_overwrite(workspace: Workspace, file: Path) -> None:
    with pytest.raises(FileExists):
        workspace.replace(at("f"), NEW, expect=None)
    assert file.read_bytes() == OLD


def test_folders_made_for_a_file_that_could_not_be_are_removed(
    workspace: Workspace, ground: Ground
) -> None:
    (ground.root / "kept").mkdir()

    with pytest.raises(PathInvalid):
        workspace.replace(at("kept/a/b/" + "x" * 300), NEW, expect=None, make_parents=True)

    assert list(fingerprints(ground.root)) == ["kept"]


@pytest.mark.parametrize("mode", [0o444, 0o600, 0o755, 0o666])
def test_an_edit_keeps_the_mode(workspace: Workspace, file: Path, mode: int) -> None:
    file.chmod(mode)

    state = workspace.replace(at("f"), NEW, expect=digest_of(OLD))

    assert state == workspace.read(at("f")) == FileState(NEW, digest_of(NEW), mode)


def test_a_mode_can_be_given(workspace: Workspace, file: Path) -> None:
    workspace.replace(at("f"), NEW, expect=digest_of(OLD), mode=0o755)
    workspace.replace(at("g"), NEW, expect=None, mode=0o600)

    assert file.stat().st_mode & 0o777 == 0o755
    assert (file.parent / "g").stat().st_mode & 0o777 == 0o600


def test_an_edit_keeps_the_access_list_and_attributes(workspace: Workspace, file: Path) -> None:
    entries = [(1, 6, -1), (2, 6, 1234), (4, 4, -1), (16, 6, -1), (32, 0, -1)]
    access = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    try:
        os.setxattr(file, "user.note", b"kept")
        os.setxattr(file, "system.posix_acl_access", access)
    except OSError as error:
        pytest.skip(f"no such attributes here: {error.strerror}")

    workspace.replace(at("f"), NEW, expect=digest_of(OLD))

    assert os.getxattr(file, "user.note") == b"kept"
    assert os.getxattr(file, "system.posix_acl_access") == access
    assert file.read_bytes() == NEW


def test_an_edit_keeps_the_owner_where_it_may(workspace: Workspace, file: Path) -> None:
    needs_root("gives a file away")
    os.chown(file, 1234, 4321)

    workspace.replace(at("f"), NEW, expect=digest_of(OLD))

    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 4321)


def test_a_file_that_is_not_as_expected_is_left_alone(
    workspace: Workspace, ground: Ground, file: Path
) -> None:
    before, wrong = fingerprints(ground.root), digest_of(NEW)

    with pytest.raises(FileChanged) as refused:
        workspace.replace(at("f"), NEW, expect=wrong)
    with pytest.raises(FileChanged):
        workspace.delete(at("f"), expect=wrong)
    with pytest.raises(FileChanged):
        workspace.move(at("f"), at("a/g"), expect=wrong, make_parents=True)

    assert refused.value.details["sha256"] == digest_of(OLD)
    assert fingerprints(ground.root) == before


@pytest.mark.parametrize("path", ["missing", "no/folder"])
def test_what_is_missing_can_be_neither_edited_nor_deleted_nor_moved(
    workspace: Workspace, ground: Ground, path: str
) -> None:
    with pytest.raises(FileNotFound):
        workspace.replace(at(path), NEW, expect=digest_of(OLD), make_parents=True)
    with pytest.raises(FileNotFound):
        workspace.delete(at(path), expect=digest_of(OLD))
    with pytest.raises(FileNotFound):
        workspace.move(at(path), at("a/b"), expect=digest_of(OLD), make_parents=True)
    assert fingerprints(ground.root) == {}


def test_delete_removes_the_file(workspace: Workspace, ground: Ground, file: Path) -> None:
    workspace.delete(at("f"), expect=digest_of(OLD))

    assert fingerprints(ground.root) == {}


@pytest.mark.parametrize("to", ["g", "a/b/g"])
def test_move_gives_the_file_another_name(workspace: Workspace, file: Path, to: str) -> None:
    file.chmod(0o751)

    workspace.move(at("f"), at(to), expect=digest_of(OLD), make_parents=True)

    assert workspace.read(at("f")) is None
    assert workspace.read(at(to)) == FileState(OLD, digest_of(OLD), 0o751)


@pytest.mark.parametrize(
    ("to", "problem"),
    [("g", FileExists), ("f", FileExists), ("link", PathOutsideWorkspace), ("d", PathNotRegular)],
)
def test_move_replaces_nothing(
    workspace: Workspace, ground: Ground, file: Path, to: str, problem: type[Problem]
) -> None:
    ground.set_up([("file", "g", "g"), ("symlink", "link", "{OUT}/canary"), ("dir", "d")])
    before = fingerprints(ground.root)

    with pytest.raises(problem) as refused:
        workspace.move(at("f"), at(to), expect=digest_of(OLD))

    assert refused.value.details["path"] == to
    assert fingerprints(ground.root) == before


def test_a_file_at_the_limit_passes_and_one_byte_more_does_not(
    workspace: Workspace, ground: Ground
) -> None:
    most = bytes(FILE_BYTES_MAX)
    workspace.replace(at("f"), most, expect=None)

    with pytest.raises(FileTooLarge) as refused:
        workspace.replace(at("g"), most + b"x", expect=None)
    state = workspace.read(at("f"))

    assert state is not None
    assert state.content == most
    assert refused.value.details["limit_bytes"] == FILE_BYTES_MAX
    with pytest.raises(FileTooLarge):
        workspace.read(at("f"), FILE_BYTES_MAX - 1)
    assert list(fingerprints(ground.root)) == ["f"]


def test_a_giant_file_is_refused_without_being_read(workspace: Workspace, ground: Ground) -> None:
    ground.set_up([("sparse", "giant", str(1 << 40))])

    with pytest.raises(FileTooLarge):
        workspace.read(at("giant"))
    with pytest.raises(FileTooLarge):
        workspace.delete(at("giant"), expect=digest_of(OLD))
    with pytest.raises(FileExists):
        workspace.replace(at("giant"), NEW, expect=None)


@pytest.mark.holds("FIL-path-13", "FIL-path-14")
@pytest.mark.parametrize("kind", ["fifo", "sock", "dir"])
def test_what_is_no_file_is_refused_at_once(
    workspace: Workspace, ground: Ground, kind: str
) -> None:
    ground.set_up([(kind, "p")])
    deeds: list[Callable[[], object]] = [
        lambda: workspace.read(at("p")),
        lambda: workspace.replace(at("p"), NEW, expect=None),
        lambda: workspace.replace(at("p"), NEW, expect=digest_of(OLD)),
        lambda: workspace.delete(at("p"), expect=digest_of(OLD)),
        lambda: workspace.move(at("p"), at("q"), expect=digest_of(OLD)),
    ]
    refused: list[str] = []

    def run() -> None:
        for deed in deeds:
            try:
                deed()
            except Problem as problem:
                refused.append(problem.code)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(SOON_S)

    assert refused == ["PATH_NOT_REGULAR"] * len(deeds)


@pytest.mark.holds("FIL-path-13")
def test_a_device_is_refused(workspace: Workspace, ground: Ground) -> None:
    ground.set_up([("chr", "null", "1", "3")])

    with pytest.raises(PathNotRegular):
        workspace.read(at("null"))


@pytest.mark.holds("FIL-path-17")
def test_a_mount_of_another_disk_is_refused(workspace: Workspace, ground: Ground) -> None:
    ground.mount("m", "-t", "tmpfs", "tmpfs")
    (ground.root / "m/f").write_bytes(OLD)

    with pytest.raises(PathNotRegular):
        workspace.read(at("m/f"))
    with pytest.raises(PathNotRegular):
        workspace.replace(at("m/new"), NEW, expect=None)
    with pytest.raises(PathNotRegular):
        workspace.replace(at("m/a/new"), NEW, expect=None, make_parents=True)


@pytest.mark.holds("FIL-path-17")
def test_a_file_mounted_over_another_is_refused(workspace: Workspace, ground: Ground) -> None:
    ground.set_up([("file", "f", "below")])
    ground.mount("f", "--bind", str(ground.out / "canary"))

    with pytest.raises(PathNotRegular):
        workspace.read(at("f"))
    with pytest.raises(PathNotRegular):
        workspace.replace(at("f"), NEW, expect=digest_of(b"below"))


def test_paths_may_name_the_root_as_given_or_as_it_is(ground: Ground) -> None:
    link = ground.folder / "link-to-ws"
    link.symlink_to(ground.root)

    with Workspace(link, owner=OWNER) as workspace:
        for root in (link, ground.root):
            assert str(workspace.resolve(f"{root}/a/b", for_agent=True)) == "a/b"
        with pytest.raises(PathOutsideWorkspace):
            workspace.resolve(f"{ground.sibling}/canary", for_agent=True)


def test_a_store_in_the_workspace_is_protected(ground: Ground) -> None:
    link = ground.folder / "link"
    link.symlink_to(ground.root / "data")

    with Workspace(ground.root, owner=OWNER, store=link / "store") as workspace:
        for for_agent in (True, False):
            with pytest.raises(PathProtected):
                workspace.resolve("data/store/hansard.db", for_agent=for_agent)
        assert str(workspace.resolve("data/stores", for_agent=True)) == "data/stores"
    with Workspace(ground.root, owner=OWNER, store=ground.out) as workspace:
        assert str(workspace.resolve("data/store", for_agent=True)) == "data/store"


def test_protected_names_are_for_people(workspace: Workspace) -> None:
    with pytest.raises(PathProtected):
        workspace.resolve(".git/config", for_agent=True)
    assert str(workspace.resolve(".git/config", for_agent=False)) == ".git/config"


def test_a_root_that_was_moved_or_replaced_is_not_written_to(
    workspace: Workspace, ground: Ground
) -> None:
    moved = ground.root.rename(ground.folder / "moved")
    for replace in (None, ground.root.mkdir):
        if replace is not None:
            replace()
        with pytest.raises(StorageUnavailable):
            workspace.replace(at("f"), NEW, expect=None)
        with pytest.raises(StorageUnavailable):
            workspace.read(at("f"))
    assert fingerprints(moved) == fingerprints(ground.root) == {}


def test_only_dead_processes_temporaries_are_cleaned(workspace: Workspace, ground: Ground) -> None:
    ground.set_up([("dir", "a/b"), ("dir", ".git"), ("symlink", "out", "{OUT}")])
    dead, alive = new_name("owner-dead", "f"), new_name("owner-alive", "f")
    for folder in ("", "a/", "a/b/"):
        for name in (dead, alive, ".hansard-tmp-", ".hansard-tmp-x", "f"):
            (ground.root / f"{folder}{name}").write_bytes(OLD)
    (ground.root / new_name("owner-dead", "f")).mkdir()
    (ground.out / dead).write_bytes(OLD)
    is_dead = "owner-dead".__eq__

    beside = workspace.clean_temporaries(is_dead, [at("a/f"), at("a/g"), at("gone/f"), at("out/f")])
    everywhere = workspace.clean_temporaries(is_dead)

    assert (beside, everywhere, workspace.clean_temporaries(is_dead)) == (1, 2, 0)
    assert len(list(ground.root.rglob(alive))) == 3
    assert (ground.out / dead).exists()


def test_the_identity_is_that_of_the_folder(ground: Ground) -> None:
    link = ground.folder / "link"
    link.symlink_to(ground.root)

    first, again, other = [
        Workspace(root, owner=OWNER).identity() for root in (ground.root, link, ground.sibling)
    ]

    assert first == again
    assert first != other


@pytest.mark.parametrize(
    "looks", [10, pytest.param(200, marks=pytest.mark.slow("writes a thousand times"))]
)
def test_a_reader_sees_only_whole_files(workspace: Workspace, file: Path, looks: int) -> None:
    whole, seen, done = {OLD}, set[bytes](), threading.Event()

    def look() -> None:
        while not done.wait(0.0002):
            seen.add(file.read_bytes())

    reader = threading.Thread(target=look)
    reader.start()
    before = OLD
    for number in itertools.count():
        version = f"{number} ".encode() * 5_000
        whole.add(version)
        before = workspace.replace(at("f"), version, expect=digest_of(before)).content
        if len(seen) >= looks:
            break
    done.set()
    reader.join(SOON_S)

    assert seen <= whole


def test_permission_refused_by_the_system_is_said_so(workspace: Workspace, file: Path) -> None:
    needs_root("makes a file immutable")
    if subprocess.run(["chattr", "+i", file], check=False, capture_output=True).returncode:
        pytest.skip("files cannot be made immutable here")
    try:
        with pytest.raises(FileNotPermitted):
            workspace.replace(at("f"), NEW, expect=digest_of(OLD))
        with pytest.raises(FileNotPermitted):
            workspace.delete(at("f"), expect=digest_of(OLD))
    finally:
        subprocess.run(["chattr", "-i", file], check=True)

    assert file.read_bytes() == OLD
    assert list(fingerprints(file.parent)) == ["f"]


@pytest.mark.parametrize("has_links", [True, False], ids=["hard-links", "nothing"])
def test_a_file_system_that_can_only_rename_will_do(
    workspace: Workspace, ground: Ground, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    def cannot(*_: object, **__: object) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    monkeypatch.setattr(linux, "renameat2", cannot)
    if not has_links:
        monkeypatch.setattr(os, "link", cannot)

    workspace.replace(at("f"), OLD, expect=None)
    with pytest.raises(FileExists):
        workspace.replace(at("f"), NEW, expect=None)
    workspace.replace(at("f"), NEW, expect=digest_of(OLD))
    workspace.replace(at("h"), OLD, expect=None)
    workspace.move(at("f"), at("g"), expect=digest_of(NEW))
    workspace.delete(at("h"), expect=digest_of(OLD))

    assert list(fingerprints(ground.root)) == ["g"]
    assert (ground.root / "g").read_bytes() == NEW


@pytest.fixture
def without_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system on which two names cannot change places at once."""
    real = linux.renameat2

    def refusing(here: int, name: str, there: int, to: str, flags: int) -> None:
        if flags == linux.RENAME_EXCHANGE:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        real(here, name, there, to, flags)

    monkeypatch.setattr(linux, "renameat2", refusing)


@pytest.mark.usefixtures("without_exchange")
def test_without_exchange_a_file_is_replaced_whole(
    workspace: Workspace, file: Path, ground: Ground
) -> None:
    state = workspace.replace(at("f"), NEW, expect=digest_of(OLD))

    assert state == workspace.read(at("f"))
    assert file.read_bytes() == NEW
    assert ground.leftovers() == []


@pytest.mark.usefixtures("without_exchange")
def test_without_exchange_what_a_person_writes_meanwhile_is_not_lost(
    workspace: Workspace, file: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Workspace._written

    @contextmanager
    def slowly(*arguments: object, **named: object) -> Iterator[object]:
        with written(*arguments, **named) as made:  # type: ignore[arg-type]
            file.write_bytes(b"of a person")
            yield made

    monkeypatch.setattr(Workspace, "_written", slowly)

    with pytest.raises(FileChanged):
        workspace.replace(at("f"), NEW, expect=digest_of(OLD))

    assert file.read_bytes() == b"of a person"
    assert ground.leftovers() == []
