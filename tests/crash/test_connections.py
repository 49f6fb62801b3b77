"""Whatever connection to PostgreSQL is lost, and when: no file change is lost or told wrongly."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.crash.cutting import EFFECTS, VICTIMS, Effect, Pair, a_pair, faults, points_of
from tests.crash.sweep import EVERY_POINT, evenly
from tests.crash.table import STRUCK

pytestmark = [pytest.mark.postgres, pytest.mark.fault("connection cut")]

Record = Callable[[str, object], None]


@pytest.fixture
def pair(emptied_postgres: str, files: Path) -> Iterator[Pair]:
    with a_pair(emptied_postgres, files) as pair:
        yield pair


@pytest.mark.slow("cuts connections at some points of each effect, at all with HANSARD_FAULTS=all")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: effect.name)
def test_a_connection_cut_at_any_statement_does_no_harm(
    pair: Pair, effect: Effect, record_property: Record
) -> None:
    begun = time.monotonic()
    every = [(victim, nth + 1) for nth in range(points_of(pair, effect)) for victim in VICTIMS]
    points = every if EVERY_POINT else list(evenly(every, 12))

    found = {point: amiss for point in points if (amiss := faults(pair, effect, *point))}

    row = ("connection cut", len(points), len(found), time.monotonic() - begun)
    record_property(STRUCK, row)
    assert found == {}
