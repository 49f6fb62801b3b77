"""The answers of the checkpoint tools, field by field, as source 001 and the contract word them."""

import hashlib
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.checkpoints.key_classes import CLASSES, PATTERNS, SMALL_CHARS_MAX, classify
from hansard.kernel.operation import Caller, Result
from hansard.kernel.problem import InvalidInput
from tests.checkpoints.contexts import hardly_packed, library
from tests.conftest import SteppingClock, a_caller
from tests.mcp.processes import StdioServer

LONG = "x" * (SMALL_CHARS_MAX + 1)


def ask(app: Application, name: str, caller: Caller, **arguments: Any) -> dict[str, Any]:
    """Call a checkpoint tool; gives the structured answer as a client would see it."""
    answer: Result = app.call(f"workflow_{name}", arguments, caller)
    return answer.model_dump(mode="json", exclude_none=True)


@pytest.mark.holds("001-save-6", "001-save-9", "001-metadata-4")
def test_a_save_answers_with_id_session_status_and_size(app: Application, agent: Caller) -> None:
    saved = ask(app, "checkpoint_save", agent, context={"text": "word " * 10_000})

    assert {*saved} >= {"checkpointId", "sessionId", "status", "sizeBytes", "receipt"}
    assert 0 < saved["sizeBytes"] < 1_000
    loaded = ask(app, "checkpoint_load", agent, checkpointId=saved["checkpointId"])
    assert loaded["metadata"]["contextSizeBytes"] == saved["sizeBytes"]


@pytest.mark.holds("001-save-2", "CHK-session-1")
def test_without_a_session_the_callers_own_is_used_or_begun(app: Application) -> None:
    caller = a_caller()
    marked = ask(app, "mark_critical", caller, contextKey="goal")
    first = ask(app, "checkpoint_save", caller, context={"n": 1})
    other = ask(app, "checkpoint_save", a_caller(), context={"n": 1})
    named = ask(app, "checkpoint_save", a_caller(session="named"), context={"n": 1})

    assert marked["sessionId"] == first["sessionId"] != other["sessionId"]
    assert other["status"] == "SAVED"
    assert named["sessionId"] == "named"


