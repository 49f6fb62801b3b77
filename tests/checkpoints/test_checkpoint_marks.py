"""Marks: on which context they act, what they refuse, how they are seen and taken back."""

from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.sessions.contract import SessionNotFound
from tests.checkpoints.asking import listing, load, mark, save
from tests.conftest import OpenApp, a_caller
from tests.mcp.processes import StdioServer


@pytest.mark.holds("CHK-session-9", "CHK-class-6")
def test_a_mark_acts_on_the_session_last_saved(app: Application) -> None:
    caller = a_caller()
    own = save(app, caller, {"own": 1})
    save(app, caller, {"goal": 1, "plan": 2}, sessionId="wf")

    marked = mark(app, caller, "goal")
    missing = mark(app, caller, "gaol")

    assert (marked.status, marked.sessionId) == ("SUCCESS", "wf")
    assert (missing.status, missing.sessionId) == ("KEY_NOT_FOUND", "wf")
    assert missing.keys == ["goal", "plan"]
    assert "goal, plan" in missing.message
    assert missing.receipt is None
    assert listing(app, caller, sessionId="wf").session.critical == ["goal"]
    assert listing(app, caller, sessionId=own.sessionId).session.critical == []


@pytest.mark.holds("CHK-session-9", "001-load-5", "001-mark-3")
@pytest.mark.parametrize("by", ["checkpointId", "sessionId", "nothing"])
def test_a_mark_acts_on_the_session_last_loaded(app: Application, by: str) -> None:
    first = save(app, a_caller(), {"goal": 1}, sessionId="wf")
    caller = a_caller()
    ways = {"checkpointId": {by: first.checkpointId}, "sessionId": {by: "wf"}, "nothing": {}}

    load(app, caller, **ways[by])

    assert mark(app, caller, "typo").status == "KEY_NOT_FOUND"
    marked = mark(app, caller, "goal")
    assert (marked.status, marked.sessionId) == ("SUCCESS", "wf")


@pytest.mark.holds("CHK-session-9")
def test_two_chats_of_one_process_do_not_mark_each_others_contexts(app: Application) -> None:
    one = a_caller(session="chat-1")
    other = Caller(one.actor, session="chat-2", seat=one.seat)
    save(app, one, {"first": 1}, sessionId="wf-1")
    save(app, other, {"second": 2}, sessionId="wf-2")

    assert mark(app, one, "first").sessionId == "wf-1"
    assert mark(app, other, "second").sessionId == "wf-2"


@pytest.mark.holds("CHK-session-9")
def test_a_named_session_or_project_comes_before_what_was_last_worked_on(app: Application) -> None:
    caller = a_caller()
    app.call("create_project", {"id": "other", "name": "Other"}, caller)
    save(app, caller, {"here": 1}, sessionId="v")
    save(app, caller, {"goal": 1}, sessionId="wf")

    assert mark(app, caller, "here", sessionId="v").sessionId == "v"
    assert mark(app, caller, "anything", project_id="other").sessionId.startswith("other.")
    with pytest.raises(SessionNotFound):
        mark(app, caller, "goal", sessionId="nobody")


@pytest.mark.holds("CHK-session-9", "001-load-5")
def test_a_load_becomes_the_context_of_the_session_that_came_along(app: Application) -> None:
    save(app, a_caller(), {"handed": "over"}, sessionId="theirs")
    web = a_caller(seat=False, session="mine")
    save(app, web, {"own": 1})

    load(app, web, sessionId="theirs")

    assert mark(app, web, "own").status == "KEY_NOT_FOUND"
    marked = mark(app, web, "handed")
    assert (marked.status, marked.sessionId) == ("SUCCESS", "mine")
    assert listing(app, web, sessionId="theirs").session.critical == []


@pytest.mark.holds("CHK-class-4", "CHK-session-9")
def test_a_load_under_a_session_that_has_not_begun_is_its_first_context(app: Application) -> None:
    save(app, a_caller(), {"handed": "over"}, sessionId="theirs")
    web = a_caller(seat=False, session="not yet")

    load(app, web, sessionId="theirs")

    assert mark(app, web, "typo").status == "KEY_NOT_FOUND"
    assert mark(app, web, "handed").sessionId == "not yet"


@pytest.mark.holds("CHK-class-7")
def test_marks_are_shown_wherever_one_looks_and_can_be_taken_back(app: Application) -> None:
    caller = a_caller()
    long = "word " * 2_000
    saved = save(app, caller, {"notes": long, "other": long}, sessionId="wf")
    marked = mark(app, caller, "notes")

    assert marked.critical == ["notes"]
    loaded = load(app, caller, sessionId="wf", budget_tokens=100)
    assert (loaded.critical, loaded.context["notes"]) == (["notes"], long)
    assert "critical: notes" in loaded.text()
    assert "critical: notes" in listing(app, caller, sessionId="wf").text()

    gone = mark(app, caller, "notes", critical=False)
    again = mark(app, caller, "notes", critical=False)

    assert (gone.status, gone.critical) == ("SUCCESS", [])
    assert (again.status, again.keys, again.receipt) == ("KEY_NOT_FOUND", [], None)
    view = load(app, caller, checkpointId=saved.checkpointId, budget_tokens=100)
    assert view.context["notes"] != long
    assert save(app, caller, {"notes": long, "other": long}, sessionId="wf").status == (
        "SKIPPED_UNCHANGED"
    )


def test_a_pending_mark_can_be_seen_and_taken_back(app: Application) -> None:
    caller = a_caller()
    pending = mark(app, caller, "later")

    assert listing(app, caller, sessionId=pending.sessionId).session.critical == ["later"]
    assert mark(app, caller, "later", critical=False).critical == []


def test_what_resumes_a_closed_session_may_mark_in_it(open_app: OpenApp) -> None:
    app, caller = open_app(), a_caller()
    save(app, caller, {"goal": 1}, sessionId="wf")
    app.call("close_session", {"session_id": "wf"}, caller)
    heads = app.store.engine.heads()["default"]
    resumed, app = a_caller(), open_app()

    assert mark(app, resumed, "typo", sessionId="wf").status == "KEY_NOT_FOUND"
    assert app.store.engine.heads()["default"] == heads
    load(app, resumed)
    assert mark(app, resumed, "goal").critical == ["goal"]


@pytest.mark.holds("CHK-session-9", "001-mark-1")
def test_over_stdio_the_sources_own_words_suffice(tmp_path: Path) -> None:
    settings = {"store": str(tmp_path), "session": "configured"}
    with StdioServer("tests.checkpoints.programs", settings) as server:
        server.open()

        def ask(name: str, **arguments: Any) -> dict[str, Any]:
            content: dict[str, Any] = server.call(name, **arguments)["result"]["structuredContent"]
            return content

        ask("workflow_checkpoint_save", sessionId="wf", context={"goal": 1})
        typo = ask("workflow_mark_critical", contextKey="gaol")
        marked = ask("workflow_mark_critical", contextKey="goal")
        ask("workflow_checkpoint_save", sessionId="v", context={"plan": 1})
        ask("workflow_checkpoint_load", sessionId="wf")
        again = ask("workflow_mark_critical", contextKey="plan")

    assert (typo["status"], typo["keys"]) == ("KEY_NOT_FOUND", ["goal"])
    assert (marked["status"], marked["sessionId"]) == ("SUCCESS", "wf")
    assert (again["status"], again["sessionId"]) == ("KEY_NOT_FOUND", "wf")
