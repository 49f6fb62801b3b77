"""Decisions about files: who changes one is told, and where the decision says so, kept from it."""

from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.recorder.problems import DecisionBlocks
from tests.recorder.asking import create, edit, restore, timeline

REASONS = "It was agreed upon in the meeting."


def decide(app: Application, caller: Caller, glob: str, **rest: Any) -> str:
    given = {"title": f"About {glob}", "target": f"path:{glob}", "rationale": REASONS, **rest}
    return str(app.call("record_decision", given, caller).model_dump()["decision_id"])


@pytest.mark.holds("DEC-governed-1")
def test_who_changes_a_governed_file_is_told(app: Application, agent: Caller) -> None:
    decision = decide(app, agent, "src/**")

    told = create(app, agent, "src/deep/a.py").governed_by

    assert [(one.id, one.enforcement) for one in told or ()] == [(decision, "advise")]
    assert create(app, agent, "docs/a.md").governed_by is None


@pytest.mark.holds("DEC-governed-2", "ALL-06.35")
def test_an_agent_is_kept_from_what_a_decision_blocks(
    app: Application, agent: Caller, human: Caller, files: Path
) -> None:
    create(app, agent, "api.py", "old\n")
    decision = decide(app, human, "api.py", enforcement="block")

    with pytest.raises(DecisionBlocks) as refused:
        edit(app, agent, "api.py", "new\n")

    assert (refused.value.code, refused.value.details["decision"]) == ("DECISION_BLOCKS", decision)
    assert (files / "api.py").read_text() == "old\n"
    assert timeline(app, agent)[-1].code == "DECISION_BLOCKS"


def test_neither_a_move_nor_a_batch_gets_around_it(
    app: Application, agent: Caller, human: Caller, files: Path
) -> None:
    create(app, agent, "free.py", "old\n")
    decide(app, human, "locked/", enforcement="block")
    ops = [
        {"action": "edit", "path": "free.py", "content": "new\n"},
        {"action": "create", "path": "locked/b.py", "content": "x"},
    ]

    with pytest.raises(DecisionBlocks):
        app.call("file_op", {"action": "move", "path": "free.py", "to": "locked/a.py"}, agent)
    with pytest.raises(DecisionBlocks):
        app.call("file_op", {"ops": ops}, agent)

    assert (files / "free.py").read_text() == "old\n"
    assert not (files / "locked").exists()


def test_a_restore_leaves_what_is_blocked_alone(
    app: Application, agent: Caller, human: Caller, files: Path
) -> None:
    create(app, agent, "api.py", "old\n")
    decide(app, human, "api.py", enforcement="block")

    step = restore(app, agent).files[0]

    assert step.action == "skip"
    assert "governed by D001" in (step.reason or "")
    assert (files / "api.py").read_text() == "old\n"


@pytest.mark.holds("DEC-governed-3")
def test_a_person_may_and_is_told(app: Application, human: Caller, files: Path) -> None:
    decision = decide(app, human, "api.py", enforcement="block")

    told = create(app, human, "api.py", "mine\n").governed_by

    assert [one.id for one in told or ()] == [decision]
    assert (files / "api.py").read_text() == "mine\n"


@pytest.mark.holds("DEC-governed-4")
def test_a_superseded_decision_governs_no_more(
    app: Application, agent: Caller, human: Caller
) -> None:
    old = decide(app, human, "api.py", enforcement="block")
    given = {"title": "Anyone may", "target": "path:api.py", "rationale": REASONS}
    app.call("supersede_decision", given | {"old_decision_ids": [old]}, human)

    told = create(app, agent, "api.py").governed_by

    assert [one.title for one in told or ()] == ["Anyone may"]