@pytest.mark.holds("001-save-3", "001-save-4")
@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"context": [1]},
        {"context": "text"},
        {"context": None},
        {"context": {}, "metadata": {"name": 1}},
        {"context": {}, "metadata": {"tags": "one"}},
        {"context": {}, "metadata": {"tags": [1]}},
        {"context": {}, "force": "yes"},
        {"context": {}, "contxt": {}},
    ],
)
def test_what_is_not_as_the_schema_says_is_refused(
    app: Application, agent: Caller, bad: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        ask(app, "checkpoint_save", agent, **bad)


@pytest.mark.holds("001-load-4", "001-metadata-1", "001-metadata-2", "001-metadata-3")
def test_a_load_answers_with_context_and_all_metadata(app: Application, agent: Caller) -> None:
    given = {"name": "before lunch", "tags": ["a", "b"], "agentId": "somebody else"}
    saved = ask(app, "checkpoint_save", agent, context={"n": 1}, sessionId="w", metadata=given)

    loaded = ask(app, "checkpoint_load", agent, sessionId="w")

    assert {*loaded} >= {"checkpointId", "sessionId", "context", "metadata", "since"}
    metadata = loaded["metadata"]
    assert (metadata["id"], metadata["sessionId"]) == (saved["checkpointId"], "w")
    assert (metadata["name"], metadata["tags"]) == ("before lunch", ["a", "b"])
    assert metadata["agentId"] == agent.actor.id
    assert metadata["extra"] == {"agentId": "somebody else"}
    assert datetime.fromisoformat(metadata["createdAt"]).tzinfo
    assert metadata["contextHash"] == saved["contextHash"]


@pytest.mark.holds("001-metadata-6")
def test_a_path_is_given_where_there_is_a_file_and_nowhere_else(tmp_path: Path) -> None:
    with library(tmp_path) as hansard:
        hansard.checkpoints.save_checkpoint("w", {"text": "small"})
        large = hansard.checkpoints.save_checkpoint("w", {"text": hardly_packed(200_000)})
        listed, small = hansard.checkpoints.list_checkpoints("w")
        loaded = hansard.checkpoints.load_checkpoint(large.checkpointId)

        path = Path(listed.metadata["blobPath"])
        assert re.fullmatch(r"blobs/[0-9a-f]{2}/[0-9a-f]{62}", str(path))
        assert (tmp_path / path).stat().st_size == listed.sizeBytes
        assert loaded.metadata["blobPath"] == str(path)
        assert "blobPath" not in small.metadata
        (tmp_path / path).unlink()
        [gone, _] = hansard.checkpoints.list_checkpoints("w")
        assert "blobPath" not in gone.metadata


@pytest.mark.holds("001-metadata-5", "CHK-hash-1", "CHK-hash-2")
def test_the_hash_is_of_the_canonical_form(app: Application, agent: Caller) -> None:
    context = {"b": [1, 1.0, 0.1, True, None], "a": {"ü": "🙈", "": 18446744073709551615}}
    canonical = '{"a":{"":18446744073709551615,"ü":"🙈"},"b":[1,1.0,0.1,true,null]}'

    saved = ask(app, "checkpoint_save", agent, context=context)

    assert saved["contextHash"] == hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.holds("CHK-hash-9")
def test_only_the_latest_counts_for_a_skip(app: Application, agent: Caller) -> None:
    statuses = [
        ask(app, "checkpoint_save", agent, context={"n": number})["status"]
        for number in (1, 2, 1, 1)
    ]

    assert statuses == ["SAVED", "SAVED", "SAVED", "SKIPPED_UNCHANGED"]


@pytest.mark.holds("CHK-list-1")
def test_the_order_is_that_of_saving_whatever_the_clock_says(
    app: Application, agent: Caller, clock: SteppingClock
) -> None:
    saved = []
    for number in range(3):
        clock.now -= timedelta(days=1)
        saved.append(ask(app, "checkpoint_save", agent, context={"n": number}, sessionId="w"))

    listed = ask(app, "checkpoint_list", agent, sessionId="w")["checkpoints"]

    assert [one["checkpointId"] for one in listed] == [
        one["checkpointId"] for one in reversed(saved)
    ]
    assert listed[0]["createdAt"] < listed[-1]["createdAt"]
    assert ask(app, "checkpoint_load", agent, sessionId="w")["context"] == {"n": 2}


@pytest.mark.holds("001-list-2", "001-list-4", "001-session-1", "001-session-2", "CHK-list-2")
def test_a_list_has_twenty_without_contexts_and_what_the_session_is(
    app: Application, agent: Caller
) -> None:
    for number in range(21):
        metadata = {"tags": [f"t{number % 2}"]}
        ask(app, "checkpoint_save", agent, context={"n": number}, sessionId="w", metadata=metadata)

    listed = ask(app, "checkpoint_list", agent, sessionId="w")

    assert {*listed} == {"checkpoints", "total", "nextCursor", "session"}
    assert (len(listed["checkpoints"]), listed["total"]) == (20, 21)
    for one in listed["checkpoints"]:
        assert {*one} >= {"checkpointId", "sessionId", "createdAt", "sizeBytes", "metadata"}
        assert "context" not in one
        assert datetime.fromisoformat(one["createdAt"]).tzinfo
    session = listed["session"]
    assert session["tags"] == ["t0", "t1"]
    assert datetime.fromisoformat(session["createdAt"]) < datetime.fromisoformat(
        session["lastAccessedAt"]
    )
    whole = ask(app, "checkpoint_list", agent, sessionId="w", limit=50)["checkpoints"]
    assert session["totalSizeBytes"] == sum(one["sizeBytes"] for one in whole)


@pytest.mark.holds("001-mark-3")
def test_a_key_beneath_the_top_is_not_found_and_nothing_is_marked(
    app: Application, agent: Caller
) -> None:
    ask(app, "checkpoint_save", agent, context={"plan": {"inner": LONG}}, sessionId="w")

    marked = ask(app, "mark_critical", agent, contextKey="inner", sessionId="w")

    assert marked["status"] == "KEY_NOT_FOUND"
    assert "receipt" not in marked
    again = ask(app, "checkpoint_save", agent, context={"plan": {"inner": LONG}}, sessionId="w")
    assert again["status"] == "SKIPPED_UNCHANGED"


@pytest.mark.holds("CHK-class-1", "CHK-class-2")
@pytest.mark.parametrize(
    ("key", "value", "marks", "hints", "expected"),
    [
        ("debug", LONG, {"debug": 1}, {"debug": "USEFUL"}, "CRITICAL"),
        ("debug", LONG, {}, {"debug": "USEFUL"}, "USEFUL"),
        ("debug", LONG, {}, {}, "EPHEMERAL"),
        ("build_logs", LONG, {}, {}, "EPHEMERAL"),
        ("currentPlan", LONG, {}, {}, "IMPORTANT"),
        ("userGoal", LONG, {}, {}, "CRITICAL"),
        ("anything", LONG, {}, {}, "USEFUL"),
        ("anything", "short", {}, {}, "IMPORTANT"),
    ],
)
def test_a_class_is_by_mark_then_hint_then_name_then_size(
    key: str, value: str, marks: dict[str, int], hints: dict[str, str], expected: str
) -> None:
    assert classify(key, value, marks, hints) == expected
    assert {kind for _, kind in PATTERNS} <= {*CLASSES}


@pytest.mark.holds("001-errors-shape")
def test_a_refusal_is_an_error_of_the_protocol_where_that_is_asked_for(tmp_path: Path) -> None:
    settings = {"store": str(tmp_path), "errors": "jsonrpc"}
    with StdioServer("tests.checkpoints.programs", settings) as server:
        server.open()
        told = server.call("workflow_checkpoint_load", checkpointId="C999")["error"]["data"]

    assert (told["code"], told["http_status"]) == ("CHECKPOINT_NOT_FOUND", 404)
