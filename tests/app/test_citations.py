"""What cites what: blast radius one way, links back the other."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from tests.conftest import a_caller
from tests.recorder.asking import create, edit

REASONS = "It was agreed upon in the meeting."


def said(app: Application, caller: Caller, operation: str, /, **arguments: Any) -> dict[str, Any]:
    return app.call(operation, arguments, caller).model_dump()


def decide(app: Application, caller: Caller, target: str = "style", **rest: Any) -> str:
    given = {"title": "Tabs", "target": target, "rationale": REASONS, **rest}
    return str(said(app, caller, "record_decision", **given)["decision_id"])


def a_record(app: Application, caller: Caller, **rest: Any) -> str:
    texts = {"type": "task", "title": "Indent", "summary": "s", "body": "b"}
    return str(said(app, caller, "create_record", **texts, **rest)["record"]["id"])


def radius(app: Application, caller: Caller, decision: str) -> dict[str, list[str]]:
    shown: dict[str, list[str]] = said(app, caller, "get_decision", decision_id=decision)[
        "blast_radius"
    ]
    return shown


@pytest.mark.holds("DEC-blast-2", "ALL-11.5", "ALL-11.3")
def test_whatever_cites_a_decision_is_in_its_blast_radius(app: Application, agent: Caller) -> None:
    decision = decide(app, agent)
    record = a_record(app, agent, cites=[decision])
    create(app, agent, "a.py")
    edit(app, agent, "a.py", "\tx\n", cites=[decision])
    checkpoint = said(app, agent, "workflow_checkpoint_save", context={"n": 1}, cites=[decision])
    note = said(app, agent, "audit_event", type="note", description="Hm", cites=[decision])
    other = decide(app, agent, "editor", cites=[decision])
    create(app, agent, "b.py")

    assert radius(app, agent, decision) == {
        "records": [record],
        "files": ["path:a.py"],
        "checkpoints": [checkpoint["checkpointId"]],
        "notes": [f"s:{note['receipt']['seq']}"],
        "decisions": [other],
    }


@pytest.mark.holds("DEC-blast-1")
def test_superseding_says_what_rested_on_the_old_one(app: Application, agent: Caller) -> None:
    decision = decide(app, agent)
    record = a_record(app, agent, cites=[decision])

    made = said(
        app, agent, "supersede_decision",
        old_decision_ids=[decision], title="Spaces", target="style", rationale=REASONS,
    )  # fmt: skip

    assert made["blast_radius"] == {"records": [record]}


@pytest.mark.holds("ALL-11.1")
def test_a_record_that_cites_it_no_longer_is_not_in_it(app: Application, agent: Caller) -> None:
    decision = decide(app, agent)
    record = a_record(app, agent, cites=[decision])

    said(app, agent, "activate", id=record)
    said(app, agent, "update_record", id=record, cites=[])

    assert radius(app, agent, decision) == {}


def test_what_a_session_made_shows_the_decisions_it_cited(app: Application, agent: Caller) -> None:
    decision = decide(app, agent)
    said(app, agent, "audit_event", type="decision", description="As agreed", cites=[decision])
    record = a_record(app, agent)
    create(app, agent, "a.py")
    edit(app, a_caller(), "a.py", "two\n")

    [first] = said(app, agent, "get_record_history", id=record)["history"]
    newest, oldest = said(app, agent, "get_evolution", path="a.py")["revisions"]

    assert first["decisions"] == oldest["decisions"] == [decision]
    assert newest["decisions"] is None
    assert f"under {decision}" in app.call("get_evolution", {"path": "a.py"}, agent).text()


def test_a_draft_that_cites_it_no_longer_is_not_in_it(app: Application, agent: Caller) -> None:
    decision = decide(app, agent)
    draft = {"title": "Spaces", "target": "editor", "rationale": REASONS}
    made = said(app, agent, "propose_decision", **draft, cites=[decision])
    assert radius(app, agent, decision) == {"decisions": [made["proposal_id"]]}

    said(app, agent, "propose_decision", **draft, proposal_id=made["proposal_id"], cites=[])

    assert radius(app, agent, decision) == {}
