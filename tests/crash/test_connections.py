"""Whatever connection to PostgreSQL is lost, and when: no file change is lost or told wrongly."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from hansard.app.verify import verify
from hansard.decisions.git import decision_log
from hansard.kernel import follow
from hansard.kernel.effect import is_dead
from hansard.kernel.follow import NotNow
from hansard.kernel.problem import StorageUnavailable
from hansard.recorder.events import FileOpAborted, FileOpDoneLate
from hansard.recorder.workspace.files import Workspace
from tests.conftest import a_caller
from tests.crash.cutting import (
    EFFECTS,
    VICTIMS,
    Effect,
    Pair,
    Victim,
    a_pair,
    faults,
    outcomes,
    points_of,
    prepared,
    struck_at,
)
from tests.crash.ledger import EVERY_POINT, sliced
from tests.crash.sweep import evenly
from tests.crash.table import STRUCK
from tests.recorder.asking import sources

pytestmark = [pytest.mark.postgres, pytest.mark.fault("connection cut")]

Record = Callable[[str, object], None]
Strike = Callable[[psycopg.Connection[Any] | None], None]


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
    every = [(victim, nth + 1) for nth in range(len(points_of(pair, effect))) for victim in VICTIMS]
    points = sliced(every) if EVERY_POINT else list(evenly(every, 12))

    found = {point: amiss for point in points if (amiss := faults(pair, effect, *point))}

    row = ("connection cut", len(points), len(found), time.monotonic() - begun)
    record_property(STRUCK, row)
    assert found == {}


@pytest.mark.slow("cuts connections while decisions are published, at all points if asked to")
@pytest.mark.timeout(3600)
def test_a_connection_cut_while_decisions_are_published_leaves_each_published_once(
    emptied_postgres: str, files: Path, tmp_path: Path, record_property: Record
) -> None:
    begun, git = time.monotonic(), tmp_path / "git"
    with a_pair(emptied_postgres, files, git) as pair:
        length = len(published(pair, git, 0, lambda _: None))
        every = [(victim, nth + 1) for nth in range(length) for victim in VICTIMS]
        points = sliced(every) if EVERY_POINT else list(evenly(every, 12))
        for victim, nth in points:
            published(pair, git, nth, partial(cut_and_let_publish, pair, git, victim))
        found = decision_log.faults(pair.second.store, git, pair.second.default_project)

        record_property(STRUCK, ("connection cut", len(points), len(found), _since(begun)))
        assert found == []
        assert verify(pair.second.store, git=git).findings == ()


def published(pair: Pair, git: Path, nth: int, strike: Strike) -> list[str]:
    """Decide something, and publish it as the follower does; gives the statements it took."""
    at = f"{nth}-{time.monotonic_ns()}"
    arguments = {"title": at, "target": at, "rationale": "It was agreed upon in the meeting."}
    pair.first.call("record_decision", arguments, a_caller())
    [follower] = [one for one in pair.first.followers if one.name == decision_log.NAME]
    with struck_at(nth, strike) as seen, suppress(StorageUnavailable, NotNow):
        lock = pair.first.store.engine.hold(follower.lock)
        assert lock is not None
        with lock:
            follow.catch_up(pair.first.store, follower, pair.first.default_project)
    # Whoever is next goes on, and finds nothing in the way.
    assert decision_log.publish_now(pair.second.store, git, pair.second.default_project)
    follow.catch_up(pair.first.store, follower, pair.first.default_project)
    return seen


def cut_and_let_publish(
    pair: Pair, git: Path, victim: Victim, own: psycopg.Connection[Any] | None
) -> None:
    """Cut connections, and let the second do the work if it can have the lock now."""
    pair.cut(victim, own)
    decision_log.publish_now(pair.second.store, git, pair.second.default_project)


def _since(begun: float) -> float:
    return time.monotonic() - begun


EDIT = next(effect for effect in EFFECTS if effect.name == "edit")


def test_whoever_has_lost_its_locks_does_not_touch_the_file(pair: Pair) -> None:
    before_the_look = points_of(pair, EDIT).index("rename")
    caller, (name, arguments) = prepared(pair, EDIT, "lost")

    with (
        struck_at(before_the_look, lambda _: strike(pair)),
        pytest.raises(StorageUnavailable) as refusal,
    ):
        pair.first.call(name, arguments, caller)

    assert refusal.value.details["outcome"] == "unchanged"
    assert (pair.files / "lost/a").read_text() == "one\n"
    assert outcomes(pair) == [FileOpAborted.kind]


def test_a_change_that_was_judged_too_early_is_recorded_as_done_late(pair: Pair) -> None:
    renaming = points_of(pair, EDIT).index("rename") + 1
    caller, (name, arguments) = prepared(pair, EDIT, "late")

    with struck_at(renaming, lambda _: judge_too_early(pair)):
        answer = pair.first.call(name, arguments, caller).model_dump()

    assert [one["status"] for one in answer["results"]] == ["done"]
    assert (pair.files / "late/a").read_text() == "new\n"
    assert outcomes(pair) == [FileOpAborted.kind, FileOpDoneLate.kind]
    assert sources(pair.second, a_caller(), "late/a") == ["executed"] * 3
    assert verify(pair.second.store).findings == ()


def test_whoever_was_taken_for_dead_announces_as_a_living_one(pair: Pair) -> None:
    caller, (name, arguments) = prepared(pair, EDIT, "again")
    with pair.renewing_nothing():
        pair.cut("leases", None)
        owned = "SELECT name FROM hansard.leases WHERE name LIKE 'owner-%'"
        owners = [name for (name,) in pair.admin.execute(owned.encode()).fetchall()]
        assert [is_dead(pair.second.store.engine, owner) for owner in owners] == [True]

    answer = pair.first.call(name, arguments, caller).model_dump()

    assert [one["status"] for one in answer["results"]] == ["done"]
    assert not is_dead(pair.second.store.engine, owners[0])
    assert verify(pair.second.store).findings == ()


def strike(pair: Pair) -> None:
    """Let the locks' time pass, and the other judge what it takes for dead."""
    pair.cut("leases", None)
    pair.settle()


def judge_too_early(pair: Pair) -> None:
    """Let the other judge in the moment before the file is changed, but not clean up."""
    # Renewed between the two, a lease says that its process lives, and nobody judges.
    with pair.renewing_nothing(), pytest.MonkeyPatch.context() as patch:
        # It comes a little later to this: else the change would fail for want of its file.
        patch.setattr(Workspace, "clean_temporaries", lambda *_, **__: 0)
        strike(pair)
