"""Searching decisions: the graph has the last word, whatever words and vectors say."""

from collections.abc import Sequence

import pytest

from hansard.app.application import Application
from hansard.kernel.engine import Hit
from tests.conftest import SteppingClock
from tests.decisions.conftest import OpenWith
from tests.decisions.known import SECRET
from tests.decisions.parties import (
    OpenEngine,
    Party,
    a_party,
    advance,
    on_one_engine,
    refused,
)

MODES = ("strict", "balanced", "audit")


@pytest.fixture
def open_engine() -> OpenEngine:
    return on_one_engine()


class Fixed:
    """Meanings that find what they are told to, right or wrong."""

    name = "fixed"

    def __init__(self, *hits: tuple[str, float], lag: int = 0) -> None:
        self.hits = [Hit(*hit) for hit in hits]
        self.behind = lag
        self.asked: list[tuple[str, str, str]] = []

    def nearest(
        self, project: str, topic: str, query: str, *, limit: int, **others: object
    ) -> list[Hit]:
        del others
        self.asked.append((project, topic, query))
        return self.hits[:limit]

    def lag(self, project: str) -> int:
        del project
        return self.behind


@pytest.mark.holds("DEC-search-1", "DEC-search-2", "DEC-search-3")
def test_an_answer_says_what_why_and_by_which_index(bot: Party) -> None:
    bot.record("db", "Use SQLite", rationale="One file is easy to back up.")

    found = bot.ask("search_decisions", query="easy files")

    assert found["index"] == "none"
    assert found["index_lag"] == 0
    [one] = found["results"]
    assert one == {
        "id": "D001",
        "title": "Use SQLite",
        "target": "db",
        "status": "active",
        "score": 1.933,
        "preview": "One file is easy to back up.",
        "matched_via": [],
        "author": "agent:test-agent",
    }


@pytest.mark.holds("DEC-search-1")
def test_five_are_shown_unless_more_are_asked_for(bot: Party) -> None:
    for number in range(7):
        bot.record(f"target {number}", "Use SQLite")

    assert len(bot.search("SQLite")) == 5
    assert len(bot.search("SQLite", limit=7)) == 7
    with refused("INVALID_INPUT"):
        bot.search("SQLite", mode="loose")


@pytest.mark.holds("ALL-09.12")
def test_a_search_is_of_the_present_only(bot: Party) -> None:
    with refused("INVALID_INPUT") as problem:
        bot.search("SQLite", as_of="t:1")

    assert "as_of" in problem.message


@pytest.mark.holds("DEC-search-5", "DEC-search-6", "004-guarantee-1")
@pytest.mark.parametrize("mode", ["strict", "balanced"])
def test_what_matches_a_superseded_decision_leads_to_the_active_one(bot: Party, mode: str) -> None:
    first = bot.record(title="Use SQLite", rationale="Elephants are heavy")
    second = bot.supersede(first, title="Use DuckDB")
    third = bot.supersede(second, title="Use PostgreSQL")

    [found] = bot.search("elephants", mode)

    assert (found["id"], found["status"], found["matched_via"]) == (third, "active", [first])
    assert bot.search("Use", mode)[0]["matched_via"] == [first, second]


@pytest.mark.holds("DEC-search-8", "004-guarantee-2", "004-search_decisions-2")
def test_strict_shows_nothing_but_what_is_active(bot: Party, person: Party) -> None:
    old = bot.record("db", "Elephant")
    new = bot.supersede(old, title="Elephant two")
    bot.propose("queue", "Elephant three")
    person.reject(bot.propose("cache", "Elephant four"))

    assert bot.ids("elephant", "strict") == [new]


@pytest.mark.holds("DEC-search-7", "DEC-search-9", "DEC-search-11", "004-guarantee-3")
def test_balanced_adds_what_has_no_active_end_after_all_that_is_active(
    bot: Party, person: Party
) -> None:
    bot.propose("queue", "Elephant elephant elephant", rationale="elephant elephant")
    rejected = bot.propose("cache", "Elephant elephant", rationale="elephant elephant")
    person.reject(rejected)
    active = bot.record("db", "Something else", rationale="with one elephant in it")

    found = bot.search("elephant")

    assert [one["id"] for one in found] == [active, "P001", rejected]
    assert [one["status"] for one in found] == ["active", "proposed", "rejected"]
    assert found[0]["score"] > 1.0 >= found[1]["score"] >= found[2]["score"] > 0


