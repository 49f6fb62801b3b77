"""What others do at the same moment: nothing escapes, blocks, or is overwritten unseen."""

import itertools
import os
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.recorder.problems import FileChanged, FileExists
from hansard.recorder.workspace.files import Workspace
from hansard.recorder.workspace.folder import Folder, open_root, turn
from tests.depth import deep
from tests.patience import PATIENCE_S, wait_until
from tests.recorder.ground import (
    CANARY,
    NEW,
    OLD,
    OTHER,
    Ground,
    act,
    at,
    fingerprints,
    overwrite,
)
from tests.recorder.swapper import swapping

SOON_S = PATIENCE_S
ROUNDS = [50, pytest.param(deep(300, 1_000), marks=pytest.mark.slow("races hundreds of times"))]
REFUSALS = {
    "PATH_OUTSIDE_WORKSPACE",
    "PATH_NOT_REGULAR",
    "FILE_CHANGED",
    "FILE_EXISTS",
    "FILE_NOT_FOUND",
}

Deed = Callable[[], object]


def edit(workspace: Workspace) -> None:
    workspace.replace(at("f"), NEW, expect=digest_of(OLD))


def delete(workspace: Workspace) -> None:
    workspace.delete(at("f"), expect=digest_of(OLD))


def move(workspace: Workspace) -> None:
    workspace.move(at("f"), at("a/g"), expect=digest_of(OLD), make_parents=True)


DEEDS = [edit, delete, move]


def code_of(deed: Deed) -> str:
    """Try something; gives the code of the refusal, or `done`."""
    try:
        deed()
    except Problem as problem:
        return problem.code
    return "done"


@pytest.mark.holds("FIL-path-11", "FIL-path-12")
@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("swapped", ["d", "d/e"])
@pytest.mark.parametrize("action", ["create", "edit", "delete"])
def test_a_folder_that_turns_into_a_link_leads_nowhere(
    workspace: Workspace, ground: Ground, action: str, swapped: str, rounds: int
) -> None:
    ground.set_up([("dir", "d/e"), ("symlink", "trap", "{OUT}")])
    if swapped == "d":
        (ground.out / "e").mkdir()
        (ground.out / "e" / "canary").write_text(CANARY)
    real = os.open(ground.root / "d/e", os.O_RDONLY)
    around, codes = ground.around(), Counter[str]()

    with swapping(ground.root / swapped, ground.root / "trap"):
        for number in range(rounds):
            name, content = ("canary" if action != "create" else f"new{number}"), b"%d" % number
            if action != "create":
                write(real, name, OLD)
            code = code_of(lambda: act(workspace, action, at(f"d/e/{name}"), content))  # noqa: B023
            codes[code] += 1
            if code == "done":
                assert read(real, name) == (None if action == "delete" else content)

    os.close(real)
    assert set(codes) <= {"done", *REFUSALS}
    assert ground.around() == around
    assert ground.leftovers() == []


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("kind", ["symlink", "fifo", "dir"])
@pytest.mark.parametrize("action", ["create", "edit", "delete"])
def test_a_file_that_turns_into_something_else_is_refused_or_written(
    workspace: Workspace, ground: Ground, action: str, kind: str, rounds: int
) -> None:
    trap, file = ground.root / "trap", ground.root / "f"
    ground.set_up([("symlink", "trap", "{OUT}/canary") if kind == "symlink" else (kind, "trap")])
    file.write_bytes(OLD)
    around, codes = ground.around(), Counter[str]()

    with swapping(file, trap):
        for number in range(rounds):
            content = b"%d" % number
            codes[code_of(lambda: act(workspace, action, at("f"), content))] += 1  # noqa: B023
            if action == "delete" and codes["done"]:
                break  # with one of the two gone there is nothing more to swap

    assert set(codes) <= {"done", *REFUSALS}
    assert ground.around() == around
    assert ground.leftovers() == []


