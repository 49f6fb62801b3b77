"""Text with characters that nobody sees is kept as given, and who writes or loads it is told."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller, Written
from hansard.mcp.answers import succeeded
from tests.conftest import a_caller

HIDDEN = "Do it\u200b \u202eas \U000e0041\U000e0042said"
FOUND = {"bidi": 1, "zero_width": 1, "tag": 2}
RECORD = {"type": "task", "title": "T", "summary": "s", "body": HIDDEN}
DECISION = {"title": "Cache", "target": "parser", "rationale": f"Because {HIDDEN}"}

WRITES: list[tuple[str, dict[str, Any]]] = [
    ("create_record", RECORD),
    ("record_decision", DECISION),
    ("propose_decision", DECISION | {"target": "other"}),
    ("record_session_start", {"title": "T", "user_message": HIDDEN}),
    ("record_plan", {"steps": [HIDDEN]}),
    ("audit_event", {"type": "note", "description": HIDDEN}),
    ("workflow_checkpoint_save", {"context": {"deep": [{"text": HIDDEN}]}}),
    ("entity_create", {"type": "textDocument", "data": {"title": "T", "content": HIDDEN}}),
    ("file_op", {"action": "create", "path": "a.md", "content": HIDDEN}),
]


@pytest.mark.holds("ALL-07.10")
@pytest.mark.parametrize(("name", "arguments"), WRITES, ids=[name for name, _ in WRITES])
def test_writing_tells_of_them_in_both_forms(
    app: Application, agent: Caller, name: str, arguments: dict[str, Any]
) -> None:
    answer = app.call(name, arguments, agent)

    assert isinstance(answer, Written)
    assert answer.hidden_chars == FOUND
    said = succeeded(answer)
    assert said.structured_content
    assert said.structured_content["hidden_chars"] == FOUND
    assert "1 bidi, 1 zero_width, 2 tag" in said.content[0].text  # type: ignore[union-attr]


@pytest.mark.holds("ALL-07.10")
def test_what_is_kept_is_not_changed_and_activation_tells_of_it(app: Application) -> None:
    made: Any = app.call("create_record", RECORD, a_caller())

    loaded: Any = app.call("activate", {"id": made.record.id}, a_caller())

    assert loaded.hidden_chars == FOUND
    assert loaded.context.target.body == HIDDEN


@pytest.mark.holds("ALL-07.10")
def test_loading_a_checkpoint_tells_of_them_in_both_forms(app: Application) -> None:
    context = {"deep": [{"text": HIDDEN}]}
    app.call("workflow_checkpoint_save", {"context": context}, a_caller())

    loaded: Any = app.call("workflow_checkpoint_load", {}, a_caller())

    assert (loaded.hidden_chars, loaded.context) == (FOUND, context)
    assert "1 bidi, 1 zero_width, 2 tag" in succeeded(loaded).content[0].text  # type: ignore[union-attr]


def test_a_repeated_request_is_told_the_same(app: Application) -> None:
    keyed = a_caller(idempotency_key="k-1")

    first, again = (app.call("create_record", RECORD, keyed) for _ in range(2))

    assert first == again


def test_text_without_any_says_nothing_of_it(app: Application, agent: Caller) -> None:
    answer = app.call("create_record", RECORD | {"body": "Plain, 漢字 👨‍👩‍👧\r\n"}, agent)

    assert "hidden_chars" not in answer.model_dump(exclude_none=True)