def test_what_was_turned_down_fills_no_answer_unless_it_is_asked_for(
    bot: Party, person: Party
) -> None:
    turned_down = [bot.propose(f"cache {number}", f"Elephant {number}") for number in range(4)]
    for one in turned_down:
        person.reject(one)
    open_one = bot.propose("queue", "A mouse", rationale="beside an elephant, far away")

    found = bot.search("elephant")

    assert sorted(one["status"] for one in found) == ["proposed", "rejected"]
    assert open_one in {one["id"] for one in found}
    asked = bot.ask("search_decisions", query="elephant", where={"status": "rejected"})["results"]
    assert {one["id"] for one in asked} == {*turned_down}


@pytest.mark.holds("DEC-search-7", "004-guarantee-4", "004-search_decisions-3")
def test_a_target_is_shown_once_and_by_its_active_decision(bot: Party) -> None:
    active = bot.record("db", "An elephant")
    bot.propose(" DB", "Elephant elephant elephant")
    bot.propose("queue", "Elephant one")
    bot.propose("QUEUE", "Elephant two elephant")

    found = bot.search("elephant")

    assert found[0]["id"] == active
    assert len(found) == 2
    assert len(bot.search("elephant", "audit")) == 4


@pytest.mark.holds("DEC-search-10", "004-search_decisions-4")
def test_audit_shows_everything_as_it_is(bot: Party, admin: Party, clock: SteppingClock) -> None:
    old = bot.record("db", "Elephant one")
    new = bot.supersede(old, title="Elephant two")
    accepted, rejected = bot.propose("a", "Elephant three"), bot.propose("b", "Elephant four")
    advance(clock, 3600)
    made = admin.accept(accepted)
    admin.reject(rejected)
    still = bot.propose("c", "Elephant five")

    found = {one["id"]: one for one in bot.search("elephant", "audit", limit=100)}

    assert {name: one["status"] for name, one in found.items()} == {
        old: "superseded",
        new: "active",
        accepted: "accepted",
        made: "active",
        rejected: "rejected",
        still: "proposed",
    }
    assert all(one["matched_via"] == [] for one in found.values())
    assert bot.search("elephant three", "strict")[0]["matched_via"] == [accepted]


def test_a_merged_decision_is_found_by_what_any_of_its_chains_said(bot: Party) -> None:
    left = bot.supersede(bot.record("db", "Elephants"), title="Lions", target="db")
    right = bot.record("cache", "Giraffes")

    merged = bot.supersede(left, right, target="cache", title="Both")

    for word in ("elephants", "lions", "giraffes"):
        assert bot.ids(word, "strict") == [merged]


@pytest.mark.holds("004-guarantee-1", "DEC-chain-4", "DEC-chain-5")
def test_the_head_is_found_from_each_of_a_thousand_superseded_texts(
    app: Application, bot: Party
) -> None:
    head = bot.record(title="Version zero of the common rule", rationale="word0 and reasons")
    for version in range(1, 1_000):
        head = bot.supersede(head, title="Common rule", rationale=f"word{version} and reasons")
    other = bot.record("cache", "A common rule about caches")
    reader = a_party(app, "human", "viewer")

    for version in (0, 1, 499, 998):
        [found] = reader.search(f"word{version}", "strict")
        assert found["id"] == head
        assert found["matched_via"] == [f"D{version + 1:03d}"]

    assert sorted(reader.ids("common rule", "strict")) == sorted([head, other])
    assert reader.get("D001")["head"]["id"] == head
    assert len(reader.search("common rule", "audit", limit=1_000)) == 1_000


def test_a_score_tells_how_much_of_the_question_was_found(bot: Party) -> None:
    bot.record("db", "Use SQLite")

    whole, part = (bot.search(query)[0]["score"] for query in ("sqlite", "sqlite elephants"))

    assert 1.9 < whole <= 2.0
    assert 1.0 < part < 1.5


@pytest.mark.holds("DEC-search-4", "004-search_decisions-1", "004-guarantee-0")
def test_what_is_found_by_meaning_joins_what_is_found_by_words(open_with: OpenWith) -> None:
    meanings = Fixed(("D002", 0.9), ("D001", 0.2), lag=7)
    bot = a_party(open_with(meanings=meanings), "agent")
    bot.record("db", "Use SQLite")
    bot.record("cache", "Keep pages in memory")

    found = bot.ask("search_decisions", query="sqlite")

    assert {one["id"] for one in found["results"]} == {"D001", "D002"}
    assert (found["index"], found["index_lag"]) == ("fixed", 7)
    assert meanings.asked == [("default", "decisions", "sqlite")]


@pytest.mark.holds("DEC-search-4")
def test_of_what_means_the_same_that_comes_first_which_the_question_names(
    open_with: OpenWith,
) -> None:
    meanings = Fixed(("D001", 0.5), ("D002", 0.5), ("D003", 0.48))
    bot = a_party(open_with(meanings=meanings), "agent")
    for number, part in enumerate(("portal", "portal", "billing", *["billing"] * 10)):
        bot.record(f"{part} {number}", f"Choice {number} of the {part}")

    found = bot.ask("search_decisions", query="What does one get when the bill of billing fails?")

    assert [one["id"] for one in found["results"]][:3] == ["D003", "D001", "D002"]


