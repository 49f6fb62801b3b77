"""Many processes write to one store and are killed at random: nothing acknowledged is lost."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.crash import checks, drama, toys
from tests.crash.checks import Ack
from tests.crash.drama import Part, Plan
from tests.crash.harness import ROOT
from tests.depth import deep
from tests.launcher.programs import Popen, run
from tests.patience import PATIENCE_S

PLAY_S = PATIENCE_S
"""How long the workers may take at most, on a machine that does many other things."""


@dataclass(frozen=True)
class Played:
    """What a play has left, and how it went."""

    acks: list[Ack]
    kills: int
    failures: list[str]


class Play(Protocol):
    """Lets workers write to a store while they are killed."""

    def __call__(
        self, *, workers: int, writes: int, interval_s: float, part: Part = "everything"
    ) -> Played: ...


@pytest.fixture
def play(request: pytest.FixtureRequest, location: str, tmp_path: Path) -> Play:
    """Let workers write and die; the seed of the test run decides who."""
    ledgers = tmp_path / "ledgers"
    ledgers.mkdir()

    def playing(
        *, workers: int, writes: int, interval_s: float, part: Part = "everything"
    ) -> Played:
        plan = Plan(
            location=location,
            ledgers=str(ledgers),
            workers=workers,
            writes=writes,
            interval_s=interval_s,
            deadline_s=PLAY_S,
            seed=request.config.getoption("randomly_seed", 0),
            part=part,
        )
        report = perform(plan)
        return Played(drama.read_ledgers(ledgers), report["kills"], report["failures"])

    return playing


@pytest.mark.fault("many processes")
@pytest.mark.holds("ALL-04.3", "ALL-04.5")
@pytest.mark.slow("kills processes for as long as a thousand durable writes take, or 4,000")
def test_eight_killed_writers_lose_nothing(location: str, play: Play) -> None:
    writes = deep(125, 500)
    played = play(workers=8, writes=writes, interval_s=0.1)

    assert played.failures == []
    assert played.kills > 0
    assert len(played.acks) == 8 * writes
    assert faults(location, played.acks) == []


@pytest.mark.fault("many processes")
@pytest.mark.holds("ALL-04.3", "ALL-04.5")
def test_three_killed_writers_lose_nothing(location: str, play: Play) -> None:
    played = play(workers=3, writes=40, interval_s=0.05)

    assert played.failures == []
    assert played.kills > 0
    assert len(played.acks) == 3 * 40
    assert faults(location, played.acks) == []


@pytest.mark.fault("many processes")
def test_the_program_finds_the_store_of_killed_writers_sound(location: str, play: Play) -> None:
    played = play(workers=3, writes=20, interval_s=0.05, part="projects")

    assert played.failures == []
    verify = [str(Path(sys.executable).with_name("hansard")), "verify", "--store", location]
    done = run(verify, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_engine_that_acknowledges_too_early_is_found_out(location: str, play: Play) -> None:
    played = play(workers=3, writes=40, interval_s=0.05, part="hasty")

    assert played.acks
    assert faults(location, played.acks) != []


@pytest.mark.fault("many processes")
@pytest.mark.holds("ALL-04.4")
def test_many_threads_of_one_process_lose_nothing(location: str) -> None:
    app = toys.open_application(location)

    def note(number: int) -> Ack:
        token = f"thread {number}"
        receipt = app.call("toy_note", {"text": token}, toys.a_caller()).model_dump()["receipt"]
        return Ack(app.default_project, token, receipt["seq"], receipt["hash"])

    with ThreadPoolExecutor(32) as threads:
        acks = list(threads.map(note, range(160)))
    app.close()

    assert faults(location, acks) == []


def perform(plan: Plan) -> dict[str, Any]:
    """Run the play in a process of its own, and let none of its workers outlive it."""
    command = [sys.executable, "-m", drama.__name__, json.dumps(asdict(plan))]
    process: Popen[bytes] = Popen(command, cwd=ROOT, stdout=subprocess.PIPE, start_new_session=True)
    with process:
        try:
            output, _ = process.communicate(timeout=plan.deadline_s + 30)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0
    report: dict[str, Any] = json.loads(output)
    return report


def faults(location: str, acks: list[Ack]) -> list[str]:
    """Look at the store as the next process finds it."""
    app = toys.open_application(location)
    found = checks.findings(app, acks) + checks.takes_new_work(app, "afterwards")
    app.close()
    return found if location.startswith("postgres") else found + checks.leftovers(Path(location))
