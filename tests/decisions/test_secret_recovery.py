"""A lost secret is replaced slowly, in front of everybody; whoever knows it keeps it."""

from datetime import timedelta
from typing import Any

import pytest

from hansard.app import people, recovery, secret_news
from hansard.app.application import Application
from hansard.app.people import RECOVERY_WAIT_S
from hansard.decisions.events import ProposalRejected
from hansard.kernel.clock import to_text
from hansard.kernel.event import Actor, Stamp
from tests.conftest import SteppingClock
from tests.decisions.conftest import OpenWith
from tests.decisions.known import SECRET
from tests.decisions.parties import Party, a_party, refused

NEW = "a new secret, long enough"
MINE = "the secret that an agent would like"


def stamp(clock: SteppingClock, name: str = "ada (unproved)") -> Stamp:
    return Stamp(Actor("agent", name, "agent"), to_text(clock()))


def wait(clock: SteppingClock, seconds: int = RECOVERY_WAIT_S) -> None:
    clock.now += timedelta(seconds=seconds)


def notices(party: Party) -> list[str]:
    answer: dict[str, Any] = party.ask("get_project_overview")
    return list(answer.get("notices", ()))


@pytest.mark.holds("ALL-10.20")
def test_a_lost_secret_is_replaced_once_the_waiting_time_is_over(
    app: Application, clock: SteppingClock
) -> None:
    recovery.begin(app.store, NEW, stamp(clock))
    with refused("RECOVERY_WAITS"):
        recovery.finish(app.store, NEW, stamp(clock))
    wait(clock)
    with refused("PERMISSION_DENIED"):
        a_party(app, "human", "admin", secret=NEW).record("early")

    recovery.finish(app.store, NEW, stamp(clock))

    with refused("PERMISSION_DENIED"):
        a_party(app, "human", "admin", secret=SECRET).record("old")
    assert a_party(app, "human", "admin", secret=NEW).record("db")
    assert (people.known(app.store) or {})["how"] == "recovered"


@pytest.mark.holds("ALL-10.20")
def test_who_knows_the_secret_cancels_its_replacement(
    app: Application, clock: SteppingClock
) -> None:
    recovery.begin(app.store, MINE, stamp(clock))

    recovery.cancel(app.store, stamp(clock))
    wait(clock)

    with refused("NO_RECOVERY"):
        recovery.finish(app.store, MINE, stamp(clock))
    with refused("NO_RECOVERY"):
        recovery.cancel(app.store, stamp(clock))
    assert people.is_right(app.store, SECRET)


def test_only_who_began_it_finishes_it_and_beginning_anew_waits_anew(
    app: Application, clock: SteppingClock
) -> None:
    recovery.begin(app.store, NEW, stamp(clock))
    wait(clock)
    with refused("PERMISSION_DENIED"):
        recovery.finish(app.store, MINE, stamp(clock))

    recovery.begin(app.store, MINE, stamp(clock, "bot (unproved)"))

    with refused("RECOVERY_WAITS"):
        recovery.finish(app.store, MINE, stamp(clock))
    with refused("PERMISSION_DENIED"):
        recovery.finish(app.store, NEW, stamp(clock))
    assert people.is_right(app.store, SECRET)


@pytest.mark.fault("clock set")
def test_a_clock_that_was_set_back_does_not_shorten_the_wait(
    app: Application, clock: SteppingClock
) -> None:
    a_party(app, "agent").record()
    early = to_text(clock.now - timedelta(days=3))

    begun = recovery.begin(app.store, MINE, Stamp(Actor("agent", "bot", "agent"), early))

    assert begun["counts_from"] >= to_text(clock.now + timedelta(seconds=RECOVERY_WAIT_S - 5))
    with refused("RECOVERY_WAITS"):
        recovery.finish(app.store, MINE, stamp(clock))


def test_the_waiting_time_is_the_secrets_own_and_stays_when_it_is_changed(
    open_with: OpenWith, clock: SteppingClock
) -> None:
    app = open_with(secret=None)
    people.set_secret(app.store, SECRET, stamp(clock), wait_s=100 * 3600)
    people.set_secret(app.store, NEW, stamp(clock), before=people.known(app.store))

    recovery.begin(app.store, MINE, stamp(clock))
    wait(clock, 99 * 3600)

    with refused("RECOVERY_WAITS"):
        recovery.finish(app.store, MINE, stamp(clock))


@pytest.mark.holds("ALL-10.20")
def test_everybody_is_told_while_a_replacement_waits_and_after_a_secret_was_set(
    app: Application, clock: SteppingClock
) -> None:
    bot = a_party(app, "agent")
    bot.record()
    [new] = notices(bot)
    wait(clock)
    quiet = notices(bot)

    recovery.begin(app.store, MINE, stamp(clock))
    [begun] = notices(bot)
    recovery.cancel(app.store, stamp(clock))

    assert "set by system:hansard" in new
    assert "agent:ada (unproved)" in begun
    assert "hansard secret cancel" in begun
    assert (quiet, notices(bot)) == ([], [])
    assert secret_news.news(app.store, to_text(clock())) == []


def test_a_store_that_knows_no_secret_has_none_to_recover(
    open_with: OpenWith, clock: SteppingClock
) -> None:
    app = open_with(secret=None)

    with refused("NO_RECOVERY"):
        recovery.begin(app.store, MINE, stamp(clock))

    assert people.known(app.store) is None


def test_what_a_project_says_of_the_time_does_not_lengthen_the_wait(
    app: Application, clock: SteppingClock, bot: Party
) -> None:
    # As an import takes entries in, whose times are another machine's.
    ahead = Stamp(Actor("agent", "elsewhere", "agent"), "2999-01-01T00:00:00.000000Z")
    said = ProposalRejected(id=bot.propose(), reason="not here")
    app.store.write(app.default_project, lambda tx: app.store.record(tx, said, ahead))

    recovery.begin(app.store, NEW, stamp(clock))
    wait(clock)
    recovery.finish(app.store, NEW, stamp(clock))

    assert people.is_right(app.store, NEW)
