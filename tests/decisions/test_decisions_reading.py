"""Looking at decisions, on every engine: chains, the past, evidence, what rests on them."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.verify import verify
from hansard.decisions.governed_files import GoverningDecision, governed
from hansard.decisions.tables import ACTIVE, CHAINS, DECISIONS, DRAFTS
from hansard.kernel.engine import Hit, ReadTx
from tests.conftest import SteppingClock
from tests.decisions.conftest import OpenWith
from tests.decisions.known import SECRET
from tests.decisions.parties import Party, a_party, advance, refused


@pytest.mark.holds("DEC-chain-6")
def test_a_long_chain_is_shown_around_the_decision_asked_for(bot: Party) -> None:
    ids = [bot.record()]
    for _ in range(110):
        ids.append(bot.supersede(ids[-1]))

    first, middle, last = (bot.get(ids[place]) for place in (0, 55, 110))

    assert [link["id"] for link in first["chain"]] == ids[:51]
    assert [link["id"] for link in middle["chain"]] == ids[5:106]
    assert [link["id"] for link in last["chain"]] == ids[60:]
    assert [one.get("more_before", False) for one in (first, middle, last)] == [False, True, True]
    assert [one.get("more_after", False) for one in (first, middle, last)] == [True, True, False]
    assert {one["head"]["id"] for one in (first, middle)} == {ids[-1]}
    assert "head" not in last


@pytest.mark.holds("ALL-09.8")
def test_a_decision_is_shown_as_it_stood(bot: Party) -> None:
    first = bot.ask(
        "record_decision", title="One", target="db", rationale="Because it was so then."
    )
    then = f"s:{first['receipt']['seq']}"
    second = bot.supersede(first["decision_id"])
    bot.supersede(second, bot.record("cache"), target="cache")

    past = bot.get("D001", as_of=then)

    assert past["decision"]["status"] == "active"
    assert [link["id"] for link in past["chain"]] == ["D001"]
    assert "head" not in past
    assert "blast_radius" not in past
    assert bot.get("D001")["head"]["id"] == "D004"
    with refused("DECISION_NOT_FOUND"):
        bot.get(second, as_of=then)


def test_evidence_says_what_is_known_of_it(bot: Party) -> None:
    first = bot.record("db", "Use SQLite")
    bot.supersede(first)
    cites = [first, "s:3", "path:src/db.py", "commit:1f2e3d", "C001", "s:\u0663"]

    shown = bot.get(bot.record("cache", cites=cites))

    about = {one["ref"]: one.get("about") for one in shown["evidence"]}
    assert list(about) == cites
    assert about[first] == "(superseded) Use SQLite"
    assert about["s:3"]
    assert {about[ref] for ref in cites[2:]} == {None}


@pytest.mark.holds("DEC-blast-2")
def test_what_cites_a_decision_is_its_blast_radius(bot: Party) -> None:
    first = bot.record("db")
    citing = bot.record("cache", cites=[first])
    draft = bot.propose("queue", cites=[first, citing])
    bot.propose("queue", proposal_id=draft, title="Edited", cites=[citing])

    assert bot.get(first)["blast_radius"] == {"decisions": [citing]}
    assert bot.get(citing)["blast_radius"] == {"decisions": [draft]}
    made = bot.ask(
        "supersede_decision",
        old_decision_ids=[first, citing],
        title="T",
        target="db",
        rationale="Because they were the same.",
    )
    assert made["blast_radius"] == {"decisions": [citing, draft]}


@pytest.mark.holds("DEC-blast-2")
def test_what_others_know_of_it_is_told_too(open_with: OpenWith, clock: SteppingClock) -> None:
    def radius(tx: ReadTx, identifier: str) -> dict[str, list[str]]:
        assert tx.head().seq
        return {"records": ["R001", f"R{identifier}"], "files": []}

    app = open_with(blast_radius=radius)
    bot, admin = a_party(app, "agent"), a_party(app, "human", "admin", secret=SECRET)
    bot.record("db"), bot.record("cache")
    bot.propose("cache", old_decision_ids=["D001", "D002"])
    advance(clock, 3600)

    accepted = admin.ask("accept_proposal", proposal_id="P001")

    assert accepted["blast_radius"] == {"records": ["R001", "RD001", "RD002"]}
    assert bot.get("D001")["blast_radius"] == {"records": ["R001", "RD001"]}
    text = app.call("get_decision", {"decision_id": "D001"}, bot.caller).text()
    assert "Cited by records: R001, RD001" in text


@pytest.mark.parametrize(
    "unknown", ["D999", "../../etc/passwd", "HEAD", "main@{1}", "s:1", "\u0130"]
)
def test_an_unknown_decision_is_not_found(bot: Party, unknown: str) -> None:
    bot.record()

    with refused("DECISION_NOT_FOUND"):
        bot.get(unknown)


def test_an_answers_text_suffices_alone(bot: Party, app: Application) -> None:
    bot.record("db", "Use SQLite", rationale="It needs no server.", consequences=["One writer"])
    bot.supersede("D001", title="Use PostgreSQL")

    text = app.call("get_decision", {"decision_id": "D001"}, bot.caller).text()
    found = app.call("search_decisions", {"query": "server"}, bot.caller).text()

    for part in ("[D002]", "It needs no server.", "- One writer", "by agent:test-agent"):
        assert part in text
    assert "[D002] (active) db: Use PostgreSQL" in found
    assert "via D001" in found


class Hostile:
    """Meanings that name what no database has."""

    name = "hostile"

    def nearest(
        self, project: str, topic: str, query: str, *, limit: int, **others: object
    ) -> list[Hit]:
        del project, topic, query, limit, others
        return [Hit("D001\0", 1.0), Hit("' OR 1=1 --", 9e99), Hit("D001", 0.5), Hit("", 0.1)]

    def lag(self, project: str) -> int:
        del project
        return 10**9


@pytest.mark.holds("DEC-search-12")
def test_no_name_from_a_vector_index_harms_an_engine(open_with: OpenWith) -> None:
    bot = a_party(open_with(meanings=Hostile()), "agent")
    new = bot.supersede(bot.record())

    assert bot.ids("nothing of the kind", "strict") == [new]


@pytest.mark.holds("DEC-governed-4")
def test_only_active_decisions_about_a_file_govern_it(app: Application, bot: Party) -> None:
    for number in range(5):
        bot.record(f"unrelated {number}")
    source = bot.record("path:src/", "Ask before changing", enforcement="block")
    tests = bot.record("path:**/test_*.py", "Name tests so")
    old = bot.record("path:src/db.py", "No SQL here")
    new = bot.supersede(old, target="path:./src/db.py", title="SQL here", enforcement="block")

    def ask(path: str) -> list[GoverningDecision]:
        return app.store.read("default", lambda tx: governed(tx, path))

    assert ask("README.md") == []
    assert ask("src/db.py") == [
        GoverningDecision(source, "Ask before changing", "block", "src/**"),
        GoverningDecision(new, "SQL here", "block", "src/db.py"),
    ]
    assert [(one.id, one.enforcement) for one in ask("src/x/test_a.py")] == [
        (source, "block"),
        (tests, "advise"),
    ]
    assert [one.id for one in ask("test_a.py")] == [tests]
    bot.supersede(source, tests, target="path:**/test_*.py")
    assert [one.id for one in ask("src/a.py")] == []


def everything(app: Application) -> dict[str, Any]:
    """Read all that is derived."""

    def work(tx: ReadTx) -> dict[str, Any]:
        tables = (DECISIONS, CHAINS, ACTIVE, DRAFTS)
        return {table.name: tx.scan(table, limit=1_000) for table in tables}

    return app.store.read("default", work)


def test_what_is_derived_again_is_the_same(
    app: Application, bot: Party, admin: Party, clock: SteppingClock
) -> None:
    first, cache = bot.record("db", cites=["R1"]), bot.record("cache")
    bot.propose("queue", "Use a file"), bot.propose("stack", "Use a pile")
    bot.propose("queue", "Use a pipe", proposal_id="P001", cites=["s:1"])
    bot.supersede(bot.supersede(first), cache, target="db")
    admin.reject("P002", reason="No")
    advance(clock, 3600)
    admin.accept("P001")
    before, found = everything(app), bot.search("use", "audit", limit=50)

    app.store.rebuild("default")

    assert everything(app) == before
    assert bot.search("use", "audit", limit=50) == found
    assert not verify(app.store).findings
