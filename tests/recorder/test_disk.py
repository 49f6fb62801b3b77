"""What reaches the disk and in which order, and what is left when the disk or the power fails."""

import re
import subprocess
from pathlib import Path

import pytest

from hansard.kernel.blob import digest_of
from hansard.kernel.problem import StorageUnavailable
from hansard.recorder.workspace.files import Workspace
from hansard.recorder.workspace.temporaries import PREFIX
from tests.crash.harness import calls_in, needs_strace, playing, traced
from tests.crash.stage import Scene
from tests.recorder import scenes
from tests.recorder.ground import NEW, OLD, OWNER, Ground, at, fingerprints, needs_root
from tests.recorder.workspace_drills import WHOLE, files, prepare

CALLS = "trace=write,fsync,mkdirat,mkdir,renameat2,renameat,rename,unlinkat,unlink"
ORDERS: dict[Scene, list[str]] = {
    scenes.create: [
        r"mkdirat\(.*/ws>, \"d\"",
        r"fsync\(.*/ws>",
        r"write\(.*/ws/d/{tmp}>",
        r"fsync\(.*/ws/d/{tmp}>",
        r"renameat2\(.*{tmp}\", .*\"new\", RENAME_NOREPLACE",
        r"fsync\(.*/ws/d>",
    ],
    scenes.edit: [
        r"write\(.*/ws/{tmp}>",
        r"fsync\(.*/ws/{tmp}>",
        r"renameat2\(.*{tmp}\", .*\"f\", RENAME_EXCHANGE",
        r"unlinkat\(.*{tmp}\"",
        r"fsync\(.*/ws>",
    ],
    scenes.delete: [
        r"renameat2\(.*\"f\", .*{tmp}\", RENAME_NOREPLACE",
        r"unlinkat\(.*{tmp}\"",
        r"fsync\(.*/ws>",
    ],
    scenes.move: [
        r"mkdirat\(.*/ws>, \"d\"",
        r"fsync\(.*/ws>",
        r"renameat2\(.*\"f\", .*/ws/d>, \"new\", RENAME_NOREPLACE",
        r"fsync\(.*/ws/d>",
        r"fsync\(.*/ws>",
    ],
}


@needs_strace
@pytest.mark.parametrize("scene", ORDERS, ids=lambda scene: scene.__name__)
def test_everything_is_durable_before_it_is_done(scene: Scene, tmp_path: Path) -> None:
    prepare(scene, tmp_path)

    with playing(scene, tmp_path) as child:
        child.until("deed")
        with traced(child, "-e", CALLS) as output:
            child.go_on()
            child.until("after")
        made = [call.text for call in calls_in(output) if "/ws" in call.text]

    # A new file's temporary name is gone by the time it is removed; the call is made all the same.
    made = [text for text in made if "ENOENT" not in text]
    patterns = [order.replace("{tmp}", rf"{PREFIX}[\w-]+") for order in ORDERS[scene]]
    assert [bool(re.match(p, t)) for p, t in zip(patterns, made, strict=True)] == [True] * len(made)


FAULTS: list[tuple[Scene, str, str, str]] = [
    (scenes.edit, "fsync:error=EIO:when=1", "unchanged", "STORAGE_UNAVAILABLE"),
    (scenes.edit, "fsync:error=EIO:when=2", "unknown", "STORAGE_UNAVAILABLE"),
    (scenes.edit, "fsync:error=ENOSPC:when=1", "unchanged", "done"),
    (scenes.edit, "fsync:error=ENOSPC:when=2", "unknown", "STORAGE_UNAVAILABLE"),
    (scenes.edit, "renameat2:error=ENOSPC:when=1", "unchanged", "done"),
    (scenes.edit, "renameat2:error=EIO:when=1", "unknown", "STORAGE_UNAVAILABLE"),
    (scenes.edit, "openat2:error=EMFILE:when=3", "unchanged", "done"),
    (scenes.create, "mkdirat:error=EDQUOT:when=1", "unchanged", "done"),
    (scenes.create, "fsync:error=EDQUOT:when=2", "unchanged", "done"),
    (scenes.delete, "fsync:error=EIO:when=1", "unknown", "STORAGE_UNAVAILABLE"),
    (scenes.delete, "renameat2:error=EROFS:when=1", "unchanged", "done"),
    (scenes.move, "renameat2:error=EDQUOT:when=1", "unchanged", "done"),
    (scenes.move, "fsync:error=EIO:when=3", "unknown", "STORAGE_UNAVAILABLE"),
]


@pytest.mark.fault("sync fails (EIO)")
@needs_strace
@pytest.mark.parametrize(("scene", "fault", "outcome", "more"), FAULTS)
def test_an_error_is_not_taken_for_not_done(
    scene: Scene, fault: str, outcome: str, more: str, tmp_path: Path
) -> None:
    prepare(scene, tmp_path)
    was = files(tmp_path)

    with playing(scene, tmp_path) as child:
        child.until("deed")
        with traced(child, "-e", f"trace={fault.partition(':')[0]}", "-e", f"inject={fault}"):
            child.go_on()
            child.until("after")
        found = files(tmp_path)
        child.go_on()
        child.until("end")
        [told] = child.told

    assert told["deed"] == ["STORAGE_UNAVAILABLE", outcome]
    assert told["more"][0] == more
    assert found in (WHOLE[scene] if outcome == "unknown" else [was])
    if outcome == "unchanged":
        assert not (tmp_path / scenes.WORKSPACE / "d").exists()


@pytest.mark.fault("disk full")
def test_a_full_disk_is_said_so_and_leaves_the_file(ground: Ground) -> None:
    ground.mount("m", "-t", "tmpfs", "-o", "size=64k,nr_inodes=6", "tmpfs")
    root = ground.root / "m"
    (root / "f").write_bytes(OLD)
    was = fingerprints(root)

    with Workspace(root, owner=OWNER) as workspace:
        with pytest.raises(StorageUnavailable) as refused:
            workspace.replace(at("f"), bytes(1_000_000), expect=digest_of(OLD))
        with pytest.raises(StorageUnavailable):
            workspace.replace(at("a/b/c/d/e/f"), NEW, expect=None, make_parents=True)
        assert fingerprints(root) == was
        workspace.replace(at("f"), NEW, expect=digest_of(OLD))

    assert refused.value.details["reason"] == "ENOSPC"
    assert (root / "f").read_bytes() == NEW


@pytest.mark.fault("read-only")
def test_a_read_only_disk_is_said_so_and_can_be_read(ground: Ground) -> None:
    needs_root("mounts something")
    ground.mount("m", "-t", "tmpfs", "tmpfs")
    root = ground.root / "m"
    (root / "f").write_bytes(OLD)
    subprocess.run(["mount", "-o", "remount,ro", root], check=True)

    with Workspace(root, owner=OWNER) as workspace:
        with pytest.raises(StorageUnavailable) as refused:
            workspace.replace(at("f"), NEW, expect=digest_of(OLD))
        with pytest.raises(StorageUnavailable):
            workspace.delete(at("f"), expect=digest_of(OLD))
        state = workspace.read(at("f"))

    assert refused.value.details["reason"] == "EROFS"
    assert state is not None
    assert state.content == OLD
