"""scope.* and evidence.*: whose memory it is, and what it rests on."""

import json

import pytest

from hansard.app import tokens
from hansard.app.application import Application
from hansard.app.bounded import caller_with
from hansard.app.tokens import WantedToken
from tests.acceptance.holdings import (
    ADMIN,
    READING,
    WORD,
    erase_body,
    everything_shown,
    fill,
    settle,
    shown,
)
from tests.conftest import a_caller
from tests.decisions.parties import Json, Party


@pytest.fixture
def two(app: Application, bot: Party) -> Party:
    """Give an agent in a store with two projects, of which only the first holds the word."""
    for name in ("a", "b"):
        app.call("create_project", {"id": name, "name": name}, bot.caller)
    fill(bot, project_id="a")
    return Party(app, a_caller(), project_id="b")


def test_scope_cross_tenant_absent(app: Application, two: Party) -> None:
    assert WORD in everything_shown(Party(app, a_caller(), project_id="a"))
    assert WORD not in everything_shown(two).replace(json.dumps(WORD), "")


@pytest.mark.parametrize("named", ["a", "", "*", "a,b", "A"])
def test_scope_caller_cannot_widen(app: Application, two: Party, named: str) -> None:
    token, _ = tokens.create(app.store, WantedToken(role="agent", projects=["b"]), ADMIN)
    bound = Party(app, caller_with(token))

    for name, given in READING.items():
        assert WORD not in shown(bound, name, project_id=named, **given).replace(f"'{WORD}'", "")
    named_by_id: dict[str, Json] = {
        "get_record_ref": {"id": "R001"},
        "activate": {"id": "R001"},
        "get_decision": {"decision_id": "D001"},
        "update_record": {"id": "R001", "title": "mine"},
        "supersede_decision": {
            "old_decision_ids": ["D001"],
            "target": f"{WORD} policy",
            "title": "mine",
            "rationale": "Long enough to be one.",
        },
    }
    for name, given in named_by_id.items():
        assert "Keep" not in shown(bound, name, project_id=named, **given)
        assert "Keep" not in shown(bound, name, **given)
    theirs = Party(app, a_caller(), project_id="a")
    assert theirs.ask("get_record_ref", id="R001")["title"] == f"On {WORD}"
    assert theirs.status("D001") == "active"


def test_scope_background_respects_boundary(app: Application, two: Party) -> None:
    two.create(f"Also about {WORD}s", body="Ours.")

    settle(app, "a", "b")

    ours = everything_shown(two)
    assert "Ours." in ours or "Also about" in ours
    assert "password" not in ours
    assert "Keep" not in ours


def test_evidence_claim_resolves_to_source(app: Application, bot: Party) -> None:
    """Nothing is extracted: a claim's source is the entry that its author wrote."""
    fill(bot)

    found = bot.ask("search", query=WORD)["results"]

    assert {one["kind"] for one in found} >= {"record", "decision"}
    entries = app.store.read("default", lambda tx: list(tx.entries(limit=1_000)))
    for one in found:
        wrote = [entry for entry in entries if one["id"].encode() in (entry.payload or b"")]
        assert one["id"].startswith("s:") or wrote, one
        assert all(entry.actor.id == "test-agent" for entry in wrote)


def test_evidence_source_delete_reaches_derived(app: Application, bot: Party) -> None:
    fill(bot)
    settle(app, "default")
    assert "password" in shown(bot, "search_records", query="staging password")
    assert "password" in shown(bot, "activate", id="R001")

    erase_body(app)

    settle(app, "default")
    asked: dict[str, Json] = {
        "search_records": {"query": "staging server"},
        "search": {"query": "staging server", "kinds": ["record"]},
        "activate": {"id": "R001"},
        "get_record_history": {"id": "R001"},
        "get_record_diff": {"id": "R001", "from": "s:1"},
        "get_project_overview": {},
    }
    for name, given in asked.items():
        assert "staging server.\n" not in shown(bot, name, **given), name
        assert "is the password" not in shown(bot, name, **given), name


def test_evidence_rebuild_from_retained(app: Application, bot: Party) -> None:
    fill(bot)
    questions: dict[str, Json] = {
        "search": {"query": "staging password"},
        "search_records": {"query": WORD},
        "search_decisions": {"query": WORD},
        "list_records": {},
        "get_decision": {"decision_id": "D001"},
        "get_timeline": {},
        "get_story": {},
    }
    before = {name: bot.ask(name, **given) for name, given in questions.items()}

    app.store.rebuild("default")

    assert {name: bot.ask(name, **given) for name, given in questions.items()} == before
