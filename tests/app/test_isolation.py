"""Nothing of one project is ever in an answer of another, whatever names they share."""

from dataclasses import replace
from pathlib import Path

import pytest

from hansard.kernel.problem import Problem
from hansard.kernel.store import CATALOG
from hansard.mcp.resources import RESOURCES
from tests.app.isolation import MARK, SESSION, Marking, guesses, heard, ids_in
from tests.conftest import OpenApp, a_caller
from tests.contract.everything_asked import SECRET, ask_nearly_everything

SHARED = {"list_projects", "create_project"}
"""What is about the whole store: it names all projects to whoever may see all."""

PATHS = ["a.py", "same.py", "project"]


@pytest.fixture
def both(
    open_app: OpenApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Marking, Marking]:
    """The same work done in two projects of one store, each with files of its own."""
    monkeypatch.setenv("HANSARD_SECRET", SECRET)
    made = []
    for project in ("acme", "globex"):
        folder = tmp_path / project
        folder.mkdir()
        settings = {"workspace": str(folder), "embedder": "none", "review_window_s": 0}
        caller = replace(a_caller(secret=SECRET), session=SESSION)
        asking = Marking(open_app(project=project, **settings), caller, project=f"{project}-shop")
        ask_nearly_everything(asking, folder)
        asking("workflow_checkpoint_save", sessionId=SESSION, context={"secret": "It is"})
        asking("file_op", action="create", path="same.py", content="secret = 1")
        asking("workflow_checkpoint_load", sessionId=SESSION)
        asking("get_evolution", path="same.py", revision=1)
        asking("file_read", path="same.py")
        made.append(asking)
    return made[0], made[1]


def foreign(text: str, theirs: Marking) -> list[str]:
    return sorted(set(MARK.findall(text)) & set(theirs.planted))


@pytest.mark.holds("ALL-02.8", "ALL-02.14")
def test_no_operation_answers_with_anything_of_another_project(
    both: tuple[Marking, Marking],
) -> None:
    theirs, ours = both
    assert len(theirs.planted) > 60
    before = theirs.app.store.engine.heads()["acme"]
    asked = list(guesses(ours.asked, ids_in(theirs.answers)))

    named = [(name, given | {"project_id": "globex"}) for name, given in asked]
    words = [("search", {"query": mark}) for mark in theirs.planted[:50]]
    for name, arguments in [*asked, *named, *words]:
        if name in SHARED:
            continue
        told = heard(ours, name, arguments)
        told = told.replace(str(arguments.get("query", "\n")), "")
        assert foreign(told, theirs) == [], f"{name} {arguments}"

    assert theirs.app.store.engine.heads()["acme"] == before
    everything = {one.name for one in ours.app.catalog if not one.name.startswith("toy_")}
    ends = {"close_session", "record_session_end"}
    assert everything - {name for name, _ in ours.asked} - ends == set(), "give these a sample"


@pytest.mark.holds("ALL-02.8")
def test_a_session_of_a_name_that_both_use_is_ones_own(both: tuple[Marking, Marking]) -> None:
    theirs, ours = both

    for name in ("get_timeline", "get_story", "get_evolution", "workflow_checkpoint_load"):
        for asking, other in (both, (ours, theirs)):
            told = heard(asking, name, {"session_id": SESSION})
            assert foreign(told, other) == []
            assert foreign(told, asking) or name == "get_evolution"


@pytest.mark.holds("ALL-02.8", "ALL-02.11")
def test_no_resource_shows_anything_of_another_project(both: tuple[Marking, Marking]) -> None:
    theirs, ours = both
    sessions = [SESSION, "current", *ids_in(theirs.answers).get("session", [])]

    for resource in RESOURCES:
        left_open = set(resource._pattern.groupindex)
        assert left_open <= {"id", "path"}, f"say what to guess for {left_open}"
        for session in sessions:
            for path in PATHS:
                parts = {"id": session, "path": path}
                given = {name: parts[name] for name in left_open}
                try:
                    told = resource.read(ours.app, ours.caller, given)
                except Problem as problem:
                    told = str(problem.as_dict())
                assert foreign(told, theirs) == []


@pytest.mark.holds("ALL-02.8")
def test_a_refusal_names_other_projects_and_nothing_that_is_in_them(
    both: tuple[Marking, Marking],
) -> None:
    theirs, ours = both

    told = heard(ours, "list_records", {"project_id": "acm"})

    assert "acme" in told
    assert foreign(told, theirs) == []
    assert CATALOG not in told
