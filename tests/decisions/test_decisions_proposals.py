"""Proposals: drafts, their review window, accepting and rejecting them."""

from datetime import UTC, datetime, timedelta

import pytest

from hansard.kernel.clock import from_text
from tests.conftest import SteppingClock
from tests.decisions.conftest import OpenWith
from tests.decisions.known import SECRET
from tests.decisions.parties import (
    OpenEngine,
    Party,
    a_party,
    advance,
    kinds,
    on_one_engine,
    refused,
)

HOUR_S = 3600


@pytest.fixture
def open_engine() -> OpenEngine:
    return on_one_engine()


@pytest.mark.holds("DEC-proposal-1", "ALL-11.4")
def test_a_proposal_is_a_draft_that_strict_never_shows(bot: Party) -> None:
    made = bot.ask(
        "propose_decision",
        title="Use DuckDB",
        target="db",
        rationale="Analytics became slow.",
        cites=["s:1", "path:bench/scan.py"],
    )

    assert made["status"] == "proposed"
    assert made["supersedes"] == []
    shown = bot.get(made["proposal_id"])
    assert (shown["decision"]["status"], shown["decision"]["id"]) == ("proposed", "P001")
    assert [one["ref"] for one in shown["evidence"]] == ["s:1", "path:bench/scan.py"]
    assert bot.ids("DuckDB", "strict") == []
    assert bot.ids("DuckDB", "balanced") == bot.ids("DuckDB", "audit") == ["P001"]
    assert bot.record("db") == "D001"


