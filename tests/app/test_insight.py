"""Resume with truth: a load says what the world has done since the checkpoint."""

from pathlib import Path
from typing import Any

import pytest

from hansard.app import insight
from hansard.app.application import Application
from hansard.checkpoints.answers import CheckpointLoadedAnswer
from hansard.checkpoints.changes_since import Since
from hansard.kernel.event import Stamp
from hansard.kernel.operation import Caller
from hansard.recorder.events import ExternalChangeSeen
from tests.conftest import a_caller


@pytest.fixture
def other() -> Caller:
    """Another chat than the one that saves and resumes."""
    return a_caller("human", "admin")


def saved(app: Application, caller: Caller) -> str:
    result = app.call("workflow_checkpoint_save", {"context": {"n": 1}, "force": True}, caller)
    return str(result.model_dump()["checkpointId"])


def load(app: Application, caller: Caller, checkpoint: str) -> CheckpointLoadedAnswer:
    loaded = app.call("workflow_checkpoint_load", {"checkpointId": checkpoint}, caller)
    assert isinstance(loaded, CheckpointLoadedAnswer)
    return loaded


def since(app: Application, caller: Caller, checkpoint: str) -> Since:
    return load(app, caller, checkpoint).since


def create(app: Application, caller: Caller, title: str, **rest: Any) -> str:
    given = {"type": "task", "title": title, "summary": title, "body": title, **rest}
    return str(app.call("create_record", given, caller).model_dump()["record"]["id"])


@pytest.mark.holds("CHK-since-1")
def test_right_after_saving_nothing_has_changed(app: Application, agent: Caller) -> None:
    create(app, agent, "before")
    loaded = load(app, agent, saved(app, agent))

    assert loaded.since == Since(ticksPassed=0)
    assert "no record, file or decision has changed that is recorded" in loaded.text()


@pytest.mark.holds("CHK-since-1", "CHK-since-2")
def test_records_are_named_with_how_and_by_whom(
    app: Application, agent: Caller, other: Caller
) -> None:
    untouched, updated, resolved, moved = (
        create(app, agent, title) for title in ("untouched", "updated", "resolved", "moved")
    )
    checkpoint = saved(app, agent)
    for record in (updated, resolved, moved):
        app.call("activate", {"id": record}, other)
    app.call("update_record", {"id": updated, "title": "new title"}, other)
    arguments = {"id": resolved, "to_state": "DISCARDED", "reason": "no need"}
    app.call("transition", arguments, other)
    app.call("move_record", {"id": moved, "parent_id": untouched}, other)
    created = create(app, other, "created")

    found = since(app, agent, checkpoint)

    assert found.ticksPassed == 3
    assert [(one.id, one.title, one.how) for one in found.recordsChanged] == [
        (created, "created", "created"),
        (moved, "moved", "moved"),
        (resolved, "resolved", "transitioned"),
        (updated, "new title", "updated"),
    ]
    assert found.recordsTotal == 4
    assert {one.by for one in found.recordsChanged} == {"human:test-human"}
    assert all(one.session for one in found.recordsChanged)
    text = load(app, agent, checkpoint).text()
    assert "Since then 3 writes" in text
    assert f"{resolved} resolved (now DISCARDED by human:test-human" in text


@pytest.mark.holds("CHK-since-3")
def test_files_are_named_with_how_and_by_whom(
    app: Application, agent: Caller, other: Caller, files: Path
) -> None:
    for name in ("untouched", "edited", "deleted"):
        arguments = {"path": name, "action": "create", "content": "old\n"}
        app.call("file_op", arguments, agent)
    (files / "met").write_text("there before\n")
    checkpoint = saved(app, agent)
    app.call("file_op", {"path": "edited", "action": "edit", "content": "new\n"}, other)
    app.call("file_op", {"path": "deleted", "action": "delete"}, other)
    app.call("file_op", {"path": "met", "action": "edit", "content": "now\n"}, agent)

    found = since(app, agent, checkpoint)

    assert found.ticksPassed == found.recordsTotal == 0
    assert [(one.path, one.how, one.by) for one in found.filesChanged] == [
        ("met", "edit", "agent:test-agent"),
        ("deleted", "delete", "human:test-human"),
        ("edited", "edit", "human:test-human"),
    ]
    assert found.filesTotal == 3
    assert "3 files changed: met (edit by agent:test-agent" in load(app, agent, checkpoint).text()