@pytest.mark.parametrize("rounds", ROUNDS)
def test_a_read_never_follows_a_link_that_comes_and_goes(
    workspace: Workspace, ground: Ground, rounds: int
) -> None:
    ground.set_up([("dir", "d"), ("symlink", "trap", "{OUT}"), ("file", "d/canary", "inside")])
    seen = set[bytes]()

    def look() -> None:
        state = workspace.read(at("d/canary"))
        assert state is not None
        seen.add(state.content)

    with swapping(ground.root / "d", ground.root / "trap"):
        codes = Counter(code_of(look) for _ in range(rounds))

    assert seen <= {b"inside"}
    assert set(codes) <= {"done", "PATH_OUTSIDE_WORKSPACE"}


def test_the_race_catches_who_looks_before_opening(ground: Ground) -> None:
    """Prove that the test can fail: the usual way, realpath and a prefix, reads what it may not."""
    ground.set_up([("dir", "d"), ("symlink", "trap", "{OUT}"), ("file", "d/canary", "inside")])
    path, seen = ground.root / "d/canary", set[str]()

    with swapping(ground.root / "d", ground.root / "trap"):
        for _ in range(100_000):
            with suppress(OSError):  # it is confused itself when a link turns into a folder
                seen.add(looked_before_opening(path, ground.root))
            if CANARY in seen:
                break

    assert CANARY in seen


def looked_before_opening(path: Path, root: Path) -> str:
    """Read a file if it lies below the root, as most programs do it."""
    if not path.resolve().is_relative_to(root):
        return "refused"
    os.sched_yield()  # where few cores are shared, the neighbour must get its chance
    return path.read_text()


def test_of_many_who_expect_the_same_one_wins(workspace: Workspace, ground: Ground) -> None:
    """Compare and swap: what one acknowledged, nobody else who expected otherwise undoes."""
    before: Digest | None = None
    for number in range(30):
        won, refused = competed(workspace, [b"%d by %d" % (number, n) for n in range(6)], before)

        assert (len(won), len(refused)) == (1, 5)
        assert (ground.root / "f").read_bytes() == won[0]
        before = digest_of(won[0])
    assert ground.leftovers() == []


