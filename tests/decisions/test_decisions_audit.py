"""Audit is history: by relevance alone, the same order at any limit, and a target's whole story."""

import pytest

from hansard.decisions.ranking import RankedMatch, RankedStanding, rank
from tests.conftest import SteppingClock
from tests.decisions.conftest import OpenWith
from tests.decisions.parties import OpenEngine, Party, a_party, advance, on_one_engine, refused

VERSIONS = 320


@pytest.fixture
def open_engine() -> OpenEngine:
    return on_one_engine()


def a_chain(bot: Party, length: int) -> list[str]:
    made = [bot.record("cache", "cache policy v0")]
    for number in range(1, length):
        made.append(bot.supersede(made[-1], target="cache", title=f"cache policy v{number}"))
    return made


@pytest.mark.holds("DEC-search-13")
def test_what_is_superseded_and_matches_exactly_comes_before_what_is_active_and_hardly_does(
    bot: Party,
) -> None:
    old = bot.record("db", "Elephants carry the archive")
    bot.supersede(old, title="Use PostgreSQL", rationale="One server for all of it")
    active = bot.record("zoo", "Visiting hours", rationale="The elephants are fed at noon each day")

    found = bot.search("elephants carry the archive", "audit")

    assert [one["id"] for one in found][:2] == [old, active]
    assert [one["status"] for one in found][:2] == ["superseded", "active"]
    assert 1.0 >= found[0]["score"] > found[1]["score"]


@pytest.mark.holds("DEC-search-13")
def test_a_chain_of_320_versions_has_one_order_at_every_limit(bot: Party) -> None:
    chain = a_chain(bot, VERSIONS)
    images = bot.record("images", "cache policy for images of every size and of every origin")

    whole = bot.search("cache policy", "audit", limit=1_000)

    ids = [one["id"] for one in whole]
    assert ids[0] == chain[-1]
    assert sorted(ids) == sorted([*chain, images])
    assert [one["score"] for one in whole] == sorted((one["score"] for one in whole), reverse=True)
    for limit in (1, 2, 10, 99, 100, 101, 200, 321):
        assert bot.ids("cache policy", "audit", limit=limit) == ids[:limit]


def test_what_is_found_by_meaning_has_one_order_at_every_limit_too(open_with: OpenWith) -> None:
    from tests.decisions.test_decisions_search import Fixed

    meanings = Fixed(*((f"D{number:03}", number / 200) for number in range(1, 131)))
    bot = a_party(open_with(meanings=meanings), "agent")
    a_chain(bot, 130)

    ids = bot.ids("cache policy", "audit", limit=1_000)

    for limit in (1, 5, 99, 101, 129):
        assert bot.ids("cache policy", "audit", limit=limit) == ids[:limit]


def test_equals_come_active_first_and_then_the_newest() -> None:
    old, newer = (
        RankedStanding("D001", "t", is_active=False, seq=1),
        RankedStanding("D002", "t", False, 2),
    )
    active = RankedStanding("D000", "t", is_active=True, seq=0)
    matches = [RankedMatch(one, 0.5, active) for one in (old, newer, active)]

    assert [one.standing.id for one in rank(matches, "audit", 3)] == ["D000", "D002", "D001"]


def test_history_is_filtered_by_target_status_author_and_time(
    bot: Party, admin: Party, clock: SteppingClock
) -> None:
    old = bot.record("db", "Elephant one")
    advance(clock, 3_600)
    new = admin.supersede(old, title="Elephant two")
    at = admin.get(new)["decision"]["at"]
    other = bot.record("zoo", "Elephant three")
    draft = bot.propose("queue", "Elephant four")

    def found(**where: str) -> list[str]:
        return sorted(bot.ids("elephant", "audit", where=where))

    assert found(target=" DB ") == [old, new]
    assert found(status="superseded") == [old]
    assert found(status="proposed") == [draft]
    assert found(author="human:test-human") == found(author="human") == [new]
    assert found(since=at) == [new, other, draft]
    assert found(until=at) == [old, new]
    assert found(target="db", until=at, author="agent") == [old]
    assert bot.ids("elephant", "strict", where={"author": "agent"}) == [other]
    assert bot.ids("", "audit", where={"target": "db"}) == [new, old]
    assert bot.ids("", "strict", where={"target": "db"}) == [new]


@pytest.mark.parametrize("where", [{"status": "gone"}, {"since": "soon"}, {"who": "me"}, []])
def test_a_filter_that_means_nothing_is_refused(bot: Party, where: object) -> None:
    bot.record()

    with refused("INVALID_INPUT"):
        bot.search("sqlite", "audit", where=where)


@pytest.mark.holds("DEC-search-14")
def test_the_history_of_a_target_is_its_chain_in_order_with_what_changed(bot: Party) -> None:
    first = bot.record("db", "Use SQLite", rationale="One file.\nEasy to back up.")
    second = bot.supersede(first, title="Use DuckDB", rationale="One file.\nFast to scan columns.")
    third = bot.supersede(
        second, title="Use DuckDB", rationale="One file.\nFast to scan columns.", consequences="SQL"
    )
    bot.record("cache", "Keep pages")

    told = bot.search("", "audit", where={"target": "db"}, history=True)

    assert [one["id"] for one in told] == [first, second, third]
    assert [one["status"] for one in told] == ["superseded", "superseded", "active"]
    assert "+title: Use SQLite\n" in told[0]["changes"]
    assert f"--- {first}\n+++ {second}\n" in told[1]["changes"]
    assert "-Easy to back up.\n+Fast to scan columns.\n" in told[1]["changes"]
    assert " One file.\n" in told[1]["changes"]
    assert told[2]["changes"].splitlines()[-1] == "+- SQL"
    assert {one["author"] for one in told} == {"agent:test-agent"}


def test_of_a_long_history_the_newest_are_told_and_how_many_came_before(bot: Party) -> None:
    chain = a_chain(bot, 12)

    told = bot.ask(
        "search_decisions", query="", mode="audit", where={"target": "cache"}, history=True
    )

    assert [one["id"] for one in told["results"]] == chain[-5:]
    assert told["earlier"] == 7
    until = {"target": "cache", "until": f"s:{bot.get(chain[6])['decision']['seq']}"}
    assert bot.ids("", "audit", where=until, history=True) == chain[2:7]


def test_a_merge_is_compared_with_what_was_about_the_same_target(bot: Party) -> None:
    left, right = bot.record("db", "Use SQLite"), bot.record("cache", "Keep pages")
    merged = bot.supersede(left, right, target="cache", title="Keep both")

    told = bot.search("", where={"target": "cache"}, history=True)

    assert [one["id"] for one in told] == [right, merged]
    assert f"--- {right}\n" in told[1]["changes"]


def test_the_history_of_nothing_is_refused(bot: Party) -> None:
    with refused("INVALID_INPUT"):
        bot.search("sqlite", "audit", history=True)
