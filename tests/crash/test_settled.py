"""What a crash left open is settled at the next start, which says what, and so does the doctor."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hansard.kernel.effect import Verdict
from hansard.recorder.settling import last_settled
from tests.crash.harness import Aftermath, Point
from tests.crash.player import killed_at
from tests.crash.syscalls import needs_filter
from tests.hostile.serving import serving_stdio
from tests.launcher.programs import run
from tests.mcp.processes import Json, environment
from tests.recorder import recorder_scenes as scenes
from tests.recorder.ground import needs_root
from tests.recorder.recorder_scenes import STORE, WORKSPACE, open_recorder

pytestmark = [needs_filter, pytest.mark.fault("kill -9")]

SLOW = pytest.mark.slow("starts several processes to show once more what others have shown")
BEFORE_THE_CHANGE = Point("op", "fsync", 1)
AFTER_THE_CHANGE = Point("op", "fsync", 2)


def killed(point: Point, tmp_path: Path) -> Aftermath:
    """Kill a process in the midst of an edit of the file `a`."""
    prepared = tmp_path / "prepared"
    prepared.mkdir(exist_ok=True)
    after = killed_at(point, scenes.edit, prepared, tmp_path)
    assert after is not None, f"the scene does not come to {point}"
    return after


def settings(folder: Path) -> dict[str, str]:
    return {
        "store": str(folder / STORE),
        "workspace": str(folder / WORKSPACE),
        "embedder": "none",
    }


def doctor(folder: Path) -> tuple[int, list[Json]]:
    """Run the real doctor; gives its exit code and what it says was settled."""
    done = run_doctor(folder, "--json")
    checks = json.loads(done.stdout)["checks"]
    return done.returncode, [check for check in checks if check["what"] == "settled"]


def shown(folder: Path) -> str:
    return run_doctor(folder).stdout


def run_doctor(folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    return run(
        [sys.executable, "-m", "hansard.cli.main", "doctor", *flags],
        env=environment(settings(folder)),
        capture_output=True,
        text=True,
        check=False,
    )


CASES: dict[Verdict, tuple[Point, str]] = {
    "done": (AFTER_THE_CHANGE, "found done"),
    "undone": (BEFORE_THE_CHANGE, "found undone; ask again if it is still wanted"),
    "conflict": (BEFORE_THE_CHANGE, "conflict: the file was neither as before nor as intended"),
}


@pytest.mark.holds("FIL-effect-5")
@pytest.mark.parametrize("verdict", ["done", "conflict", pytest.param("undone", marks=SLOW)])
def test_the_doctor_says_what_was_settled_now_and_before(verdict: Verdict, tmp_path: Path) -> None:
    point, words = CASES[verdict]
    folder = killed(point, tmp_path).folder
    if verdict == "conflict":
        (folder / WORKSPACE / "a").write_text("somebody's own words\n")

    code, (count, told) = doctor(folder)
    again_code, (again_count, again_told) = doctor(folder)

    assert (code, again_code) == (0, 0)
    assert (count["says"], again_count["says"]) == ("1 at this start", "0 at this start")
    assert told["says"].startswith("at this start: default s:")
    assert again_told["says"].startswith("before: default s:")
    for said in (told, again_told):
        assert "edit a (" in said["says"]
        assert words in said["says"]
        assert said["status"] == ("warn" if verdict == "conflict" else "ok")


@pytest.mark.root
def test_where_nothing_can_be_written_what_is_open_is_listed_and_settled_later(
    tmp_path: Path,
) -> None:
    needs_root("mounts something")
    folder = killed(AFTER_THE_CHANGE, tmp_path).folder
    with read_only(folder / STORE):
        code, settled = doctor(folder)
        assert (code, [one["says"] for one in settled]) == (1, ["0 at this start"])
        assert "1 open, 1 of them left by dead processes" in shown(folder)

    code, (count, _) = doctor(folder)
    assert (code, count["says"]) == (0, "1 at this start")


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
    yield
    subprocess.run(["umount", folder], check=True)


def test_a_start_gives_what_it_settled_once(tmp_path: Path) -> None:
    folder = killed(BEFORE_THE_CHANGE, tmp_path).folder

    first, second = (open_recorder(folder) for _ in range(2))

    [settled] = first.settled
    assert (settled.project, settled.verdict, settled.what[:6]) == ("default", "undone", "edit a")
    assert second.settled == []
    assert last_settled(second.store, "default", limit=10) == [settled]
    first.close()
    second.close()


def test_a_server_says_on_stderr_what_it_settled(tmp_path: Path) -> None:
    folder = killed(AFTER_THE_CHANGE, tmp_path).folder

    said = []
    for _ in range(2):
        with serving_stdio(folder, **settings(folder)) as server:
            # Who only looks what there is, opens no store.
            server.call("list_projects")
            assert server.end() == 0
            said.append([line for line in server.said().splitlines() if "Settled" in line])

    [line] = said[0]
    assert line.startswith("Settled what was left open: edit a (")
    assert "found done" in line
    assert said[1] == []
