"""`hansard projects`, and that no command that looks makes a project."""

import json
from pathlib import Path
from typing import Any

import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.cli.commands import COMMANDS
from hansard.kernel.event import Head
from tests.app.repositories import repository
from tests.cli.running import Hansard
from tests.conftest import a_caller

LOOKING: dict[str, list[str]] = {
    "records": ["records"],
    "records show": ["records", "show", "R001"],
    "records history": ["records", "history", "R001"],
    "records diff": ["records", "diff", "R001", "--from", "t:1"],
    "records search": ["records", "search", "x"],
    "log": ["log"],
    "status": ["status"],
    "call": ["call", "list_records"],
    "search": ["search", "x"],
    "top": ["top", "--once"],
    "redact": ["redact", "s:1", "--reason", "x", "--yes"],
    "checkpoints": ["checkpoints", "list"],
    "sessions": ["sessions"],
    "sessions show": ["sessions", "show", "main"],
    "sessions end": ["sessions", "end", "main"],
    "timeline": ["timeline"],
    "story": ["story"],
    "evolution": ["evolution"],
    "replay": ["replay", "main", "/dev/null/x.html"],
    "export-to": ["export-to", "jsonl", "/dev/null/x"],
    "restore": ["restore", "--session", "main", "--yes"],
    "why": ["why", "a.py:1"],
    "workspace": ["workspace", "list"],
    "metrics": ["metrics", "query", "ms"],
    "metrics export": ["metrics", "export"],
    "decisions": ["decisions"],
    "decisions show": ["decisions", "show", "D001"],
    "decisions search": ["decisions", "search", "x"],
    "decisions proposals": ["decisions", "proposals"],
    "decisions git": ["decisions", "git"],
    "entities": ["entities", "list", "metric"],
    "entities show": ["entities", "show", "settings"],
    "entities export": ["entities", "export"],
    "projects show": ["projects", "show"],
}
"""How each command that looks into a project is run."""

WHOLE_STORE = {
    *("open", "token", "demo", "verify", "rebuild", "doctor", "anchor", "backup", "gc", "repair"),
    *("restore-backup", "export", "import", "export-schema", "secret", "completion", "hosts"),
    *("push", "pull", "exchange", "copy-store", "sso"),
}
"""Those that are about no project, or about one that they are told otherwise."""

WRITING = {"init", "serve", "watch", "hook", "undo", "import-from"}
"""Those that only write, or serve whoever writes."""


@pytest.fixture
def filled(hansard: Hansard) -> Hansard:
    app = start(Settings(store=str(hansard.store), project="lantern"))
    app.call("workflow_checkpoint_save", {"sessionId": "main", "context": {"n": 1}}, a_caller())
    app.close()
    return hansard


def heads(hansard: Hansard) -> dict[str, Head]:
    app = start(Settings(store=str(hansard.store)))
    try:
        return app.store.engine.heads()
    finally:
        app.close()


def listed(hansard: Hansard, *more: str) -> list[dict[str, Any]]:
    ran = hansard("projects", "--json", *more)
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in ran.out.splitlines()]


def test_every_command_says_whether_it_looks() -> None:
    named = {words[0] for words in LOOKING.values()} | WHOLE_STORE | WRITING

    assert named == set(COMMANDS), "say in LOOKING, WHOLE_STORE or WRITING what a command does"


@pytest.mark.holds("ALL-02.18", "ALL-02.19")
@pytest.mark.parametrize("name", LOOKING)
def test_a_mistyped_project_is_refused_with_those_there_are_and_not_made(
    filled: Hansard, name: str
) -> None:
    before = heads(filled)

    ran = filled(*LOOKING[name], "--project", "lantrn")

    assert (ran.code, ran.out) == (1, "")
    assert "There is no project lantrn. Did you mean lantern? There are: lantern" in ran.err
    assert heads(filled) == before


@pytest.mark.holds("ALL-02.18")
@pytest.mark.parametrize("name", LOOKING)
def test_looking_at_the_workspaces_own_project_makes_none(
    filled: Hansard, tmp_path: Path, name: str
) -> None:
    workspace = repository(tmp_path / "app")
    before = heads(filled)

    ran = filled(*LOOKING[name], "--workspace", str(workspace))

    assert "a bug" not in ran.err
    assert "@unmade" not in ran.out + ran.err
    assert heads(filled) == before


SECRET = "xqz-lanterns-own-zqx"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Hansard:
    """A store in which one project is full of secrets, and another uses the same names."""
    hansard = Hansard(tmp_path_factory.mktemp("shared"))
    record = {"type": "note", "title": SECRET, "summary": SECRET, "body": SECRET}
    decision = {"title": SECRET, "target": "t", "rationale": f"It was measured: {SECRET}"}
    sample = {"name": "ms", "value": 1, "dimensions": {"of": SECRET}}
    for project, rounds in (("lantern", 1), ("shop", 0)):
        app = start(Settings(store=str(hansard.store), project=project, embedder="none"))
        caller = a_caller(session="main")
        saved = {"sessionId": "main", "context": {"n": SECRET if rounds else "mine"}}
        app.call("workflow_checkpoint_save", saved, caller)
        for _ in range(rounds):
            app.call("create_record", record, caller)
            app.call("record_decision", decision, caller)
            app.call("propose_decision", decision | {"target": "u"}, caller)
            app.call("metric_record", {"samples": [sample]}, caller)
            app.call("audit_event", {"type": "note", "description": SECRET}, caller)
        app.close()
    return hansard


