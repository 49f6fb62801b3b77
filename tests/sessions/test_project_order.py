"""Putting projects in order: renamed they are found, archived they are kept."""

from collections.abc import Callable

import pytest

from hansard.app.application import Application
from hansard.app.verify import verify
from hansard.kernel.engine import Row
from hansard.kernel.event import SYSTEM, Stamp
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import Store
from hansard.sessions import projects
from hansard.sessions.contract import (
    ProjectArchived,
    ProjectExists,
    ProjectListAnswer,
    ProjectNotFound,
)
from tests.conftest import OpenApp, a_caller

STAMP = Stamp(SYSTEM, "2026-01-01T00:00:00Z")


@pytest.fixture
def filled(app: Application) -> Application:
    for name in ("app", "shop"):
        app.call("create_project", {"id": name, "name": name}, a_caller())
        app.call("toy_note", {"text": name, "project_id": name}, a_caller())
    return app


def listed(app: Application) -> list[str]:
    answer = app.call("list_projects", {}, a_caller())
    assert isinstance(answer, ProjectListAnswer)
    assert answer.total == len(answer.projects)
    return [one.id for one in answer.projects]


def notes(app: Application, project: str) -> list[str]:
    told: list[str] = app.call("toy_list", {"project_id": project}, a_caller()).model_dump()[
        "notes"
    ]
    return told


@pytest.mark.holds("ALL-02.20")
def test_a_renamed_project_is_found_by_its_new_name_and_its_old(filled: Application) -> None:
    projects.rename(filled.store, "app", "zoo", STAMP)
    projects.rename(filled.store, "zoo", "inn", STAMP, title="The inn")

    assert listed(filled) == ["inn", "shop"]
    assert [notes(filled, name) for name in ("app", "zoo", "inn")] == [["app"]] * 3
    shown = filled.call("get_project", {"id": "app"}, a_caller()).model_dump()
    assert (shown["id"], shown["name"]) == ("inn", "The inn")
    assert verify(filled.store).findings == ()


@pytest.mark.holds("ALL-02.20")
def test_a_name_never_changes_hands(filled: Application) -> None:
    projects.rename(filled.store, "app", "zoo", STAMP)
    before = filled.store.engine.heads()

    for taken in ("app", "zoo", "shop"):
        with pytest.raises(ProjectExists):
            filled.call("create_project", {"id": taken, "name": "x"}, a_caller())
    for taken in ("app", "zoo"):
        with pytest.raises(ProjectExists):
            projects.rename(filled.store, "shop", taken, STAMP)
    with pytest.raises(InvalidInput):
        projects.rename(filled.store, "shop", "a b", STAMP)
    with pytest.raises(ProjectNotFound):
        projects.rename(filled.store, "none", "some", STAMP)

    assert filled.store.engine.heads() == before


def test_renaming_back_and_again_changes_what_it_is_called_and_nothing_else(
    filled: Application,
) -> None:
    projects.rename(filled.store, "app", "zoo", STAMP)
    back = projects.rename(filled.store, "zoo", "app", STAMP)
    before = filled.store.engine.heads()

    again = projects.rename(filled.store, "app", "app", STAMP)

    assert (back["id"], back["former"], again) == ("app", ["zoo"], back)
    assert filled.store.engine.heads() == before


def test_sessions_of_a_renamed_project_go_on(filled: Application) -> None:
    caller = a_caller(seat=False)
    given = {"text": "x", "project_id": "app"}
    session = filled.call("toy_note", given, caller).model_dump()["session_id"]

    projects.rename(filled.store, "app", "zoo", STAMP)
    filled.call("toy_go_on", {"text": "y", "session_id": session}, caller)
    filled.call("toy_go_on", {"text": "z", "session_id": session, "project_id": "zoo"}, caller)

    assert notes(filled, "zoo") == ["app", "x", "y", "z"]


@pytest.mark.holds("ALL-02.20")
def test_an_archived_project_is_listed_nowhere_takes_no_writes_and_is_read_by_name(
    open_app: OpenApp, filled: Application
) -> None:
    other = open_app(project="app")
    caller = a_caller()
    session = other.call("toy_note", {"text": "more"}, caller).model_dump()["session_id"]
    projects.archive(filled.store, "app", STAMP)
    before = filled.store.engine.heads()

    for arguments in ({}, {"project_id": "app"}, {"session_id": session}):
        with pytest.raises(ProjectArchived):
            other.call("toy_note", {"text": "x", **arguments}, caller)
    with pytest.raises(ProjectNotFound) as unknown:
        filled.call("toy_list", {"project_id": "none"}, a_caller())

    assert listed(filled) == listed(other) == ["shop"]
    assert unknown.value.details["projects"] == ["shop"]
    assert notes(filled, "app") == ["app", "more"]
    assert filled.store.engine.heads() == before


@pytest.mark.holds("ALL-02.20")
def test_what_was_archived_comes_back_as_it_was(filled: Application) -> None:
    projects.archive(filled.store, "app", STAMP)
    projects.archive(filled.store, "app", STAMP)
    projects.unarchive(filled.store, "app", STAMP)
    projects.unarchive(filled.store, "app", STAMP)

    filled.call("toy_note", {"text": "again", "project_id": "app"}, a_caller())

    assert listed(filled) == ["app", "shop"]
    assert notes(filled, "app") == ["app", "again"]
    assert verify(filled.store).findings == ()


def test_whoever_looks_at_an_archived_project_is_told_at_once(filled: Application) -> None:
    def told() -> list[str]:
        look = filled.call("get_project_overview", {"project_id": "app"}, a_caller())
        return [one for one in look.model_dump()["notices"] or () if "archived" in one]

    before = told()
    projects.archive(filled.store, "app", STAMP)
    meanwhile = told()
    projects.unarchive(filled.store, "app", STAMP)

    assert [len(one) for one in (before, meanwhile, told())] == [0, 1, 0]


def test_looking_into_an_archived_project_leaves_no_note(app: Application) -> None:
    caller = a_caller()
    app.call("workflow_checkpoint_save", {"sessionId": "s", "context": {"n": 1}}, caller)
    projects.archive(app.store, "default", STAMP)
    before = app.store.engine.heads()

    app.call("workflow_checkpoint_load", {"sessionId": "s"}, a_caller())
    app.call("entity_get", {"id": "settings"}, a_caller())

    assert app.store.engine.heads() == before


@pytest.mark.parametrize("change", [projects.archive, projects.unarchive])
def test_what_is_not_there_cannot_be_put_in_order(
    filled: Application, change: Callable[[Store, str, Stamp], Row]
) -> None:
    before = filled.store.engine.heads()

    with pytest.raises(ProjectNotFound) as refused:
        change(filled.store, "ap", STAMP)

    assert refused.value.details["did_you_mean"] == "app"
    assert filled.store.engine.heads() == before