@pytest.mark.holds("004-accept_proposal-1", "DEC-proposal-9")
def test_an_accepted_proposal_is_an_active_decision_that_names_it(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    proposal = bot.propose("db", "Use DuckDB", consequences=["a"], cites=["R1"])
    advance(clock, HOUR_S)

    decision = admin.accept(proposal)

    shown = bot.get(decision)["decision"]
    before = bot.get(proposal)["decision"]
    assert (before["status"], before["decision_id"]) == ("accepted", decision)
    assert (shown["status"], shown["proposal_id"]) == ("active", proposal)
    assert (shown["author"], shown["accepted_by"]) == ("agent:test-agent", "human:test-human")
    for field in ("title", "target", "rationale", "consequences", "cites"):
        assert shown[field] == before[field]
    assert bot.ids("DuckDB", "strict") == [decision]


@pytest.mark.holds("DEC-proposal-4", "DEC-proposal-5", "004-accept_proposal-3", "ALL-06.38")
def test_a_proposal_is_accepted_from_just_an_hour_after_it_was_made(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    made = bot.ask("propose_decision", title="T", target="db", rationale="Because it is so.")
    last_moment = clock.now + timedelta(seconds=HOUR_S)

    clock.now = last_moment - timedelta(seconds=1, microseconds=1)
    with refused("REVIEW_WINDOW") as problem:
        admin.accept("P001")
    clock.now = last_moment - timedelta(seconds=1)
    decision = admin.accept("P001")

    assert problem.details["acceptable_from"] == made["acceptable_from"]
    assert from_text(made["acceptable_from"]) == last_moment
    assert admin.status(decision) == "active"


@pytest.mark.holds("DEC-proposal-6")
def test_the_window_is_configurable(open_with: OpenWith, clock: SteppingClock) -> None:
    app = open_with(review_window_s=10)
    proposal = a_party(app, "agent").propose()
    admin = a_party(app, "human", "admin", secret=SECRET)

    advance(clock, 9)
    with refused("REVIEW_WINDOW"):
        admin.accept(proposal)

    assert admin.accept(proposal) == "D001"


@pytest.mark.holds("DEC-proposal-7")
def test_a_clock_set_back_never_shortens_the_window(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    proposal = bot.propose()

    for hours in (-2, -24, -10_000):
        clock.now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
        with refused("REVIEW_WINDOW"):
            admin.accept(proposal)

    assert kinds(bot.app) == ["proposal_made"]


@pytest.mark.holds("DEC-proposal-7")
def test_a_proposal_made_while_the_clock_was_back_counts_from_the_journals_time(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    bot.record("other")
    now = clock.now
    clock.now = now - timedelta(hours=2)
    proposal = bot.propose()

    clock.now = now
    with refused("REVIEW_WINDOW"):
        admin.accept(proposal)
    clock.now = now + timedelta(seconds=HOUR_S - 1)

    assert admin.accept(proposal) == "D002"


@pytest.mark.holds("DEC-proposal-7")
def test_a_clock_that_jumps_ahead_and_back_does_not_open_the_window(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    proposal = bot.propose()
    now = clock.now
    clock.now = now + timedelta(hours=3)
    bot.record("other")

    clock.now = now + timedelta(minutes=5)
    with refused("REVIEW_WINDOW"):
        admin.accept(proposal)


def test_an_edit_begins_the_window_anew_and_is_what_is_accepted(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    proposal = bot.propose(title="Use DuckDB", cites=["R001"])
    advance(clock, HOUR_S - 2)

    assert bot.propose(title="Delete everything", proposal_id=proposal) == proposal
    advance(clock, 60)
    with refused("REVIEW_WINDOW"):
        admin.accept(proposal)
    advance(clock, HOUR_S)
    decision = admin.accept(proposal)

    shown = bot.get(decision)["decision"]
    assert shown["title"] == "Delete everything"
    assert "cites" not in shown
    assert bot.ids("DuckDB", "audit") == []


def test_an_edit_that_changes_nothing_neither_resets_nor_writes(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    proposal = bot.propose()
    advance(clock, HOUR_S - 1)

    assert bot.propose(proposal_id=proposal) == proposal
    assert bot.propose() == proposal

    assert admin.accept(proposal) == "D001"
    assert kinds(bot.app) == ["proposal_made", "proposal_accepted"]


def test_the_same_words_with_other_evidence_edit_the_open_draft(bot: Party) -> None:
    proposal = bot.propose(title="Use DuckDB")

    assert bot.propose(title=" use  duckdb", cites=["R001"]) == proposal

    assert bot.get(proposal)["decision"]["cites"] == ["R001"]
    assert kinds(bot.app) == ["proposal_made", "proposal_edited"]


def test_a_draft_cannot_be_edited_into_another(bot: Party) -> None:
    bot.propose(title="Use DuckDB")
    second = bot.propose(title="Use Redis")

    with refused("INVALID_INPUT"):
        bot.propose(title="Use DuckDB", proposal_id=second)


@pytest.mark.holds("DEC-proposal-8")
def test_a_rejected_proposal_is_refused_ever_after_and_cited(bot: Party, person: Party) -> None:
    rejected = bot.propose(title="Use DuckDB")
    person.reject(rejected, reason="We have been there")
    other = bot.propose(title="Use Redis")

    for again in (
        {"title": "Use DuckDB"},
        {"title": " use  DUCKDB\n", "cites": ["R9"]},
        {"title": "Use DuckDB", "proposal_id": other},
    ):
        with refused("PROPOSAL_REFUSED") as problem:
            bot.propose(**again)
        assert problem.details["proposal_id"] == rejected
        assert "We have been there" in problem.message

    assert bot.status(rejected) == "rejected"
    assert bot.get(rejected)["decision"]["reason"] == "We have been there"
    assert bot.propose("cache", "Use DuckDB") == "P003"
    assert bot.propose(title="Use DuckDB", rationale="A new reason altogether") == "P004"


def test_what_was_decided_about_a_proposal_stays_so(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    rejected, accepted = bot.propose("a"), bot.propose("b")
    admin.reject(rejected)
    advance(clock, HOUR_S)
    admin.accept(accepted)

    for closed in (rejected, accepted):
        with refused("PROPOSAL_CLOSED"):
            admin.reject(closed)
        with refused("PROPOSAL_CLOSED"):
            bot.propose(title="Another", proposal_id=closed)
    with refused("PROPOSAL_CLOSED") as problem:
        admin.accept(rejected)

    assert problem.details["status"] == "rejected"


def test_accepting_again_tells_what_it_became_and_writes_nothing(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    proposal = bot.propose()
    advance(clock, HOUR_S)

    first = admin.ask("accept_proposal", proposal_id=proposal)
    again = admin.ask("accept_proposal", proposal_id=proposal)

    assert first.pop("receipt")
    assert again == first
    assert kinds(bot.app).count("proposal_accepted") == 1


def test_a_proposal_is_shown_as_what_became_of_it(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    old, proposal = bot.record("db"), bot.propose("db")

    def told(identifier: str) -> str:
        asked = {"decision_id": identifier}
        return bot.app.call("get_decision", asked, bot.caller).text().splitlines()[0]

    assert told(proposal).startswith(f"[{proposal}] (proposed)")
    advance(clock, HOUR_S)
    made = admin.accept(proposal)
    assert told(proposal).startswith(f"Accepted: read [{made}] (active)")
    assert told(old).startswith(f"Superseded: read [{made}] (active)")


@pytest.mark.holds("DEC-proposal-10")
def test_a_proposal_onto_an_occupied_target_names_what_it_supersedes(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    old, cache = bot.record("db"), bot.record("cache")

    made = bot.ask("propose_decision", title="T", target="DB", rationale="Because it is better.")
    merging = bot.propose("cache", old_decision_ids=[old, cache])

    assert made["supersedes"] == [old]
    assert bot.get(merging)["decision"]["supersedes"] == [old, cache]
    advance(clock, HOUR_S)
    merged = admin.accept(merging)
    assert bot.get(old)["head"]["id"] == merged
    with refused("DECISION_NOT_ACTIVE"):
        admin.accept(made["proposal_id"])


def test_a_proposal_that_was_overtaken_is_not_accepted_until_it_says_so(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    proposal = bot.propose("db")
    taken = bot.record("db")
    advance(clock, HOUR_S)

    with refused("TARGET_CONFLICT") as problem:
        admin.accept(proposal)
    assert "proposal_id" in (problem.recovery_hint or "")
    bot.propose("db", proposal_id=proposal)
    advance(clock, HOUR_S)
    decision = admin.accept(proposal)

    assert bot.get(taken)["head"]["id"] == decision


def test_a_proposal_that_supersedes_needs_as_long_a_rationale(bot: Party) -> None:
    bot.record("db")

    with refused("INVALID_INPUT"):
        bot.propose("db", rationale="x" * 14)
    with refused("TARGET_CONFLICT"):
        bot.propose("queue", old_decision_ids=["D001"])

    assert bot.propose("db", rationale="x" * 15)


@pytest.mark.holds("ALL-06.36")
@pytest.mark.parametrize("unknown", ["P999", "D001", "", "../../etc/passwd", "HEAD"])
def test_an_unknown_proposal_is_not_found(bot: Party, admin: Party, unknown: str) -> None:
    bot.record()
    code = "PROPOSAL_NOT_FOUND" if unknown else "INVALID_INPUT"

    for operation in ("accept_proposal", "reject_proposal"):
        with refused(code):
            admin.ask(operation, proposal_id=unknown)
    with refused(code):
        bot.propose(proposal_id=unknown)
