"""deletion.* and correction.*: what is gone stays gone, and what was corrected stays corrected."""

from pathlib import Path

from hansard.app.application import Application
from hansard.app.keeping.exporting import export_project
from tests.acceptance.holdings import BODY, WORD, erase_body, everything_shown, settle, shown
from tests.conftest import a_caller
from tests.decisions.conftest import OpenWith
from tests.decisions.parties import Party, a_party

SECRET_PART = "password of the staging"


def note(party: Party) -> str:
    made: str = party.create("A note", body=BODY)["id"]
    return made


def test_deletion_absent_after_reindex_and_restart(open_with: OpenWith, tmp_path: Path) -> None:
    app = open_with()
    record = note(a_party(app, "agent"))
    settle(app, "default")
    erase_body(app)

    app.store.rebuild("default")
    settle(app, "default")
    again = open_with()
    export_project(again.store, "default", tmp_path / "bundle")

    bot = a_party(again, "agent")
    assert SECRET_PART not in everything_shown(bot) + shown(bot, "activate", id=record)
    assert shown(bot, "search_records", query=WORD).count(record) == 0
    bundle = [path for path in (tmp_path / "bundle").rglob("*") if path.is_file()]
    bundle = bundle or [tmp_path / "bundle"]
    assert not any(SECRET_PART.encode() in path.read_bytes() for path in bundle)
    entries = again.store.read("default", lambda tx: list(tx.entries(limit=1_000)))
    assert "keeping.redacted.v1" in [entry.kind for entry in entries]


def test_deletion_absent_from_shared_copies(app: Application, bot: Party) -> None:
    """The copies that a store shares out: what other sessions have before them, and branches."""
    record = note(bot)
    other = Party(app, a_caller())
    other.activate(record)
    branch = bot.ask("branch_session", session_id=bot.session())["session"]["id"]

    erase_body(app)

    for party in (bot, other):
        assert SECRET_PART not in shown(party, "activate", id=record)
        assert SECRET_PART not in shown(party, "sync_session")
    assert SECRET_PART not in shown(bot, "activate", id=record, session_id=branch)
    assert SECRET_PART not in shown(other, "get_record_history", id=record)


def test_correction_survives_reindex(app: Application, bot: Party) -> None:
    """Replaced, turned round, taken back, replaced in part, and held for a time."""
    replaced = bot.supersede(bot.record("db", "Use SQLite"), title="Use PostgreSQL")
    flipped = bot.supersede(bot.record("cache", "Do cache"), target="cache", title="Do not cache")
    taken_back = bot.create("The moon is cheese")["id"]
    bot.move_state(taken_back, "DISCARDED", reason="It is rock")
    kept, gone = bot.record("logs/format", "JSON"), bot.record("logs/level", "debug")
    partly = bot.supersede(gone, target="logs/level", title="info")
    then = app.store.read("default", lambda tx: tx.head().seq)
    until = bot.supersede(
        bot.record("freeze", "No deploys"), target="freeze", title="Deploys again"
    )

    app.store.rebuild("default")
    settle(app, "default")

    assert bot.ids("database PostgreSQL SQLite", mode="strict", limit=1) == [replaced]
    assert {bot.status(one) for one in (replaced, flipped, kept, partly, until)} == {"active"}
    assert bot.status(gone) == "superseded"
    assert bot.ask("get_record_ref", id=taken_back)["state"] == "DISCARDED"
    history = bot.ask("search_decisions", query="", mode="audit", where={"target": "cache"})
    assert [one["title"] for one in history["results"]] == ["Do not cache", "Do cache"]
    old = bot.get(kept, as_of=f"s:{then}")
    assert old["decision"]["status"] == "active"


def test_correction_retraction_without_replacement(app: Application, bot: Party) -> None:
    """Of a record: it is discarded with a reason, and nothing stands in its place.

    A decision has no such end: what is superseded by "nothing is decided" holds no more.
    """
    claim = bot.create("The cache is safe to share")["id"]
    decision = bot.record("cache", "Share the cache")

    bot.move_state(claim, "DISCARDED", reason="It never was")
    nothing = bot.supersede(decision, target="cache", title="Nothing is decided about the cache")
    app.store.rebuild("default")

    overview = bot.ask("get_project_overview")
    assert claim not in str(overview.get("open_records", []))
    shown_as = bot.ask("get_record_ref", id=claim)
    assert (shown_as["state"], shown_as.get("resolved_by")) == ("DISCARDED", None)
    assert "It never was" in str(bot.ask("get_record_history", id=claim))
    assert bot.ids("share cache", mode="strict") == [nothing]
    assert bot.status(decision) == "superseded"
