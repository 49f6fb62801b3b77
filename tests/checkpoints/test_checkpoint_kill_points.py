"""A process killed at any point of saving, deleting or pruning: all of it is there, or none."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard.langgraph import HansardSaver
from hansard.sdk import Hansard
from tests.checkpoints import checkpoint_scenes as scenes
from tests.checkpoints.checkpoint_scenes import PREPARED, SESSION, STORE, context, opened
from tests.crash import checks
from tests.crash.harness import (
    Aftermath,
    Point,
    calls_in,
    killed_at,
    killed_everywhere,
    needs_strace,
    playing,
    traced,
)
from tests.crash.power import cut_at, cut_everywhere, needs_disks
from tests.crash.stage import Scene
from tests.langgraph.steps import config_of

pytestmark = needs_strace

GATES: dict[Scene, tuple[str, ...]] = {
    scenes.save: ("save 6", "save 8", "close"),
    scenes.delete: ("delete", "close"),
    scenes.retain: ("save", "close"),
    scenes.put_step: ("put", "writes", "close"),
    scenes.prune_thread: ("prune", "close"),
}
SAMPLE: dict[Scene, list[Point]] = {
    scenes.save: [Point("save 8", "rename", 1), Point("save 8", "fdatasync", 1)],
    scenes.delete: [Point("delete", "fdatasync", 1)],
    scenes.retain: [Point("save", "pwrite64", 4)],
    scenes.put_step: [Point("put", "fsync", 2), Point("writes", "fdatasync", 1)],
    scenes.prune_thread: [Point("prune", "fdatasync", 1)],
}
"""A few telling points, for those who cannot wait."""

SCENES = [pytest.param(scene, id=scene.__name__) for scene in GATES]


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    folder = tmp_path / "prepared"
    folder.mkdir()
    scenes.prepare(folder)
    return folder


@pytest.mark.parametrize("scene", SCENES)
def test_a_kill_at_some_points_leaves_all_or_nothing(
    scene: Scene, prepared: Path, tmp_path: Path
) -> None:
    found = {}
    for point in SAMPLE[scene]:
        after = killed_at(point, scene, prepared, tmp_path)
        assert after is not None, f"the scene does not come to {point}"
        found[point] = faults(after)

    assert {point: amiss for point, amiss in found.items() if amiss} == {}


@pytest.mark.holds("001-save-10")
@pytest.mark.slow("kills a process at every change that it makes to files")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("scene", SCENES)
def test_a_kill_at_any_point_leaves_all_or_nothing(
    scene: Scene, prepared: Path, tmp_path: Path
) -> None:
    afters = killed_everywhere(scene, prepared, tmp_path, gates=GATES[scene])

    found = {after.point: faults(after) for after in afters}

    sys.stdout.write(f"{scene.__name__}: killed at {len(found)} points\n")
    assert len(found) > len(GATES[scene]), "hardly anything was ever killed"
    assert {point: amiss for point, amiss in found.items() if amiss} == {}


@needs_disks
@pytest.mark.root
@pytest.mark.parametrize("scene", [scenes.save, scenes.prune_thread], ids=lambda one: one.__name__)
def test_a_power_cut_at_the_sync_leaves_all_or_nothing(scene: Scene, tmp_path: Path) -> None:
    point = SAMPLE[scene][-1]
    with cut_at(point, scene, tmp_path, disks=(STORE,)) as after:
        assert after is not None, f"the scene does not come to {point}"
        assert faults(after) == []


@needs_disks
@pytest.mark.root
@pytest.mark.slow("cuts the power at every change that a process makes to files")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("scene", SCENES)
def test_a_power_cut_at_any_point_leaves_all_or_nothing(scene: Scene, tmp_path: Path) -> None:
    afters = cut_everywhere(scene, tmp_path, gates=GATES[scene], disks=(STORE,))

    found = {after.point: faults(after) for after in afters}

    sys.stdout.write(f"{scene.__name__}: power cut at {len(found)} points\n")
    assert len(found) > len(GATES[scene]), "the power was hardly ever cut"
    assert {point: amiss for point, amiss in found.items() if amiss} == {}


@pytest.mark.holds("CHK-blob-3")
def test_a_blob_is_durable_before_what_names_it(prepared: Path) -> None:
    with playing(scenes.save, prepared) as child:
        child.until("save 8")
        with traced(child, "-e", "trace=fsync,fdatasync") as output:
            child.go_on()
            assert child.next_gate() == "close"
        synced = [call.text.partition("<")[2].partition(">")[0] for call in calls_in(output)]

    assert [path.startswith(f"{prepared / STORE / 'blobs'}") for path in synced[:-1]] == [True] * 3
    assert synced[-1].endswith("hansard.db-wal")


def test_a_put_costs_one_sync_and_so_do_its_writes(prepared: Path) -> None:
    with playing(scenes.steady_puts, prepared) as child:
        child.until("steady")
        with traced(child, "-e", "trace=fsync,fdatasync") as output:
            child.go_on()
            assert child.next_gate() == "close"

        assert len(calls_in(output)) == 2 * scenes.FEW


def faults(after: Aftermath) -> list[str]:
    """Look at the store as the next process finds it, twice: nothing more happens by looking."""
    found = []
    for _ in range(2):
        with opened(after.folder) as hansard:
            found += checks.findings(hansard.application)
            found += [*_checkpoint_faults(hansard, after), *_thread_faults(hansard, after)]
    with opened(after.folder) as hansard:
        again = hansard.checkpoints.save_checkpoint(SESSION, {"goes": "on"})
        if hansard.checkpoints.load_checkpoint(session_id=SESSION).checkpointId != (
            again.checkpointId
        ):
            found.append("it does not go on")
    return found + checks.leftovers(after.folder / STORE)


def _checkpoint_faults(hansard: Hansard, after: Aftermath) -> Iterator[str]:
    """Compare the session's checkpoints with what was acknowledged."""
    told = _told(after)
    numbers = []
    for one in hansard.checkpoints.list_checkpoints(SESSION, limit=100):
        loaded = hansard.checkpoints.load_checkpoint(one.checkpointId).context
        numbers.append(loaded["number"])
        if loaded != context(loaded["number"]):
            yield f"{one.checkpointId} is not what was saved"
    numbers.reverse()
    whole = list(range(PREPARED))
    allowed = {
        "save 6": [whole, [*whole, 6]],
        "save 8": [[*whole, 6], [*whole, 6, 8]],
        "delete": [whole, [0, *whole[2:]]],
        "save": [whole, [PREPARED - 1, PREPARED]],
        "close": [whole, [*whole, 6, 8], [0, *whole[2:]], [PREPARED - 1, PREPARED]],
    }.get(after.point.gate, [whole])
    if numbers not in allowed:
        yield f"the session has {numbers}"
    if "saved" in told and told["number"] not in numbers:
        yield f"{told['saved']} was acknowledged and is gone"
    if "deleted" in told and 1 in numbers:
        yield f"{told['deleted']} was deleted and is there"


def _thread_faults(hansard: Hansard, after: Aftermath) -> Iterator[str]:
    """Compare the thread's checkpoints with what was acknowledged."""
    told = _told(after)
    with HansardSaver(hansard) as saver:
        found = list(saver.list(config_of()))
        numbers = [one.checkpoint["channel_values"]["number"] for one in found][::-1]
        for one in found:
            values = one.checkpoint["channel_values"]
            if values != context(values["number"]):
                yield f"{one.checkpoint['id']} is not what was put"
    whole = list(range(PREPARED))
    if numbers not in [whole, [*whole, PREPARED + 2], [PREPARED - 1]]:
        yield f"the thread has {numbers}"
    if "put" in told and told["number"] not in numbers:
        yield f"{told['put']} was acknowledged and is gone"
    if "wrote" in told and not found[0].pending_writes:
        yield "writes were acknowledged and are gone"
    if "pruned" in told and len(numbers) > 1:
        yield "the thread was pruned and is whole"


def _told(after: Aftermath) -> dict[str, Any]:
    return {key: value for words in after.told for key, value in words.items()}
