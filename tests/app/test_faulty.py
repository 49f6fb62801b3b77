"""Whoever misspells a name is told which one was perhaps meant."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.argument_faults import meant
from hansard.app.start import catalog
from hansard.kernel.problem import InvalidInput, UnknownOperation
from hansard.kernel.suggestion import did_you_mean, nearest
from hansard.mcp.resources import RESOURCES, ResourceNotFound, find
from tests.conftest import a_caller


@pytest.mark.parametrize(
    ("operation", "wrong", "right"),
    [
        ("search", {"q": "x"}, "query"),
        ("search", {"query": "x", "limits": 3}, "limit"),
        ("file_op", {"op": "create"}, "action"),
        ("file_op", {"path": "a", "action": "edit", "old_string": "x"}, "edits: [{old, new}]"),
        ("file_op", {"file_path": "a"}, "path"),
        ("file_op", {"path": "a", "action": "edit", "edits": [{"olde": "x", "new": "y"}]}, "old"),
        ("update_record", {"id": "R001", "sessionId": "s"}, "session_id"),
        ("get_decision", {"id": "D001"}, "decision_id"),
        ("workflow_checkpoint_load", {"checkpoint_id": "C001"}, "checkpointId"),
        ("transition", {"id": "R001", "state": "LATER"}, "to_state"),
    ],
)
def test_a_misspelt_argument_is_answered_with_the_right_one(
    app: Application, operation: str, wrong: dict[str, Any], right: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        app.call(operation, wrong, a_caller())

    faults = refused.value.details["arguments"]
    assert right in [one.get("did_you_mean") for one in faults]
    assert f"did you mean {right}?" in refused.value.message


def test_what_is_like_nothing_is_only_refused(app: Application) -> None:
    with pytest.raises(InvalidInput) as refused:
        app.call("search", {"query": "x", "zzzzzzzz": 1}, a_caller())

    assert refused.value.details["arguments"] == [
        {"argument": "zzzzzzzz", "why": "there is no such argument"}
    ]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("serch", "search"), ("createRecord", "create_record"), ("get-story", "get_story")],
)
def test_a_misspelt_tool_is_answered_with_the_right_one(wrong: str, right: str) -> None:
    with pytest.raises(UnknownOperation) as refused:
        catalog().find(wrong)

    assert refused.value.recovery_hint == f"Did you mean {right}?"


def test_a_misspelt_resource_is_answered_with_the_right_one() -> None:
    with pytest.raises(ResourceNotFound) as refused:
        find(RESOURCES, "hansard://session")

    assert refused.value.recovery_hint == "Did you mean hansard://sessions?"
    with pytest.raises(ResourceNotFound) as refused:
        find(RESOURCES, "mailto:nobody")
    assert refused.value.recovery_hint == ResourceNotFound.hint


def test_a_misspelt_key_is_answered_with_the_right_one(app: Application) -> None:
    caller = a_caller()
    app.call("workflow_checkpoint_save", {"context": {"userGoals": 1, "plan": 2}}, caller)

    marked = app.call("workflow_mark_critical", {"contextKey": "userGoal"}, caller)

    loaded = app.call("workflow_checkpoint_load", {"keys": ["plans"]}, caller)

    assert "Did you mean userGoals?" in marked.text()
    assert "Did you mean plan?" in loaded.text()


def test_a_name_is_like_another_whatever_its_case_and_its_dashes() -> None:
    assert nearest("Session-ID", ["project_id", "session_id"]) == "session_id"
    assert nearest("x" * 10_000, ["a"]) is None
    assert did_you_mean("q", []) == ""
    assert meant("q", ["limit"]) is None
