"""Sessions, plans, notes and reports: what is recorded besides the changes themselves."""

from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from hansard.recorder import limits
from hansard.recorder.contract import SessionExists
from hansard.recorder.problems import FileNotFound, PathOutsideWorkspace
from hansard.sessions.contract import SessionClosed, SessionNotFound
from tests.conftest import OpenApp, a_caller
from tests.recorder.asking import (
    contents,
    create,
    edit,
    evolution,
    sha256,
    sources,
    story,
    timeline,
    told,
)


def call(app: Application, caller: Caller, name: str, **arguments: Any) -> Any:
    return app.call(name, arguments, caller)


@pytest.mark.holds("003-record_session_start-1", "ALL-01.2", "000-notes-persistence-2")
def test_a_session_starts_with_its_id_title_and_message(app: Application, agent: Caller) -> None:
    started = call(
        app, agent, "record_session_start", session_id="chat-1", title="Auth", user_message="Add it"
    )

    told = story(app, agent, session_id="chat-1")
    assert (started.session_id, told.title, told.user_message) == ("chat-1", "Auth", "Add it")


@pytest.mark.holds("ALL-01.17")
def test_a_session_begun_otherwise_is_given_its_title(app: Application, agent: Caller) -> None:
    create(app, agent, "a")

    started = call(app, agent, "record_session_start", title="Auth")

    assert story(app, agent).session_id == started.session_id
    assert story(app, agent).title == "Auth"


@pytest.mark.holds("ALL-06.24", "ALL-01.18")
def test_a_session_with_a_title_exists(app: Application, agent: Caller) -> None:
    call(app, agent, "record_session_start", title="Auth")

    with pytest.raises(SessionExists):
        call(app, agent, "record_session_start", title="Again")

    assert story(app, agent).title == "Auth"


@pytest.mark.holds("003-record_session_end-1", "FIL-durable-1")
def test_an_ended_session_takes_no_more_and_has_lost_nothing(
    app: Application, open_app: OpenApp, agent: Caller
) -> None:
    session = call(app, agent, "record_session_start", title="Auth").session_id
    create(app, agent, "a")
    before = len(timeline(app, agent))

    call(app, agent, "record_session_end", summary="Done")

    assert len(timeline(open_app(), a_caller(), session_id=session)) == before + 1
    with pytest.raises(SessionClosed):
        call(app, agent, "record_plan", steps=["more"], session_id=session)


@pytest.mark.holds("003-record_plan-1", "003-record_plan-2", "003-record_plan-3")
def test_a_plan_is_one_event_a_step(app: Application, agent: Caller, files: Path) -> None:
    recorded = call(app, agent, "record_plan", steps=["write", "test"])

    items = timeline(app, agent, kinds=["plan_step"])
    assert [(item.index, item.step) for item in items] == [(0, "write"), (1, "test")]
    assert all(item.at for item in items)
    assert (recorded.plan_revision, recorded.steps) == (1, 2)
    assert contents(files) == {}


@pytest.mark.holds("FIL-plan-1")
def test_a_second_plan_is_the_second_revision(app: Application, agent: Caller) -> None:
    call(app, agent, "record_plan", steps=["write", "test"])

    assert call(app, agent, "record_plan", steps=["rewrite"]).plan_revision == 2
    with pytest.raises(InvalidInput):
        call(app, agent, "record_step", index=1)


@pytest.mark.holds("003-record_plan_step-1")
def test_a_single_step_is_added_to_the_plan(app: Application, agent: Caller) -> None:
    call(app, agent, "record_plan_step", step="write")

    added = call(app, agent, "record_plan_step", step="test")

    assert (added.plan_revision, added.steps) == (1, 2)


def test_a_plan_does_not_grow_without_end(app: Application, agent: Caller) -> None:
    call(app, agent, "record_plan", steps=["step"] * limits.STEPS_MAX)

    with pytest.raises(InvalidInput):
        call(app, agent, "record_plan_step", step="one more")


