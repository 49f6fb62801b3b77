"""Where a person has said no, an agent asks: whatever it wants to decide there, in any words."""

import pytest

from hansard.app.application import Application
from hansard.decisions.events import DecisionRecorded
from hansard.decisions.tables import DECISIONS
from hansard.kernel.blob import Digest
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Actor, Stamp
from hansard.kernel.problem import Problem
from tests.conftest import SteppingClock
from tests.decisions.conftest import OpenWith
from tests.decisions.parties import Party, a_party, advance, refused

AT = "2026-01-02T03:04:05.000000Z"


@pytest.mark.holds("DEC-proposal-11")
def test_an_agent_cannot_record_where_a_person_turned_something_down(
    bot: Party, person: Party
) -> None:
    rejected = bot.propose("db", "Use DuckDB")
    person.reject(rejected, reason="We know SQLite")

    with pytest.raises(Problem) as problem:
        bot.record("db", "Use DuckDB")

    assert problem.value.code == "PROPOSAL_REFUSED"
    assert problem.value.details == {"proposal_id": rejected, "reason": "We know SQLite"}
    assert "propose_decision" in (problem.value.recovery_hint or "")


@pytest.mark.holds("DEC-record-5", "DEC-proposal-11")
@pytest.mark.parametrize("target", ["ｄb", " DB ", "d\u200bb"])
@pytest.mark.parametrize("title", ["Use DuckDB", "DuckDB it is, then"])
def test_neither_other_words_nor_look_alike_letters_help(
    bot: Party, person: Party, target: str, title: str
) -> None:
    person.reject(bot.propose("db", "Use DuckDB"))

    with refused("PROPOSAL_REFUSED"):
        bot.record(target, title)


@pytest.mark.holds("DEC-proposal-11")
def test_an_agent_cannot_supersede_its_own_there_either(bot: Party, person: Party) -> None:
    mine = bot.record("db")
    person.reject(bot.propose("db", "Use DuckDB"))

    with refused("PROPOSAL_REFUSED"):
        bot.supersede(mine, title="Use DuckDB")

    assert bot.status(mine) == "active"


def test_another_agent_is_refused_too_and_another_target_or_project_is_free(
    app: Application, bot: Party, person: Party
) -> None:
    person.reject(bot.propose("db"))
    other = a_party(app, "agent")
    app.call("create_project", {"id": "shop", "name": "Shop"}, other.caller)

    with refused("PROPOSAL_REFUSED"):
        other.record("db")

    assert other.record("cache")
    assert other.ask(
        "record_decision", project_id="shop", target="db", title="x", rationale="Long enough."
    )


def test_asking_again_is_open_and_what_a_person_accepts_holds(
    bot: Party, person: Party, admin: Party, clock: SteppingClock
) -> None:
    person.reject(bot.propose("db", "Use DuckDB"))
    again = bot.propose("db", "Use SQLite")
    advance(clock, 3_600)

    decision = admin.accept(again)

    assert bot.status(decision) == "active"


def test_the_same_in_look_alike_letters_is_not_even_asked_again(bot: Party, person: Party) -> None:
    person.reject(bot.propose("db", "Use DuckDB"))

    with refused("PROPOSAL_REFUSED"):
        bot.propose("ｄb", "Uѕe Duck\u200bDB")


def test_what_an_agent_takes_back_itself_turns_nothing_down(bot: Party) -> None:
    bot.reject(bot.propose("db"))

    assert bot.record("db")


def test_a_person_decides_freely_and_an_agents_turn_does_not_come_back(
    bot: Party, person: Party
) -> None:
    person.reject(bot.propose("db", "Use DuckDB"))

    theirs = person.record("db", "Use SQLite")

    with refused("TARGET_CONFLICT"):
        bot.record("db", "Use DuckDB")
    with refused("ISOLATION_VIOLATION"):
        bot.supersede(theirs, title="Use DuckDB")


def test_a_refusal_outlives_the_process_and_a_rebuild(open_with: OpenWith) -> None:
    app = open_with()
    person = a_party(app, "human", "admin", is_vouched=True)
    person.reject(a_party(app, "agent").propose("db"))
    app.store.rebuild("default")

    again = open_with()

    with refused("PROPOSAL_REFUSED"):
        a_party(again, "agent").record("db")


def test_an_older_journal_with_two_on_look_alike_targets_is_read_and_mended(
    app: Application, bot: Party
) -> None:
    first = bot.record("db", "Use SQLite")
    reasons = Digest(_row(app, first)["reasons"])
    twin = DecisionRecorded(id="D900", title="Use DuckDB", target="ｄb", reasons=reasons)

    def work(tx: WriteTx) -> None:
        app.store.record(tx, twin, Stamp(Actor("agent", "old", "agent"), AT))

    app.store.write("default", work)

    assert (bot.status(first), bot.status("D900")) == ("active", "active")
    with pytest.raises(Problem) as problem:
        bot.record("db")
    assert problem.value.details["decision_id"] == "D900"
    merged = bot.supersede(first, "D900", target="db")
    assert (bot.status(first), bot.status("D900")) == ("superseded", "superseded")
    assert bot.supersede(merged, title="Use files")


def test_of_two_on_one_target_the_other_holds_it_when_one_is_gone(
    app: Application, bot: Party
) -> None:
    first = bot.record("db", "Use SQLite")
    reasons = Digest(_row(app, first)["reasons"])
    twin = DecisionRecorded(id="D900", title="Use DuckDB", target="ｄb", reasons=reasons)
    stamp = Stamp(Actor("agent", "old", "agent"), AT)
    app.store.write("default", lambda tx: app.store.record(tx, twin, stamp))
    cache = bot.record("cache")

    bot.supersede("D900", cache, target="cache")

    with pytest.raises(Problem) as problem:
        bot.record("db")
    assert problem.value.details["decision_id"] == first
    bot.supersede(first, title="Use files")


def _row(app: Application, identifier: str) -> dict[str, str]:
    row = app.store.read("default", lambda tx: tx.get(DECISIONS, identifier))
    assert row is not None
    return row


@pytest.mark.holds("DEC-proposal-11")
def test_joining_it_with_another_target_is_no_way_round(bot: Party, person: Party) -> None:
    mine, other = bot.record("db"), bot.record("cache")
    person.reject(bot.propose("db", "Use DuckDB"))

    with refused("PROPOSAL_REFUSED"):
        bot.supersede(mine, other, target="cache", title="Use DuckDB for both")

    assert (bot.status(mine), bot.status(other)) == ("active", "active")
