"""What a checkpoint costs in syncs, and in which order it reaches the disk."""

from pathlib import Path

import pytest

from tests.checkpoints import checkpoint_scenes as scenes
from tests.checkpoints.checkpoint_scenes import STORE
from tests.crash.harness import calls_in, needs_strace, playing, traced

pytestmark = needs_strace


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    folder = tmp_path / "prepared"
    folder.mkdir()
    scenes.prepare(folder)
    return folder


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
