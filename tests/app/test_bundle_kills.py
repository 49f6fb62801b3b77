"""An import killed at any point leaves a sound store, and goes on when it is asked for again."""

from pathlib import Path

import pytest

from hansard.app.keeping.importing import import_project, look_through
from hansard.app.verify import verify
from tests.app import keeping_scenes as scenes
from tests.app import kept
from tests.crash.harness import Aftermath, Point, killed_at, killed_everywhere, needs_strace

pytestmark = needs_strace

POINTS = (
    Point("import", "fdatasync", 2),
    Point("import", "fdatasync", 4),
    Point("import", "rename", 1),
)


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    (tmp_path / "prepared").mkdir()
    scenes.a_store_and_a_bundle(tmp_path / "prepared")
    return tmp_path / "prepared"


def faults(after: Aftermath) -> list[str]:
    """Verify what is there, import once more, and compare the end with the bundle's."""
    bundle = after.folder / scenes.BUNDLE
    found = kept.faults(after.folder / scenes.OTHER)
    with kept.opened(after.folder / scenes.OTHER) as app:
        done = import_project(app.store, bundle, kept.STAMP)
        wanted = look_through(bundle, app.store.kinds).opening
        if (done.head.seq, done.head.hash) != (wanted.seq, wanted.hash):
            found.append(f"it ended at {done.head}")
        return found + [one.message for one in verify(app.store).findings]


@pytest.mark.holds("ALL-04.5")
@pytest.mark.parametrize("point", POINTS, ids=lambda point: f"{point.call}-{point.nth}")
def test_a_kill_at_some_points_is_gone_on_from(
    prepared: Path, tmp_path: Path, point: Point
) -> None:
    after = killed_at(point, scenes.take_in, prepared, tmp_path)

    assert after is not None, "the scene does not come to it"
    assert faults(after) == []


@pytest.mark.slow("kills a process at every change that it makes to files")
@pytest.mark.timeout(900)
def test_a_kill_at_any_point_is_gone_on_from(prepared: Path, tmp_path: Path) -> None:
    afters = killed_everywhere(scenes.take_in, prepared, tmp_path, gates=("import",))

    found = {after.point: faults(after) for after in afters}

    assert found
    assert {point: one for point, one in found.items() if one} == {}