@pytest.mark.holds("FIL-plan-2", "003-record_plan-4")
def test_what_is_done_belongs_to_the_step_last_begun(app: Application, agent: Caller) -> None:
    call(app, agent, "record_plan", steps=["write", "test"])
    create(app, agent, "a")
    call(app, agent, "record_step", index=1)
    create(app, agent, "b")
    call(app, agent, "audit_event", type="note", description="well")

    items = timeline(app, agent, kinds=["file_create", "audit_event"])
    assert [item.index for item in items] == [0, 1, 1]


@pytest.mark.holds("FIL-plan-3")
def test_a_named_step_goes_before_the_current_one(app: Application, agent: Caller) -> None:
    call(app, agent, "record_plan", steps=["write", "test"])
    call(app, agent, "record_step", index=1)

    call(app, agent, "file_op", path="a", action="create", content="x", step=0)
    call(app, agent, "audit_event", type="note", description="well", step=0)

    items = timeline(app, agent, kinds=["file_create", "audit_event"])
    assert [item.index for item in items] == [0, 0]


def test_a_step_that_the_plan_lacks_is_refused(
    app: Application, agent: Caller, files: Path
) -> None:
    with pytest.raises(InvalidInput):
        call(app, agent, "file_op", path="a", action="create", content="x", step=0)

    assert contents(files) == {}


def test_a_step_is_begun_in_a_session_that_there_is(app: Application) -> None:
    with pytest.raises(SessionNotFound):
        call(app, a_caller(seat=False), "record_step", index=0)


@pytest.mark.holds("003-audit_event-1", "003-audit_event-2", "ALL-11.2")
@pytest.mark.parametrize("name", ["audit_event", "record_audit_event"])
def test_a_note_is_on_the_timeline_with_its_type_and_words(
    app: Application, agent: Caller, name: str
) -> None:
    call(app, agent, name, type="decision", description="Used JWT", cites=["R001", "path:a"])

    [item] = timeline(app, agent, kinds=["audit_event"])
    assert (item.title, item.content) == ("decision", "Used JWT")
    assert item.cites == ["R001", "path:a"]


@pytest.mark.holds("ALL-11.2")
def test_what_a_change_cites_is_kept(app: Application, agent: Caller) -> None:
    call(app, agent, "file_op", path="a", action="create", content="x", cites=["R001"])

    assert timeline(app, agent, path="a")[0].cites == ["R001"]


@pytest.mark.holds(
    "003-record_file_create-1", "003-record_file_edit-1", "003-record_file_delete-1", "FIL-report-1"
)
def test_reports_are_recorded_as_such_and_touch_nothing(
    app: Application, agent: Caller, files: Path
) -> None:
    call(app, agent, "record_file_create", path="a", content="one\n")
    call(app, agent, "record_file_edit", path="a", content="two\n", old_content="one\n")
    call(app, agent, "record_file_delete", path="a")

    assert contents(files) == {}
    assert sources(app, agent, "a") == ["reported"] * 3
    items = timeline(app, agent, path="a")
    assert [item.kind for item in items] == ["file_create", "file_edit", "file_delete"]
    assert all(item.reported and item.status is None for item in items)
    assert items[1].before == sha256("one\n")
    assert items[2].before == sha256("two\n")


