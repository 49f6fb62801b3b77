"""tombstone.*: what a person has turned down stays turned down."""

from datetime import timedelta

import pytest

from hansard.app.application import Application
from hansard.app.keeping.garbage_collection import collect
from hansard.kernel.clock import to_text
from hansard.kernel.engine import ReadTx
from hansard.kernel.problem import Problem
from tests.acceptance.holdings import ADMIN
from tests.conftest import SteppingClock
from tests.decisions.conftest import OpenWith
from tests.decisions.parties import Party, a_party, refused

VALUE = "Use DuckDB"


@pytest.fixture
def rejected(bot: Party, person: Party) -> str:
    proposal = bot.propose("db", VALUE)
    person.reject(proposal, reason="We know SQLite")
    return proposal


def active(party: Party) -> set[str]:
    """Name what holds."""
    return {one["title"] for one in party.search("", mode="strict", where={"status": "active"})}


def entries(app: Application) -> int:
    def work(tx: ReadTx) -> int:
        return tx.head().seq

    return app.store.read("default", work)


def test_tombstone_laundering_sequence(bot: Party, person: Party, rejected: str) -> None:
    """The agent decides it, then another; a person decides; it is restated, with evidence."""
    for title in (VALUE, "Use PostgreSQL"):
        with refused("PROPOSAL_REFUSED"):
            bot.record("db", title)
    theirs = person.record("db", "Use SQLite")
    evidence = bot.create("DuckDB was measured", body="It is fast.")["id"]

    with refused("TARGET_CONFLICT"):
        bot.record("db", VALUE, cites=[evidence])
    with refused("ISOLATION_VIOLATION"):
        bot.supersede(theirs, title=VALUE, cites=[evidence])
    with refused("PROPOSAL_REFUSED"):
        bot.propose("db", VALUE)

    assert active(bot) == {"Use SQLite"}
    assert bot.get(rejected)["decision"]["status"] == "rejected"
    assert bot.get(rejected)["decision"]["reason"] == "We know SQLite"


def test_tombstone_survives_ttl_and_prune(open_with: OpenWith, clock: SteppingClock) -> None:
    """Nothing expires; the passes there are, are run: collection, derivation, a new process."""
    app = open_with()
    bot, person = a_party(app, "agent"), a_party(app, "human", "admin", is_vouched=True)
    person.reject(bot.propose("db", VALUE))
    clock.now += timedelta(days=3_650)
    collect(app.store, deleted_before=to_text(clock.now), stamp=ADMIN)
    app.store.rebuild("default")

    later = a_party(open_with(), "agent")

    with refused("PROPOSAL_REFUSED"):
        later.record("db", VALUE)
    with refused("PROPOSAL_REFUSED"):
        later.propose("db", VALUE)


@pytest.mark.parametrize(
    ("target", "title"),
    [
        ("DB", VALUE),
        (" db\u00a0", "USE  duckdb"),
        ("ｄｂ", "Uѕe DuсkDB"),
        ("𝐝𝐛", VALUE),
        ("d\u200bb", "Use\u2060 DuckDB"),
        ("\u202ed\u00adb", VALUE),
        ("db", "DuckDB shall be used"),
    ],
)
def test_tombstone_key_normalization_attack(
    bot: Party, rejected: str, target: str, title: str
) -> None:
    """Also the paraphrase is refused: on that target an agent asks, whatever it wants to say."""
    with pytest.raises(Problem) as problem:
        bot.record(target, title)

    assert problem.value.code == "PROPOSAL_REFUSED"
    assert problem.value.details["proposal_id"] == rejected


@pytest.mark.usefixtures("rejected")
def test_tombstone_reextraction_stays_inactive(bot: Party) -> None:
    """Nothing is extracted; the text comes in by every other way there is."""
    bot.ask("audit_event", type="decision", description=f"{VALUE} for db")
    bot.create(VALUE, body=f"Decision: {VALUE}. Target: db. Status: active.")
    bot.ask("workflow_checkpoint_save", context={"decisions": [{"db": VALUE}]})
    bot.ask("file_op", action="create", path="decisions/D001.md", content=f"# {VALUE}\nactive\n")

    assert active(bot) == set()
    assert bot.search("DuckDB", mode="strict") == []


@pytest.mark.usefixtures("rejected")
def test_tombstone_no_second_memory_unit(app: Application, bot: Party) -> None:
    """The write is refused: there is neither a live one nor a second copy."""
    before = entries(app)

    for again in (bot.record, bot.propose):
        with refused("PROPOSAL_REFUSED"):
            again("db", VALUE)

    assert entries(app) == before
    assert [one["status"] for one in bot.search("DuckDB", mode="audit")] == ["rejected"]
