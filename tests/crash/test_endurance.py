"""Real servers under real clients, killed for as long as it takes: nothing lost, nothing grown."""

import dataclasses
import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.crash import endured
from tests.crash.conftest import new_database
from tests.crash.endurance import Plan, Report, endure, summary
from tests.crash.endured import Look
from tests.crash.writers import DEEDS, read_ledger

pytestmark = pytest.mark.fault("many processes")

IS_WHOLE = os.environ.get("HANSARD_FAULTS") == "all"
"""Whether it goes on for as long as promised; `make check-faults` does."""

LEAKING = """
from hansard.cli.main import main
from hansard.mcp.dispatch import ToolDispatcher

kept, answer = [], ToolDispatcher.outcome

def keeping(self, *asked):
    kept.append((open("/dev/null"), b"x" * 1_000_000))
    return answer(self, *asked)

ToolDispatcher.outcome = keeping
main()
"""

FORGETFUL = """
from hansard.cli.main import main
from hansard.mcp import callers

callers.IDEMPOTENCY_KEY = "never/given"
main()
"""


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Two writers of which one is killed, and nobody else."""
    (tmp_path / "ground").mkdir()
    return Plan(
        tmp_path / "ground",
        str(tmp_path / "store"),
        seconds=1.0,
        writes_min=25,
        writers=2,
        steady=1,
        kill_every_s=0.5,
        look_every_s=0.1,
        is_kept=False,
    )


@pytest.mark.holds("ALL-04.3", "ALL-04.5")
@pytest.mark.slow("starts real servers, again and again")
def test_two_writers_with_servers_that_die_lose_nothing(plan: Plan) -> None:
    report = endure(plan)

    assert report.faults == []
    assert report.kills > 0
    assert {DEEDS[ack.deed].capability for ack in report.acks} == {one.capability for one in DEEDS}


@pytest.mark.holds("ALL-04.3", "ALL-04.5", "ALL-05.3")
@pytest.mark.slow("eight servers are killed for half a minute")
def test_eight_writers_lose_nothing_and_grow_not(
    plan: Plan, record_property: Callable[[str, object], None]
) -> None:
    endure_long(dataclasses.replace(plan, seconds=30.0), record_property)


@pytest.mark.holds("ALL-04.3", "ALL-04.5", "ALL-05.3")
@pytest.mark.skipif(not IS_WHOLE, reason="HANSARD_FAULTS=all asks for it")
@pytest.mark.slow("eight servers are killed for ten minutes")
@pytest.mark.timeout(3_600)
def test_eight_writers_lose_nothing_in_ten_minutes(
    plan: Plan, record_property: Callable[[str, object], None]
) -> None:
    endure_long(dataclasses.replace(plan, seconds=600.0), record_property)


@pytest.mark.postgres
@pytest.mark.skipif(not IS_WHOLE, reason="HANSARD_FAULTS=all asks for it")
@pytest.mark.slow("eight servers are killed for two minutes")
@pytest.mark.timeout(1_800)
def test_eight_writers_to_a_database_lose_nothing_in_two_minutes(
    plan: Plan, postgres_url: str, record_property: Callable[[str, object], None]
) -> None:
    to_database = dataclasses.replace(plan, store=new_database(postgres_url), seconds=120.0)
    endure_long(to_database, record_property)


@pytest.mark.postgres
@pytest.mark.skipif(not IS_WHOLE, reason="HANSARD_FAULTS=all asks for it")
@pytest.mark.slow("eight servers are killed, and their connections cut, for ten minutes")
@pytest.mark.timeout(3_600)
def test_eight_writers_whose_connections_are_cut_lose_nothing_in_ten_minutes(
    plan: Plan, postgres_url: str, record_property: Callable[[str, object], None]
) -> None:
    plan = dataclasses.replace(
        plan, store=new_database(postgres_url), seconds=600.0, writers=8, steady=2
    )

    report = endure(dataclasses.replace(plan, kill_every_s=1.0, cut_every_s=0.5))

    sys.stdout.writelines(f"{line}\n" for line in summary(plan, report))
    record_property("points", report.kills + report.cuts + len(report.acks))
    assert report.faults == []
    assert report.cuts > 0


@pytest.mark.slow("two servers write first")
def test_a_write_that_never_was_is_missed(plan: Plan) -> None:
    assert endure(plan).faults == []
    place = plan.places[0]
    *_, last = read_ledger(place)

    with place.ledger.open("a") as ledger:
        ledger.write(json.dumps(asdict(dataclasses.replace(last, seq=last.seq + 1_000))) + "\n")

    assert any("is not there" in fault for fault in endured.amiss(plan.store, plan.places))


@pytest.mark.slow("a server has to be looked at many times")
def test_a_server_that_keeps_things_is_found_out(plan: Plan) -> None:
    leaking = dataclasses.replace(
        plan, program=(sys.executable, "-c", LEAKING), seconds=4.0, writes_min=100
    )

    faults = endure(leaking).faults

    assert any("KiB" in fault for fault in faults)
    assert any("descriptors" in fault for fault in faults)


@pytest.mark.slow("two servers write first")
def test_a_server_that_does_repetitions_again_is_found_out(plan: Plan) -> None:
    forgetful = dataclasses.replace(plan, program=(sys.executable, "-c", FORGETFUL))

    faults = endure(forgetful).faults

    assert any("has two answers" in fault for fault in faults)
    assert any("were acknowledged" in fault for fault in faults)


def test_what_comes_and_goes_does_not_count_as_growth() -> None:
    steady = [Look(50_000 + 900 * (turn % 3), 20 + turn % 2) for turn in range(60)]
    warming_up = [Look(30_000 + 1_000 * turn, 10) for turn in range(20)]

    assert endured.creeping({0: steady, 1: warming_up + [Look(50_000, 10)] * 40}) == []
    assert endured.creeping({0: [Look(50_000 + 1_000 * turn, 10) for turn in range(60)]}) != []
    assert endured.creeping({0: [Look(50_000, 10 + turn // 3) for turn in range(60)]}) != []


def endure_long(plan: Plan, record_property: Callable[[str, object], None]) -> None:
    """Let eight write while the store is kept, and print what came of it."""
    plan = dataclasses.replace(
        plan, writers=8, steady=2, kill_every_s=1.0, look_every_s=1.0, is_kept=True
    )
    report: Report = endure(plan)
    sys.stdout.writelines(f"{line}\n" for line in summary(plan, report))
    record_property("points", report.kills + len(report.acks))
    assert report.faults == []
    assert report.kills > 0
    assert report.commands["restore-backup"] > 0
