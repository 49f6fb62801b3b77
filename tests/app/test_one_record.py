"""Five capabilities, one record: the same session, the same journal, the same clock."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel import paging
from hansard.kernel.operation import Caller
from tests.recorder.asking import timeline

REASONS = "It was agreed upon in the meeting."


def everything(app: Application, caller: Caller) -> list[dict[str, Any]]:
    """Do something with each capability, in the session of the first."""
    texts = {"title": "One", "summary": "s", "body": "b"}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("record_session_start", {"title": "All of it", "user_message": "Do it"}),
        ("create_record", {"type": "task", **texts}),
        ("file_op", {"action": "create", "path": "a.py", "content": "x\n"}),
        ("workflow_checkpoint_save", {"context": {"n": 1}}),
        ("record_decision", {"title": "So", "target": "how", "rationale": REASONS}),
        ("entity_create", {"type": "textDocument", "data": {"title": "D", "content": "c"}}),
    ]
    return [app.call(name, arguments, caller).model_dump() for name, arguments in calls]


@pytest.mark.holds("ALL-00.1", "ALL-01.1")
def test_one_session_holds_what_every_capability_did_in_order(
    app: Application, agent: Caller
) -> None:
    answers = everything(app, agent)

    session = answers[0]["session_id"]
    entries = app.store.read("default", lambda tx: list(paging.entries(tx)))
    kinds = {entry.kind.partition(".")[0] for entry in entries if entry.session == session}
    receipts = [answer["receipt"]["seq"] for answer in answers]
    told = timeline(app, agent, session_id=session)

    assert kinds >= {"sessions", "recorder", "records", "checkpoints", "decisions", "entities"}
    assert receipts == sorted(receipts)
    assert [item.seq for item in told] == sorted(item.seq for item in told)
    assert len(told) >= len(answers)
    assert len(app.store.engine.heads()) == 2


def test_closing_the_session_closes_it_for_all(app: Application, agent: Caller) -> None:
    session = everything(app, agent)[0]["session_id"]

    app.call("close_session", {"session_id": session}, agent)

    listed = app.call("list_sessions", {}, agent).model_dump()["sessions"]
    assert [(one["session_id"], one["status"]) for one in listed] == [(session, "ended")]