def test_a_move_that_is_reported_keeps_the_files_history_and_is_undone(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    (files / "a").rename(files / "b")
    (files / "b").chmod(0o755)

    moved = call(app, agent, "record_file_move", path="a", to="b", old_mode="0644")
    [item] = [one for one in timeline(app, agent, path="b") if one.kind == "file_move"]
    seen = evolution(app, agent, path="b")
    call(app, agent, "undo", entry=f"s:{moved.receipt.seq}")

    assert (moved.action, moved.revision) == ("move", 2)
    assert (item.reported, item.path, item.to) == (True, "a", "b")
    assert [one.source for one in seen.revisions or ()] == ["reported", "executed"]
    assert contents(files) == {"a": b"one\n"}
    assert (files / "a").stat().st_mode & 0o777 == 0o644
    assert [one.action for one in evolution(app, agent, path="a").revisions or ()] == [
        *("move", "move", "create"),
    ]


def test_a_file_that_nobody_knew_is_reported_to_have_moved_with_what_it_held(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "b").write_text("one\n")

    with pytest.raises(FileNotFound):
        call(app, agent, "record_file_move", path="a", to="b")
    call(app, agent, "record_file_move", path="a", to="b", old_content="one\n")
    edit(app, agent, "b", "two\n")

    assert sources(app, agent, "b") == ["found", "reported", "executed"]


def test_what_was_reported_is_not_taken_for_a_change_from_outside(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    (files / "a").write_text("two\n")
    call(app, agent, "record_file_edit", path="a", content="two\n", old_content="one\n")

    edit(app, agent, "a", "three\n")

    assert sources(app, agent, "a") == ["executed", "reported", "executed"]


def test_a_report_of_another_past_is_a_change_from_outside(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "one\n")

    call(app, agent, "record_file_edit", path="a", content="3\n", old_content="2\n")

    assert sources(app, agent, "a") == ["executed", "external", "reported"]
    assert evolution(app, agent, path="a", revision=2).content == "2\n"


def test_a_report_from_outside_the_workspace_is_refused(app: Application, agent: Caller) -> None:
    # No project is made for the sake of a refusal.
    call(app, agent, "audit_event", type="note", description="begun")
    with pytest.raises(PathOutsideWorkspace):
        call(app, agent, "record_file_create", path="../a", content="x")

    assert told(app, agent) == [("file_refused", "refused")]


def test_a_batch_of_steps_has_its_other_name(app: Application, agent: Caller) -> None:
    assert call(app, agent, "record_plan_batch", steps=["write"]).steps == 1


@pytest.mark.holds("ALL-01.19", "000-session-7")
@pytest.mark.parametrize("name", ["record_session_end", "close_session"])
def test_both_ways_of_ending_end_the_same_session(
    app: Application, agent: Caller, name: str
) -> None:
    session = call(app, agent, "record_session_start", title="Auth").session_id

    call(app, agent, name, summary="Done")

    for other in ("record_session_end", "close_session"):
        with pytest.raises(SessionClosed):
            call(app, agent, other, session_id=session)


@pytest.mark.holds("ALL-01.23")
def test_title_plan_and_current_step_survive_a_restart(open_app: OpenApp) -> None:
    first, agent = open_app(), a_caller()
    session = call(first, agent, "record_session_start", title="Auth").session_id
    call(first, agent, "record_plan", steps=["write", "test"])
    call(first, agent, "record_step", index=1)

    second, other = open_app(), a_caller()
    with pytest.raises(SessionExists):
        call(second, other, "record_session_start", title="Again", session_id=session)
    call(second, other, "audit_event", type="note", description="x", session_id=session)
    added = call(second, other, "record_plan_step", step="ship", session_id=session)

    assert timeline(second, other, session_id=session, kinds=["audit_event"])[0].index == 1
    assert (added.plan_revision, added.steps) == (1, 3)


@pytest.mark.holds("ALL-00.5")
def test_every_tool_of_the_source_is_there_by_its_name(app: Application) -> None:
    names = """record_session_start record_plan file_op audit_event record_session_end
        record_plan_step record_file_create record_file_edit record_file_delete record_file_move
        record_step file_read restore get_timeline get_story get_evolution""".split()

    assert {app.catalog.find(name).name for name in names} == set(names)


@pytest.mark.holds("ALL-02.11")
def test_another_projects_session_is_not_found(app: Application, agent: Caller) -> None:
    session = call(app, agent, "record_session_start", title="Auth").session_id
    create(app, agent, "a")
    app.call("create_project", {"id": "other", "name": "Other"}, agent)

    for name in ("get_timeline", "get_story", "get_evolution"):
        with pytest.raises(SessionNotFound):
            call(app, agent, name, session_id=session, project_id="other")
    with pytest.raises(FileNotFound):
        call(app, a_caller(), "get_evolution", path="a", project_id="other")
    assert call(app, a_caller(), "list_sessions", project_id="other").total == 0