def test_a_change_from_outside_is_told_as_such(app: Application, agent: Caller) -> None:
    arguments = {"path": "left", "action": "create", "content": "old\n"}
    app.call("file_op", arguments, agent)
    checkpoint = saved(app, agent)
    # What the recorder notes before an operation that then cannot be done.
    gone = ExternalChangeSeen(
        workspace="w",
        path="left",
        before=None,
        after=None,
        added=0,
        removed=1,
        revision=None,
        step=None,
    )
    stamp = Stamp(agent.actor, "2026-01-01T00:00:00.000000Z")
    app.store.write("default", lambda tx: app.store.record(tx, gone, stamp))

    [changed] = since(app, agent, checkpoint).filesChanged

    assert (changed.path, changed.how, changed.session) == ("left", "external", None)
    assert "left (changed from outside, seen by agent" in load(app, agent, checkpoint).text()


def test_a_file_that_was_only_met_has_not_changed(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "met").write_text("there before\n")
    checkpoint = saved(app, agent)
    app.call("file_read", {"path": "met"}, agent)

    assert since(app, agent, checkpoint).filesTotal == 0


def test_many_changes_are_counted_and_the_newest_shown(
    app: Application, agent: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(insight, "SHOWN_MAX", 3)
    checkpoint = saved(app, agent)
    ids = [create(app, agent, f"number {number}") for number in range(5)]
    for number in range(4):
        arguments = {"path": f"{number}.txt", "action": "create", "content": "x"}
        app.call("file_op", arguments, agent)

    found = since(app, agent, checkpoint)

    assert [one.id for one in found.recordsChanged] == ids[:1:-1]
    assert [one.path for one in found.filesChanged] == ["3.txt", "2.txt", "1.txt"]
    assert (found.recordsTotal, found.filesTotal) == (5, 4)
    text = load(app, agent, checkpoint).text()
    assert "… and 2 more" in text
    assert "… and 1 more" in text


def test_an_older_checkpoint_has_more_to_tell(app: Application, agent: Caller) -> None:
    first = saved(app, agent)
    create(app, agent, "between")
    second = saved(app, agent)
    create(app, agent, "after")

    assert since(app, agent, first).recordsTotal == 2
    assert since(app, agent, second).recordsTotal == 1
    by_session = app.call(
        "workflow_checkpoint_load", {"sessionId": load(app, agent, first).sessionId}, agent
    )
    assert isinstance(by_session, CheckpointLoadedAnswer)
    assert (by_session.checkpointId, by_session.since.ticksPassed) == (second, 1)


def test_other_projects_have_no_say(app: Application, agent: Caller) -> None:
    checkpoint = saved(app, agent)
    app.call("create_project", {"id": "other", "name": "Other"}, agent)
    create(app, a_caller(), "elsewhere", project_id="other")

    assert since(app, agent, checkpoint) == Since(ticksPassed=0)


def decide(app: Application, caller: Caller, *old: str, title: str = "Tabs") -> str:
    given = {"title": title, "target": "style", "rationale": "It was agreed upon in the meeting."}
    operation = "supersede_decision" if old else "record_decision"
    arguments = given | ({"old_decision_ids": list(old)} if old else {})
    return str(app.call(operation, arguments, caller).model_dump()["decision_id"])


@pytest.mark.holds("CHK-since-4")
def test_superseded_decisions_are_named_with_what_holds_now(
    app: Application, agent: Caller, other: Caller
) -> None:
    first = decide(app, agent, title="Tabs")
    checkpoint = saved(app, agent)
    second = decide(app, other, first, title="Spaces")
    third = decide(app, other, second, title="Both")

    found = since(app, agent, checkpoint)

    assert found.decisionsTotal == 1
    [one] = found.decisionsSuperseded
    assert (one.id, one.title, one.supersededBy) == (first, "Tabs", third)
    assert f"now {third}" in load(app, agent, checkpoint).text()


def test_a_decision_that_still_holds_is_not_named(app: Application, agent: Caller) -> None:
    decide(app, agent)
    checkpoint = saved(app, agent)

    assert since(app, agent, checkpoint).decisionsTotal == 0