@pytest.mark.holds("ALL-02.8", "ALL-02.14")
@pytest.mark.parametrize("name", LOOKING)
def test_no_command_shows_anything_of_another_project(shared: Hansard, name: str) -> None:
    own = shared(*LOOKING[name], "--project", "lantern")
    other = shared(*LOOKING[name], "--project", "shop")

    assert SECRET not in other.out + other.err
    assert "a bug" not in own.err + other.err


@pytest.mark.holds("ALL-02.16")
def test_a_first_write_makes_the_workspaces_project_and_says_so(
    hansard: Hansard, tmp_path: Path
) -> None:
    one, other = repository(tmp_path / "a" / "app"), repository(tmp_path / "b" / "app")
    new = ["records", "new", "--title", "Hello", "--body", "b", "--workspace"]

    first, second, again = (hansard(*new, str(folder)) for folder in (one, other, other))

    assert first.err.splitlines() == ["Made the project app for this workspace."]
    assert "Made the project app-2 for this workspace; app is another's." in second.err
    assert again.err == ""
    assert "R101  OPEN  Hello" in hansard("records", "--workspace", str(other)).out


def test_projects_are_listed_with_what_is_in_them_and_the_one_meant_here(
    filled: Hansard, tmp_path: Path
) -> None:
    workspace = str(repository(tmp_path / "app"))
    filled("records", "new", "--title", "Hello", "--body", "b", "--workspace", workspace)

    own, lantern = listed(filled, "--workspace", workspace)

    assert (own["id"], own["current"], own["workspaces"]) == ("app", True, [workspace])
    assert (lantern["id"], lantern["current"], lantern["open_sessions"]) == ("lantern", False, 1)
    assert lantern["entries"] == heads(filled)["lantern"].seq
    assert lantern["last_activity"]
    shown = filled("projects", "--workspace", workspace).out
    assert shown.splitlines()[0].startswith("* app ")
    assert workspace in shown


def test_a_project_of_a_newer_version_is_listed_with_the_others_and_why_no_more_is_known(
    filled: Hansard,
) -> None:
    app = start(Settings(store=str(filled.store)))
    app.call("create_project", {"id": "other", "name": "Other"}, a_caller())
    app.store.engine.write("lantern", lambda tx: tx.mark_views("checkpoints:999"))
    app.close()

    newer, other = listed(filled)

    why = "The project lantern has been opened by a newer Hansard than this one"
    assert (newer["id"], newer["open_sessions"], newer["unavailable"]) == ("lantern", None, why)
    assert newer["entries"] == heads(filled)["lantern"].seq
    assert (other["id"], other["open_sessions"], other["unavailable"]) == ("other", 0, None)
    assert why in filled("projects").out


def test_where_the_project_is_yet_to_be_made_the_list_says_so(
    filled: Hansard, tmp_path: Path
) -> None:
    workspace = str(repository(tmp_path / "lantern"))

    ran = filled("projects", "--workspace", workspace)

    assert ran.out.splitlines()[-1].startswith("Here the project is lantern-2")
    assert "lantern-2" in filled("projects", "show", "--workspace", workspace).out


@pytest.mark.holds("ALL-02.20")
def test_a_project_is_renamed_shown_archived_and_brought_back(filled: Hansard) -> None:
    assert filled("projects", "rename", "lantern", "lamp").code == 0
    shown = filled("projects", "show", "lantern").out
    assert shown.startswith("lamp: lamp\n")
    assert "also found as lantern" in shown

    assert filled("projects", "archive", "lamp").code == 0
    assert listed(filled) == []
    assert [one["archived"] for one in listed(filled, "--all")] == [True]
    refused = filled("records", "new", "--title", "x", "--body", "b", "--project", "lamp")
    assert refused.code == 1
    assert "hansard projects unarchive lamp" in refused.err
    assert filled("checkpoints", "list", "--project", "lantern").out.startswith("main ")

    assert filled("projects", "unarchive", "lantern").code == 0
    assert [one["id"] for one in listed(filled)] == ["lamp"]


def test_a_bundle_is_not_taken_in_under_a_name_that_leads_elsewhere(
    filled: Hansard, tmp_path: Path
) -> None:
    bundle = tmp_path / "lantern.bundle"
    assert filled("export", "lantern", str(bundle)).code == 0
    other = Hansard(tmp_path / "other")
    start(Settings(store=str(other.store))).close()
    other("records", "new", "--title", "x", "--body", "b", "--project", "shop")
    other("projects", "rename", "shop", "lantern")
    before = heads(other)

    ran = other("import", str(bundle))

    assert ran.code == 1
    assert "--as" in ran.err
    assert heads(other) == before


def test_a_renamed_project_is_exported_by_either_name(filled: Hansard, tmp_path: Path) -> None:
    filled("projects", "rename", "lantern", "lamp")

    for name in ("lantern", "lamp"):
        assert filled("export", name, str(tmp_path / name)).code == 0
    assert filled("export", "lamb", str(tmp_path / "none")).code == 1