@pytest.mark.holds("DEC-search-4")
def test_a_decision_that_was_made_once_is_found_among_those_that_were_changed(
    open_with: OpenWith,
) -> None:
    meanings = Fixed(("D003", 0.6), ("D001", 0.55), ("D002", 0.5))
    bot = a_party(open_with(meanings=meanings), "agent")
    old = bot.record("cache", "Keep pages")
    bot.supersede(old, title="Keep no pages", target="cache")
    bot.record("db", "Use SQLite")

    found = bot.ask("search_decisions", query="where does everything go")

    assert [one["id"] for one in found["results"]] == ["D003", "D002"]
    # In words that only an older version has, that is what was meant.
    by_words = bot.ask("search_decisions", query="keep pages")
    assert [one["id"] for one in by_words["results"]] == ["D002", "D003"]


@pytest.mark.holds("DEC-search-4")
def test_who_asks_in_all_words_of_a_title_finds_that_decision_though_it_was_changed(
    open_with: OpenWith,
) -> None:
    meanings = Fixed(("D002", 0.9), ("D003", 0.75), ("D001", 0.2))
    bot = a_party(open_with(meanings=meanings), "agent")
    old = bot.record("uploads", "Keep all of it for ever on the local disk")
    title = "Delete customer uploads from object storage after thirty days"
    bot.supersede(old, title=title, target="uploads")
    bot.record("exports", "Delete customer exports from object storage after ninety days")

    found = bot.ask("search_decisions", query=title)

    assert [one["id"] for one in found["results"]] == ["D002", "D003"]


HOSTILE: Sequence[tuple[str, float]] = [
    ("D999", 1.0),
    ("", 1.0),
    ("D001", float("nan")),
    ("D001", float("inf")),
    ("P001", 1e308),
    ("D003", -1e308),
    ("D002", float("-inf")),
    ("D001", 1.0),
    ("D001\0", 1.0),
    ("' OR 1=1 --", 1.0),
]


@pytest.mark.holds("DEC-search-12", "004-guarantee-2", "004-guarantee-3")
def test_no_vector_index_can_bring_back_what_is_not_active(open_with: OpenWith) -> None:
    bot = a_party(open_with(meanings=Fixed(*HOSTILE)), "agent")
    old = bot.record("db", "Elephant")
    new = bot.supersede(old, title="Lion")
    other = bot.record("cache", "Elephant cache")
    bot.propose("queue", "Elephant queue")

    for query in ("elephant", "lion", "nothing at all", ""):
        strict = bot.search(query, "strict")
        assert {one["status"] for one in strict} <= {"active"}
        assert {one["id"] for one in strict} <= {new, other}
        statuses = [one["status"] for one in bot.search(query)]
        assert statuses == sorted(statuses)  # active before proposed
        for one in bot.search(query, "audit", limit=100):
            assert 0 <= one["score"] <= 2


def test_an_index_that_lags_behind_still_leads_to_the_newest(open_with: OpenWith) -> None:
    meanings = Fixed(("D001", 0.9), lag=2)
    bot = a_party(open_with(meanings=meanings), "agent")
    first = bot.record("db", "Elephant")
    newest = bot.supersede(bot.supersede(first, title="Lion"), title="Giraffe")

    assert bot.ids("an unrelated query", "strict") == [newest]
    meanings.hits = []
    assert bot.ids("an unrelated query", "strict") == []
    assert bot.ids("elephant", "strict") == [newest]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "query", ["", " ", "\0", "*", '"', "a AND OR NOT", "title:x", "((", "\U0001f600", "x" * 10_000]
)
def test_any_query_is_answered(bot: Party, mode: str, query: str) -> None:
    bot.record()

    assert bot.ids(query, mode) in ([], ["D001"])


@pytest.mark.holds("ALL-02.12")
def test_another_projects_decisions_are_neither_found_nor_in_the_way(app: Application) -> None:
    here = a_party(app, "agent")
    here.ask("create_project", id="elsewhere", name="Elsewhere")
    there = Party(app, a_party(app, "agent").caller, project_id="elsewhere")
    mine = here.record("db", "Elephant")
    theirs = there.record("db", "Elephant there")

    assert here.ids("elephant", "audit") == [mine]
    assert there.ids("elephant", "audit") == [theirs]
    with refused("DECISION_NOT_FOUND"):
        here.get(theirs)
    with refused("DECISION_NOT_FOUND"):
        here.supersede(theirs)
    with refused("PROPOSAL_NOT_FOUND"):
        a_party(app, "human", "admin", secret=SECRET).accept(there.propose())
