"""A redaction or collection killed at any point is done or undone, and can be finished."""

from pathlib import Path

import pytest

from hansard.app.keeping.redaction import NothingToRedact
from hansard.app.redacted import Redacted
from hansard.kernel.blob import digest_of
from tests.app import keeping_scenes as scenes
from tests.app import kept
from tests.crash.harness import Aftermath, Point, killed_at, killed_everywhere, needs_strace
from tests.crash.stage import Scene

pytestmark = needs_strace

POINTS = [
    (scenes.redact, Point("redact", "fdatasync", 1)),
    (scenes.redact, Point("redact", "unlink", 2)),
    (scenes.redact, Point("redact", "ftruncate", 1)),
    (scenes.gc, Point("gc", "fdatasync", 1)),
    (scenes.gc, Point("gc", "pwrite64", 8)),
]


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    (tmp_path / "prepared").mkdir()
    scenes.a_store_with_a_secret(tmp_path / "prepared")
    return tmp_path / "prepared"


def faults(after: Aftermath) -> list[str]:
    """Verify, see that all or nothing was done, then finish it and scan the files."""
    folder = after.folder / scenes.STORE
    found = kept.faults(folder)
    with kept.opened(folder) as app:
        entries = app.store.read(kept.PROJECT, lambda tx: tx.entries(limit=1_000))
        was_done = any(entry.kind == Redacted.kind for entry in entries)
        try:
            scenes.erase_secret(app)
            if was_done:
                found.append("it said that it was done, and was not")
        except NothingToRedact:
            if not was_done:
                found.append("it was done, and does not say so")
        scenes.collect_all(app)
    found += kept.faults(folder)
    paths = [path for path in folder.rglob("*") if path.is_file()]
    left = [path.name for path in paths if scenes.SECRET in path.read_bytes()]
    left += [path.name for path in paths if path.name == digest_of(scenes.LARGE)[2:]]
    return found + [f"{name} still has it" for name in left]


@pytest.mark.holds("ALL-04.5")
@pytest.mark.parametrize(
    ("scene", "point"), POINTS, ids=lambda one: getattr(one, "call", None) or one.__name__
)
def test_a_kill_at_some_points_leaves_it_done_or_undone(
    prepared: Path, tmp_path: Path, scene: Scene, point: Point
) -> None:
    after = killed_at(point, scene, prepared, tmp_path)

    assert after is not None, "the scene does not come to it"
    assert faults(after) == []


@pytest.mark.slow("kills a process at every change that it makes to files")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("scene", [scenes.redact, scenes.gc], ids=["redact", "gc"])
def test_a_kill_at_any_point_leaves_it_done_or_undone(
    prepared: Path, tmp_path: Path, scene: Scene
) -> None:
    gates = (scene.__name__,)
    afters = killed_everywhere(scene, prepared, tmp_path, gates=gates)

    found = {after.point: faults(after) for after in afters}

    assert found
    assert {point: one for point, one in found.items() if one} == {}
