"""Recording and superseding decisions, and the chains that come of it."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.problem import Problem
from tests.decisions.parties import WHY, Party, a_party, kinds, refused


@pytest.mark.holds("DEC-record-1", "004-record_decision-1", "ALL-11.4")
def test_a_decision_is_recorded_and_stays_as_it_was_given(bot: Party) -> None:
    given: dict[str, Any] = {
        "title": "  Use SQLite ",
        "target": "Database",
        "rationale": "It needs no server.\n",
        "consequences": ["One writer at a time", "Backups are files"],
        "cites": ["R001", "s:1", "path:src/db.py", "commit:1f2e3d", "R001"],
    }

    made = bot.ask("record_decision", **given)

    assert set(made) == {"decision_id", "session_id", "receipt", "unmatched"}
    shown = bot.get(made["decision_id"])["decision"]
    assert {name: shown[name] for name in given if name != "cites"} == {
        name: given[name] for name in given if name != "cites"
    }
    assert shown["cites"] == given["cites"][:-1]
    assert (shown["status"], shown["author"]) == ("active", "agent:test-agent")


@pytest.mark.holds("DEC-record-2", "DEC-record-3", "ALL-06.32")
@pytest.mark.parametrize("same", ["db", " DB ", "\tdB"])
def test_a_target_has_one_active_decision(bot: Party, same: str) -> None:
    first = bot.record("db", "Use SQLite")

    with refused("TARGET_CONFLICT") as problem:
        bot.record(same, "Use DuckDB")

    assert problem.details["decision_id"] == first
    assert "supersede_decision" in (problem.recovery_hint or "")
    assert kinds(bot.app) == ["decision_recorded"]


@pytest.mark.holds("DEC-record-4")
def test_of_many_who_record_on_one_target_at_once_one_succeeds(app: Application) -> None:
    parties = [a_party(app, "agent") for _ in range(6)]

    def attempt(party: Party) -> str:
        try:
            return party.record("db")
        except Problem as problem:
            return problem.code

    with ThreadPoolExecutor(len(parties)) as pool:
        outcomes = list(pool.map(attempt, parties))

    assert outcomes.count("TARGET_CONFLICT") == len(parties) - 1
    assert kinds(app) == ["decision_recorded"]


@pytest.mark.holds(
    "DEC-supersede-1",
    "004-supersede_decision-1",
    "DEC-chain-1",
    "DEC-chain-2",
    "DEC-chain-6",
    "ALL-11.4",
)
def test_superseding_makes_a_new_active_decision_of_the_chain(bot: Party) -> None:
    old = bot.record("db", "Use SQLite", consequences=["a"])
    before = bot.get(old)["decision"]

    new = bot.supersede(old, title="Use PostgreSQL", cites=["R001"])

    after = bot.get(old)
    assert after["decision"] == before | {"status": "superseded", "superseded_by": new}
    assert after["head"]["id"] == new
    assert [link["id"] for link in after["chain"]] == [old, new]
    shown = bot.get(new)["decision"]
    assert (shown["status"], shown["supersedes"], shown["version"]) == ("active", [old], 2)
    assert shown["cites"] == ["R001"]


@pytest.mark.holds("DEC-supersede-2", "004-supersede_decision-3", "ALL-06.33")
def test_superseding_what_does_not_exist_changes_nothing(bot: Party) -> None:
    old = bot.record()

    with refused("DECISION_NOT_FOUND"):
        bot.supersede(old, "D999")
    with refused("DECISION_NOT_FOUND"):
        bot.supersede(bot.propose("other"), target="other")

    assert bot.status(old) == "active"
    assert kinds(bot.app) == ["decision_recorded", "proposal_made"]


@pytest.mark.holds("DEC-supersede-3", "DEC-supersede-5", "DEC-chain-3", "ALL-06.34")
def test_what_was_superseded_is_never_superseded_again_nor_active(bot: Party) -> None:
    old = bot.record()
    new = bot.supersede(old)
    other = bot.record("cache")

    with refused("DECISION_NOT_ACTIVE") as problem:
        bot.supersede(other, old, target="cache")

    assert problem.details["superseded_by"] == new
    assert [bot.status(one) for one in (old, new, other)] == ["superseded", "active", "active"]
    with refused("TARGET_CONFLICT"):
        bot.record("db")


@pytest.mark.holds("DEC-supersede-4")
def test_superseding_keeps_the_target(bot: Party) -> None:
    database, _ = bot.record("db"), bot.record("cache")

    with refused("TARGET_CONFLICT"):
        bot.supersede(database, target="queue")
    with refused("TARGET_CONFLICT"):
        bot.supersede(database, target="cache")

    assert bot.supersede(database, target=" DB") == "D003"


@pytest.mark.holds("DEC-chain-4")
def test_a_merge_frees_the_other_targets_and_joins_the_chains(bot: Party) -> None:
    database = bot.supersede(bot.record("db"), target="db")
    cache = bot.record("cache")

    merged = bot.supersede(database, cache, database, target="cache")

    assert bot.get(merged)["decision"]["supersedes"] == [database, cache]
    for old in ("D001", database, cache):
        assert bot.get(old)["head"]["id"] == merged
    fresh = bot.record("db")
    assert bot.get("D001")["head"]["id"] == merged
    both = bot.supersede(merged, fresh, target="db")
    assert {bot.get(old)["head"]["id"] for old in ("D001", database, cache, fresh)} == {both}
    assert [link["id"] for link in bot.get("D001")["chain"]] == ["D001", database, merged, both]


def test_a_decision_begins_a_session_and_is_on_the_projects_activity(bot: Party) -> None:
    made = bot.ask("record_decision", title="T", target="db", rationale=WHY)
    bot.supersede(made["decision_id"])

    assert made["session_id"] == bot.session()
    assert bot.activity() == ["session_started", "decision_recorded", "decision_superseded"]
    assert bot.tick() == 0


@pytest.mark.slow("a thousand writes on every engine")
def test_the_head_is_found_however_long_the_chain_is(bot: Party) -> None:
    head = bot.record(title="Version 0")
    for version in range(1, 1_000):
        head = bot.supersede(head, title=f"Version {version}")

    assert bot.get("D001")["head"]["id"] == head
    assert bot.get(head)["decision"]["version"] == 1_000
