"""Projects, the end of sessions, and what is told about what happened."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller, Result
from hansard.kernel.problem import InvalidInput
from hansard.sessions.contract import (
    ActivityListAnswer,
    ProjectExists,
    ProjectListAnswer,
    ProjectMadeAnswer,
    ProjectNotFound,
    ProjectShownAnswer,
    SessionEndedAnswer,
)
from tests.conftest import a_caller
from tests.toy import NoteList


def ask(app: Application, operation: str, caller: Caller, **arguments: object) -> Result:
    return app.call(operation, arguments, caller)


@pytest.mark.holds("ALL-02.6", "000-project-1", "000-create_project-1")
def test_a_new_project_has_what_was_said_of_it_and_tick_zero(
    app: Application, agent: Caller
) -> None:
    made = ask(app, "create_project", agent, id="my-app", name="My app", description="A thing")

    assert isinstance(made, ProjectMadeAnswer)
    assert (made.id, made.name, made.description, made.tick) == ("my-app", "My app", "A thing", 0)
    shown = ask(app, "get_project", agent, id="my-app")
    assert isinstance(shown, ProjectShownAnswer)
    assert shown.created == made.created


@pytest.mark.holds("000-create_project-2")
def test_without_an_id_one_is_made_and_no_two_are_the_same(app: Application, agent: Caller) -> None:
    ids = set()
    for name in ("My app!", "My app!", "日本語", "../../etc"):
        made = ask(app, "create_project", agent, name=name)
        assert isinstance(made, ProjectMadeAnswer)
        ids.add(made.id)

    assert len(ids) == 4


@pytest.mark.holds("000-create_project-3", "ALL-06.22")
def test_an_id_that_is_taken_is_refused(app: Application, agent: Caller) -> None:
    ask(app, "create_project", agent, id="my-app", name="My app")
    before = app.store.engine.heads()

    with pytest.raises(ProjectExists) as refused:
        ask(app, "create_project", agent, id="my-app", name="Another")

    assert refused.value.code == "PROJECT_EXISTS"
    assert app.store.engine.heads() == before


@pytest.mark.parametrize("bad", ["", "a b", "@catalog", "-x", "a.b", "é", "a/b", "x" * 65, "a\n"])
def test_an_id_of_a_wrong_form_is_refused(app: Application, agent: Caller, bad: str) -> None:
    with pytest.raises(InvalidInput):
        ask(app, "create_project", agent, id=bad, name="x")


def test_the_catalog_is_not_a_project(app: Application, agent: Caller) -> None:
    ask(app, "get_project", agent)

    with pytest.raises(ProjectNotFound):
        ask(app, "get_project", agent, id="@catalog")


@pytest.mark.holds(
    "ALL-02.4", "000-get_project-1", "000-notes-default_project-1", "000-get_project-2"
)
def test_the_default_project_is_made_on_first_use_once(app: Application, agent: Caller) -> None:
    first = ask(app, "get_project", agent)
    again = ask(app, "get_project", agent)

    assert isinstance(first, ProjectShownAnswer)
    assert first.id == "default"
    assert first == again


@pytest.mark.holds("000-list_projects-1", "000-list_projects-2", "ALL-08.5")
def test_projects_are_listed_page_by_page_with_their_open_sessions(
    app: Application, agent: Caller
) -> None:
    for number in range(5):
        ask(app, "create_project", agent, id=f"p{number}", name=f"Project {number}")
    ask(app, "toy_note", agent, text="hello", project_id="p3")

    seen, cursor = [], None
    while True:
        page = ask(app, "list_projects", agent, limit=2, **({"cursor": cursor} if cursor else {}))
        assert isinstance(page, ProjectListAnswer)
        assert page.total == 5
        seen += page.projects
        cursor = page.nextCursor
        if cursor is None:
            break

    assert [project.id for project in seen] == ["p0", "p1", "p2", "p3", "p4"]
    assert {project.id: project.open_sessions for project in seen}["p3"] == 1
    assert {project.id: project.tick for project in seen}["p3"] == 1


def test_a_project_of_a_newer_version_is_listed_with_the_others(
    app: Application, agent: Caller
) -> None:
    for name in ("aaa", "zzz"):
        ask(app, "create_project", agent, id=name, name=name.upper())
        ask(app, "toy_note", a_caller(), text="hello", project_id=name)
    app.store.engine.write("aaa", lambda tx: tx.mark_views("checkpoints:999"))

    listed = ask(app, "list_projects", agent)

    assert isinstance(listed, ProjectListAnswer)
    newer, other = listed.projects
    assert (newer.name, newer.tick, newer.open_sessions) == ("AAA", 1, 0)
    assert newer.unavailable == "The project aaa has been opened by a newer Hansard than this one"
    assert newer.unavailable in listed.text()
    assert (other.name, other.open_sessions, other.unavailable) == ("ZZZ", 1, None)


@pytest.mark.holds("000-close_session-1", "000-list_projects-2")
def test_a_closed_session_says_what_was_not_saved(app: Application, agent: Caller) -> None:
    ask(app, "toy_note", agent, text="one")
    ask(app, "toy_note", agent, text="two")

    ended = ask(app, "close_session", agent, summary="Enough for today")

    assert isinstance(ended, SessionEndedAnswer)
    assert ended.success
    assert ended.unsaved_warning is not None
    assert "T001, T002" in ended.unsaved_warning
    listed = ask(app, "list_projects", agent)
    assert isinstance(listed, ProjectListAnswer)
    assert listed.projects[0].open_sessions == 0


def activity(app: Application, caller: Caller, **arguments: object) -> ActivityListAnswer:
    listed = ask(app, "get_recent_activity", caller, **arguments)
    assert isinstance(listed, ActivityListAnswer)
    return listed


@pytest.mark.holds(
    "000-get_recent_activity-1",
    "000-get_recent_activity-3",
    "000-get_recent_activity-4",
    "000-get_recent_activity-6",
    "000-close_session-4",
)
def test_activity_is_listed_newest_first_and_filtered(app: Application, agent: Caller) -> None:
    ask(app, "toy_note", agent, text="one")
    ask(app, "toy_note", agent, text="two")
    ask(app, "close_session", agent)

    listed = activity(app, agent)
    types = [entry.type for entry in listed.activity]
    assert types == ["session_closed", "toy_noted", "toy_noted", "session_started"]
    assert listed.total == 4
    assert [one.record_id for one in activity(app, agent, record_id="T002").activity] == ["T002"]
    assert activity(app, agent, types=["session_started", "session_saved"]).total == 1
    assert activity(app, agent, since="t:1").total == 2
    assert activity(app, agent, since=listed.activity[1].timestamp).total == 2
    assert activity(app, agent, types=[]).total == 0


@pytest.mark.holds("ALL-08.5")
def test_activity_pages_meet_without_gap_or_overlap(app: Application, agent: Caller) -> None:
    for number in range(7):
        ask(app, "toy_note", agent, text=str(number))

    seen, cursor = [], None
    while True:
        page = activity(app, agent, limit=3, **({"cursor": cursor} if cursor else {}))
        seen += [entry.seq for entry in page.activity]
        cursor = page.nextCursor
        if cursor is None:
            break

    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == len(seen) == 8


def test_nothing_of_one_project_is_in_the_activity_of_another(
    app: Application, agent: Caller
) -> None:
    ask(app, "create_project", agent, id="other", name="Other")
    ask(app, "toy_note", a_caller(), text="secret plan", project_id="other")

    assert activity(app, agent).total == 0
    assert activity(app, agent, project_id="other").total == 2


@pytest.mark.holds("000-get_recent_activity-2")
def test_fifty_entries_are_listed_unless_asked_otherwise(app: Application, agent: Caller) -> None:
    for number in range(50):
        ask(app, "toy_note", agent, text=str(number))

    listed = activity(app, agent)

    assert (len(listed.activity), listed.total) == (50, 51)


@pytest.mark.holds("000-table-create_project", "000-table-list_projects", "000-table-get_project")
def test_making_and_looking_at_projects_ticks_none_and_looking_writes_nothing(
    app: Application, agent: Caller
) -> None:
    ask(app, "toy_note", agent, text="here")
    before = app.store.engine.heads()["default"]

    made = ask(app, "create_project", a_caller(), name="New")

    assert isinstance(made, ProjectMadeAnswer)
    assert made.tick == 0
    assert app.store.engine.heads()["default"] == before
    everything = app.store.engine.heads()
    ask(app, "list_projects", a_caller())
    ask(app, "get_project", a_caller(), id=made.id)
    assert app.store.engine.heads() == everything


@pytest.mark.holds("000-notes-default_project-3")
def test_several_agents_work_on_several_projects_at_once(app: Application, agent: Caller) -> None:
    projects = [f"p{number}" for number in range(4)]
    for project in projects:
        ask(app, "create_project", agent, id=project, name=project)

    def work(project: str) -> None:
        caller = a_caller()
        for number in range(5):
            ask(app, "toy_note", caller, text=f"{project} {number}", project_id=project)

    with ThreadPoolExecutor(len(projects)) as threads:
        list(threads.map(work, projects))

    for project in projects:
        notes = ask(app, "toy_list", agent, project_id=project)
        assert isinstance(notes, NoteList)
        assert notes.notes == [f"{project} {number}" for number in range(5)]