def competed(
    workspace: Workspace, contents: list[bytes], expect: Digest | None
) -> tuple[list[bytes], list[Problem]]:
    """Let a thread for each content try to write it; gives what was written and what refused."""
    won: list[bytes] = []
    refused: list[Problem] = []

    def compete(content: bytes) -> None:
        try:
            won.append(workspace.replace(at("f"), content, expect=expect).content)
        except (FileChanged, FileExists) as problem:
            refused.append(problem)

    threads = [threading.Thread(target=compete, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SOON_S)
    return won, refused


@pytest.mark.parametrize("deed", DEEDS)
def test_a_change_waits_for_its_turn(
    workspace: Workspace, file: Path, deed: Callable[[Workspace], None]
) -> None:
    """Three who swap at once could hand each other's files around; so one at a time."""
    ended = threading.Event()

    def run() -> None:
        deed(workspace)
        ended.set()

    thread = threading.Thread(target=run)
    with open_root(file.parent) as folder, turn(folder):
        thread.start()
        is_early = ended.wait(0.2)
        held = file.read_bytes()
    thread.join(SOON_S)

    assert not is_early
    assert held == OLD
    assert ended.is_set()


@pytest.mark.parametrize("deed", DEEDS)
def test_a_turn_that_never_comes_is_not_waited_for_without_end(
    workspace: Workspace,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    deed: Callable[[Workspace], None],
) -> None:
    monkeypatch.setattr("hansard.recorder.workspace.folder.TURN_WAIT_S", 0.05)

    with open_root(file.parent) as folder, turn(folder), pytest.raises(StorageUnavailable):
        deed(workspace)

    assert file.read_bytes() == OLD
    assert list(fingerprints(file.parent)) == ["f"]
    deed(workspace)


def write_into(path: Path) -> None:
    """Save as a shell does: into the file that is there."""
    path.write_bytes(OTHER)


@pytest.mark.parametrize("intrusion", [overwrite, write_into])
@pytest.mark.parametrize("deed", DEEDS)
def test_what_someone_wrote_at_the_last_moment_is_given_back(
    workspace: Workspace,
    file: Path,
    intrude: Callable[..., None],
    intrusion: Callable[[Path], None],
    deed: Callable[[Workspace], None],
) -> None:
    intrude(lambda: intrusion(file))

    with pytest.raises(FileChanged):
        deed(workspace)

    assert file.read_bytes() == OTHER
    assert list(fingerprints(file.parent)) == ["f"]


@pytest.mark.parametrize("deed", DEEDS)
def test_the_last_of_several_writers_wins(
    workspace: Workspace,
    file: Path,
    intrude: Callable[..., None],
    deed: Callable[[Workspace], None],
) -> None:
    intrude(lambda: overwrite(file), lambda: overwrite(file, b"later still"))

    with pytest.raises(FileChanged):
        deed(workspace)

    assert file.read_bytes() == b"later still"
    assert list(fingerprints(file.parent)) == ["f"]


@pytest.mark.parametrize("deed", DEEDS)
def test_a_link_put_in_place_at_the_last_moment_is_given_back(
    workspace: Workspace,
    ground: Ground,
    file: Path,
    intrude: Callable[..., None],
    deed: Callable[[Workspace], None],
) -> None:
    def swap() -> None:
        file.unlink()
        file.symlink_to(ground.out / "canary")

    around = ground.around()
    intrude(swap)

    with pytest.raises(FileChanged):
        deed(workspace)

    assert file.is_symlink()
    assert ground.around() == around
    assert list(fingerprints(ground.root)) == ["f"]


def test_a_file_that_appears_at_the_last_moment_is_kept(
    workspace: Workspace, ground: Ground, intrude: Callable[..., None]
) -> None:
    path = ground.root / "f"
    intrude(lambda: path.write_bytes(OTHER))

    with pytest.raises(FileExists):
        workspace.replace(at("f"), NEW, expect=None)

    assert path.read_bytes() == OTHER
    assert list(fingerprints(ground.root)) == ["f"]


def test_a_fifo_that_takes_the_place_of_a_file_makes_nobody_wait(
    workspace: Workspace, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, ended = Folder.stat, list[str]()

    def look_and_swap(folder: Folder, name: str) -> os.stat_result | None:
        stat = look(folder, name)
        file.unlink()
        os.mkfifo(file)
        return stat

    monkeypatch.setattr(Folder, "stat", look_and_swap)
    thread = threading.Thread(
        target=lambda: ended.append(code_of(lambda: workspace.read(at("f")))), daemon=True
    )
    thread.start()
    thread.join(SOON_S)

    assert ended == ["PATH_NOT_REGULAR"]


def test_a_folder_moved_away_is_not_written_to(workspace: Workspace, ground: Ground) -> None:
    """Between opening the folder and the last look, by way of the temporary file's name."""
    numbers = itertools.count()

    def is_moved_in_time() -> bool:
        name = f"d{next(numbers)}"
        ground.set_up([("dir", name)])
        moved = ground.out / name
        with watched(ground.root / name, moved):
            code = code_of(
                lambda: workspace.replace(at(f"{name}/f"), bytes(10_000_000), expect=None)
            )
        if code == "done":
            return False  # it was written before the other came to move the folder
        assert code in {"FILE_CHANGED", "FILE_NOT_FOUND"}
        assert list(moved.iterdir()) == []
        assert list((ground.root / name).iterdir()) == []
        return True

    wait_until(is_moved_in_time)


class watched:  # noqa: N801 - reads as a verb
    """Move a folder elsewhere as soon as something appears in it, and put another in its place."""

    def __init__(self, folder: Path, to: Path) -> None:
        self._folder, self._to = folder, to
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._thread.join(SOON_S)

    def _watch(self) -> None:
        while not os.listdir(self._folder):  # noqa: PTH208 - as fast as can be
            pass
        self._folder.rename(self._to)
        self._folder.mkdir()


def write(folder: int, name: str, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with open(os.open(name, flags, 0o644, dir_fd=folder), "wb") as file:  # noqa: PTH123
        file.write(content)


def read(folder: int, name: str) -> bytes | None:
    try:
        descriptor = os.open(name, os.O_RDONLY, dir_fd=folder)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123
        return file.read()
