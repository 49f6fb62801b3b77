"""What an acknowledged write costs on SQLite in syncs, counted by the kernel's own account."""

import re
import sys
from pathlib import Path

import pytest

from tests.crash import scenes
from tests.crash.harness import Child, calls_in, needs_strace, playing, traced

pytestmark = needs_strace

SYNCS = "trace=fsync,fdatasync"
DATABASE = ["hansard.db-wal"]


def synced(child: Child, gate: str) -> list[str]:
    """Name what is synced between this gate and the next, in order."""
    child.until(gate)
    before = len(child.acks)
    with traced(child, "-e", SYNCS) as output:
        child.go_on()
        assert child.next_gate() is not None, child.complaint
    child.go_on()
    assert len(child.acks) > before, "nothing was acknowledged"
    return [_target(call.text) for call in calls_in(output)]


def _target(text: str) -> str:
    """Give the last part of the path that strace shows beside a descriptor."""
    found = re.search(r"<(.*?)>", text)
    assert found is not None, text
    return Path(found[1]).name


@pytest.mark.holds("ALL-04.1")
def test_an_acknowledged_write_costs_one_sync(tmp_path: Path) -> None:
    with playing(scenes.steady_writes, tmp_path) as child:
        assert synced(child, "few") == DATABASE * scenes.FEW


def test_a_large_body_is_synced_with_its_name_before_the_write_that_names_it(
    tmp_path: Path,
) -> None:
    with playing(scenes.steady_writes, tmp_path) as child:
        file, shard, blobs, *database = synced(child, "large")

    assert (file.startswith("."), len(shard), blobs) == (True, 2, "blobs")
    assert database == DATABASE


def test_many_writers_at_once_cost_fewer_syncs_than_writes(tmp_path: Path) -> None:
    writes = scenes.CROWD * scenes.FEW

    with playing(scenes.steady_writes, tmp_path) as child:
        syncs = len(synced(child, "crowd"))

    sys.stdout.write(f"{writes} writes by {scenes.CROWD} threads cost {syncs} syncs\n")
    assert syncs < writes
