"""The project of calls that name none: the workspace's own, found again, never made by a look."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.app.home_projects import believed
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, Problem
from hansard.kernel.store import CATALOG, UNMADE
from hansard.sessions.contract import ProjectNotFound, ProjectShownAnswer
from tests.app.repositories import clone, commit, git, repository
from tests.conftest import OpenApp, a_caller

READS = [
    "get_project",
    "get_project_overview",
    "list_records",
    "get_recent_activity",
    "list_sessions",
    "search",
    "entity_list",
]


def note(app: Application, caller: Caller | None = None, text: str = "hello") -> str:
    """Write something, and say in which project it was."""
    app.call("toy_note", {"text": text}, caller or a_caller())
    return app.default_project


def shown(app: Application) -> ProjectShownAnswer:
    answer = app.call("get_project", {}, a_caller())
    assert isinstance(answer, ProjectShownAnswer)
    return answer


def arguments(operation: str) -> dict[str, str]:
    return {"search": {"query": "x"}, "entity_list": {"type": "metric"}}.get(operation, {})


@pytest.mark.holds("ALL-02.16")
def test_the_project_is_named_after_the_repository(open_app: OpenApp, tmp_path: Path) -> None:
    top = repository(tmp_path / "My App")
    (top / "src").mkdir()

    assert note(open_app(workspace=str(top))) == "my-app"
    assert note(open_app(workspace=str(top / "src"))) == "my-app"
    assert shown(open_app(workspace=str(top))).tick == 2


@pytest.mark.holds("ALL-02.16")
def test_the_file_goes_before_the_repository_and_the_setting_before_the_file(
    open_app: OpenApp, tmp_path: Path
) -> None:
    top = repository(tmp_path / "app")
    (top / ".hansard.toml").write_text('project = "shop"')

    assert note(open_app(workspace=str(top))) == "shop"
    assert note(open_app(workspace=str(top), project="inn")) == "inn"


@pytest.mark.holds("ALL-02.4")
def test_without_a_file_and_a_repository_it_is_default(open_app: OpenApp, files: Path) -> None:
    assert note(open_app(workspace=str(files))) == "default"


def test_a_file_that_cannot_be_understood_is_refused_in_words(
    open_app: OpenApp, tmp_path: Path
) -> None:
    top = repository(tmp_path / "app")
    (top / ".hansard.toml").write_text("project = 7")
    app = open_app(workspace=str(top))

    for operation in ("get_project", "list_records"):
        with pytest.raises(InvalidInput, match=r"\.hansard\.toml"):
            app.call(operation, {}, a_caller())
    with pytest.raises(InvalidInput):
        note(app)

    assert app.store.engine.heads() == {}


@pytest.mark.holds("ALL-02.17")
def test_repositories_of_the_same_name_have_projects_of_their_own(
    open_app: OpenApp, tmp_path: Path
) -> None:
    one, other, third = (repository(tmp_path / part / "app") for part in "abc")

    assert note(open_app(workspace=str(one))) == "app"
    assert note(open_app(workspace=str(other))) == "app-2"
    assert note(open_app(workspace=str(third))) == "app-3"

    again = [shown(open_app(workspace=str(folder))) for folder in (one, other, third)]
    assert [(one.id, one.tick) for one in again] == [("app", 1), ("app-2", 1), ("app-3", 1)]


@pytest.mark.holds("ALL-02.17")
def test_clones_and_working_trees_share_a_project_wherever_they_lie(
    open_app: OpenApp, tmp_path: Path
) -> None:
    first = repository(tmp_path / "app", commits=2)
    second = clone(first, tmp_path / "elsewhere")
    shallow = clone(second, tmp_path / "shallow", "--depth=1")
    again = clone(second, tmp_path / "again")
    git(first, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    note(open_app(workspace=str(first)))

    for folder in (second, tmp_path / "tree", again):
        assert note(open_app(workspace=str(folder))) == "app"
    # A shallow one is known by where it was cloned from, once a whole one was cloned from there.
    assert note(open_app(workspace=str(shallow))) == "shallow"


@pytest.mark.holds("ALL-02.17")
def test_a_shallow_clone_shares_the_project_of_a_whole_one_from_the_same_place(
    open_app: OpenApp, tmp_path: Path
) -> None:
    source = repository(tmp_path / "source", commits=3)
    whole = clone(source, tmp_path / "app")
    shallow = clone(source, tmp_path / "cut", "--depth=1")

    assert note(open_app(workspace=str(whole))) == "app"
    assert note(open_app(workspace=str(shallow))) == "app"


@pytest.mark.holds("ALL-02.17")
def test_a_moved_repository_keeps_its_project_and_another_in_its_place_does_not_get_it(
    open_app: OpenApp, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "app")
    note(open_app(workspace=str(folder)))

    folder.rename(tmp_path / "moved")
    repository(folder)

    assert note(open_app(workspace=str(tmp_path / "moved"))) == "app"
    assert note(open_app(workspace=str(folder))) == "app-2"


def test_a_project_made_before_the_first_commit_stays_the_repositorys(
    open_app: OpenApp, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "app", commits=0)
    assert note(open_app(workspace=str(folder))) == "app"
    commit(folder)

    # The first write after the commit notes what the repository is now known by.
    assert note(open_app(workspace=str(folder))) == "app"
    folder.rename(tmp_path / "moved")

    assert note(open_app(workspace=str(tmp_path / "moved"))) == "app"
    assert note(open_app(workspace=str(repository(folder, commits=0)))) == "app-2"


def test_a_repository_does_not_get_a_project_that_someone_named(
    open_app: OpenApp, tmp_path: Path
) -> None:
    open_app().call("create_project", {"id": "app", "name": "Another"}, a_caller())

    assert note(open_app(workspace=str(repository(tmp_path / "app")))) == "app-2"


def test_a_repository_called_default_does_not_get_what_is_everyones(
    open_app: OpenApp, tmp_path: Path
) -> None:
    top = repository(tmp_path / "default")

    assert note(open_app(workspace=str(top))) == "repository-default"


@pytest.mark.holds("ALL-02.17")
def test_many_at_once_make_one_project_for_each_repository(
    open_app: OpenApp, tmp_path: Path
) -> None:
    folders = [repository(tmp_path / part / "app") for part in "ab"]
    apps = [open_app(workspace=str(folders[number % 2])) for number in range(8)]

    with ThreadPoolExecutor(len(apps)) as pool:
        made = list(pool.map(note, apps))

    assert set(made[::2]) != set(made[1::2])
    assert {*made[::2], *made[1::2]} == {"app", "app-2"}
    heads = apps[0].store.engine.heads()
    assert (heads["app"].tick, heads["app-2"].tick) == (4, 4)


@pytest.mark.holds("ALL-02.18")
@pytest.mark.parametrize("operation", READS)
def test_what_reads_makes_no_project_and_finds_it_empty(
    open_app: OpenApp, tmp_path: Path, operation: str
) -> None:
    app = open_app(workspace=str(repository(tmp_path / "app")))

    answer = app.call(operation, arguments(operation), a_caller())

    assert app.store.engine.heads() == {}
    assert answer.text()
    assert UNMADE not in answer.model_dump_json() + answer.text()


@pytest.mark.holds("ALL-02.18")
def test_a_project_yet_to_be_made_says_so_and_names_the_others(
    open_app: OpenApp, tmp_path: Path
) -> None:
    note(open_app())
    app = open_app(workspace=str(repository(tmp_path / "app")))

    project = shown(app)

    assert (project.id, project.tick, project.created) == ("app", 0, None)
    assert "default" in (project.description or "")


@pytest.mark.holds("ALL-02.18", "ALL-02.21")
def test_a_refused_write_makes_no_project(open_app: OpenApp, tmp_path: Path) -> None:
    app = open_app(workspace=str(repository(tmp_path / "app")))

    for operation, given in (
        ("toy_note", {"text": "refuse me"}),
        ("activate", {"id": "R001"}),
        ("update_record", {"id": "R001", "title": "x"}),
        ("close_session", {}),
        ("file_op", {"action": "delete", "path": "none.txt"}),
        ("undo", {"entry": "s:1"}),
    ):
        with pytest.raises(Problem):
            app.call(operation, given, a_caller())

    assert app.store.engine.heads() == {}
    assert note(app) == "app"


def test_the_first_write_is_done_once_however_often_it_is_tried(
    open_app: OpenApp, tmp_path: Path
) -> None:
    app, caller = open_app(workspace=str(repository(tmp_path / "app"))), a_caller()

    record = {"type": "note", "title": "One", "summary": "s", "body": "b" * 100_000}
    made = app.call("create_record", record, caller).model_dump()

    assert made["record"]["id"] == "R001"
    assert made["session_id"].startswith("app.")
    assert caller.seat is not None
    assert set(caller.seat.sessions) == {"app"}
    assert app.call("list_records", {}, caller).model_dump()["total"] == 1
    assert set(app.store.engine.heads()) == {CATALOG, "app"}


@pytest.mark.holds("ALL-02.19")
def test_a_wrong_project_is_answered_with_those_that_exist(open_app: OpenApp) -> None:
    app = open_app(project="lantern")
    note(app)
    app.call("create_project", {"id": "shop", "name": "Shop"}, a_caller())

    for operation in ("list_records", "toy_note"):
        given = {"project_id": "lantrn"} | ({"text": "x"} if operation == "toy_note" else {})
        with pytest.raises(ProjectNotFound) as refused:
            app.call(operation, given, a_caller())
        assert refused.value.details["projects"] == ["lantern", "shop"]
        assert refused.value.details["did_you_mean"] == "lantern"


def test_the_own_project_may_be_named_before_it_is_made(open_app: OpenApp, tmp_path: Path) -> None:
    app = open_app(workspace=str(repository(tmp_path / "app")))

    assert app.call("list_records", {"project_id": "app"}, a_caller()).model_dump()["total"] == 0
    with pytest.raises(ProjectNotFound):
        app.call("list_records", {"project_id": "default"}, a_caller())
    app.call("toy_note", {"text": "x", "project_id": "app"}, a_caller())

    assert shown(app).tick == 1


@pytest.mark.parametrize("name", ["@catalog", "@unmade", "a b", "-x", "é", "x" * 65])
def test_a_configured_name_that_no_project_can_have_makes_none(
    open_app: OpenApp, name: str
) -> None:
    app = open_app(project=name)

    with pytest.raises(InvalidInput):
        app.call("toy_note", {"text": "x"}, a_caller())

    assert app.store.engine.heads() == {}


def test_marks_are_believed_only_where_no_surer_one_speaks_against_them() -> None:
    known = {
        "git:a": {"project": "A"},
        "origin:x": {"project": "A"},
        "place:p": {"project": "A"},
        "place:q": {"project": "Q"},
    }

    def of(*marks: str) -> str | None:
        return believed(marks, known, lambda project: project == "A")

    assert of("git:a", "origin:y", "place:z") == "A"
    assert of("git:b", "origin:x", "place:p") is None
    assert of("origin:x", "place:z") == "A"
    assert of("place:p") is None
    assert of("place:q") == "Q"
    assert of("git:b", "place:q") == "Q"
