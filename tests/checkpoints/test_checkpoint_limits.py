"""Very large contexts, and a disk that has no room for them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard.app.verify import verify
from hansard.kernel.limits import MIB, REQUEST_BYTES_MAX
from hansard.kernel.problem import InvalidInput, StorageUnavailable
from hansard.sdk import Hansard
from tests.checkpoints.contexts import hardly_packed, library
from tests.checkpoints.programs import large
from tests.mcp.processes import ROOT, StdioServer, environment

GROWTH_MIB_MAX = 400
"""Saving 60 MB twice and loading it holds a few copies at once, and not one more for each save."""


@pytest.mark.holds("CHK-size-2")
@pytest.mark.slow("saves 60 MB twice")
def test_a_context_of_60_mb_goes_through_the_library_in_bounded_memory(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "tests.checkpoints.programs", "large", str(tmp_path)]

    done = subprocess.run(program, cwd=ROOT, env=environment({}), capture_output=True, check=True)

    told = json.loads(done.stdout)
    assert told["is_equal"]
    assert told["sizes"][1] < 1_000 < told["sizes"][0]
    assert told["grew_mib"] < GROWTH_MIB_MAX, told


def test_a_context_beyond_64_mib_is_refused_by_name(tmp_path: Path) -> None:
    with library(tmp_path) as hansard:
        with pytest.raises(InvalidInput, match="context: at most 67108864 bytes"):
            hansard.checkpoints.save_checkpoint("w", {"text": "x" * (64 * MIB)})

        assert hansard.checkpoints.save_checkpoint("w", {"text": "x"}).status == "SAVED"


@pytest.mark.holds("CHK-size-1")
def test_15_mb_go_over_stdio_and_more_than_16_mib_are_refused(tmp_path: Path) -> None:
    context = large(15 * 1_000_000)

    with StdioServer("tests.checkpoints.programs", {"store": str(tmp_path)}) as server:
        server.open()
        saved = server.call("workflow_checkpoint_save", context=context, sessionId="w")
        loaded = server.call("workflow_checkpoint_load", sessionId="w")
        refused = server.call("workflow_checkpoint_save", context={"a": "x" * REQUEST_BYTES_MAX})

    assert saved["result"]["structuredContent"]["status"] == "SAVED"
    assert loaded["result"]["structuredContent"]["context"] == context
    assert str(REQUEST_BYTES_MAX) in json.dumps(refused)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 6 MiB."""
    mounted = tmp_path / "small"
    mounted.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(mounted)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    yield mounted
    subprocess.run(["umount", str(mounted)], check=True)


@pytest.mark.root
@pytest.mark.holds("001-errors-STORAGE_UNAVAILABLE")
@pytest.mark.parametrize("size", [60_000, 3_000_000], ids=["in the database", "in files"])
def test_a_full_disk_is_said_so_and_nothing_that_was_saved_is_lost(
    small_disk: Path, size: int
) -> None:
    saved: dict[str, str] = {}
    with library(small_disk) as hansard:
        with pytest.raises(StorageUnavailable) as refused:
            _save_without_end(hansard, size, saved)
        _check(hansard, saved)
        subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
        again = hansard.checkpoints.save_checkpoint("w", {"text": "there is room again"})
        saved[again.checkpointId] = "there is room again"

    assert len(saved) > 1
    assert refused.value.details["outcome"] == "not_written"
    with library(small_disk) as hansard:
        _check(hansard, saved)
        assert verify(hansard.application.store).exit_code == 0


def _save_without_end(hansard: Hansard, size: int, saved: dict[str, str]) -> None:
    """Save contexts until something is in the way, and note those that were acknowledged."""
    for seed in range(500):
        text = hardly_packed(size, seed=seed)
        done = hansard.checkpoints.save_checkpoint("w", {"text": text})
        saved[done.checkpointId] = text


def _check(hansard: Hansard, saved: dict[str, str]) -> None:
    """Load everything that was acknowledged."""
    listed = hansard.checkpoints.list_checkpoints("w", limit=1_000)
    assert [one.checkpointId for one in listed][::-1] == list(saved)
    for identifier, text in saved.items():
        assert hansard.checkpoints.load_checkpoint(identifier).context == {"text": text}
