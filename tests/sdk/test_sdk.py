"""Hansard as a library: every operation by name, and the service of source 001."""

import gc
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.checkpoints.contract import CheckpointNotFound, StorageQuotaExceeded
from hansard.kernel.problem import InvalidInput, Problem, StorageUnavailable, UnknownOperation
from hansard.sdk import Hansard
from hansard.sessions.contract import ProjectNotFound, SessionNotFound
from tests.conftest import OpenApp


@pytest.fixture
def hansard(app: Application) -> Hansard:
    return Hansard(application=app)


@pytest.mark.holds("001-service-1", "001-service-2", "001-service-3")
def test_what_is_saved_is_loaded_by_checkpoint_and_by_session(hansard: Hansard) -> None:
    context = {"goal": "ship it", "steps": [1, 1.0, None, {"ü": "🙈"}], "": {}}

    saved = hansard.checkpoints.save_checkpoint("deploy", context, {"name": "first", "tags": ["a"]})

    assert (saved.status, saved.sessionId) == ("SAVED", "deploy")
    assert saved.sizeBytes > 0
    by_id = hansard.checkpoints.load_checkpoint(saved.checkpointId)
    by_session = hansard.checkpoints.load_checkpoint(session_id="deploy")
    assert repr(by_id.context) == repr(by_session.context)
    assert by_id.context == context
    assert (by_id.metadata["name"], by_id.metadata["tags"]) == ("first", ["a"])
    assert by_id.metadata["agentId"] == "python"


@pytest.mark.holds("001-service-2")
def test_the_same_again_is_skipped_unless_forced(hansard: Hansard) -> None:
    first = hansard.checkpoints.save_checkpoint("w", {"a": {"b": 1, "c": 2}})
    again = hansard.checkpoints.save_checkpoint("w", {"a": {"c": 2, "b": 1}})
    forced = hansard.checkpoints.save_checkpoint("w", {"a": {"b": 1, "c": 2}}, None, True)

    assert (again.status, again.checkpointId) == ("SKIPPED_UNCHANGED", first.checkpointId)
    assert forced.status == "SAVED"


@pytest.mark.holds("001-service-4")
def test_lists_take_limit_and_offset_and_filters(hansard: Hansard) -> None:
    for number in range(25):
        metadata = {"name": f"step {number}", "tags": ["even"] if number % 2 == 0 else []}
        hansard.checkpoints.save_checkpoint("w", {"n": number}, metadata)

    def names(**chosen: Any) -> list[str]:
        listed = hansard.checkpoints.list_checkpoints("w", **chosen)
        return [one.metadata["name"] for one in listed]

    assert names() == [f"step {number}" for number in range(24, 4, -1)]
    assert names(limit=2, offset=3) == ["step 21", "step 20"]
    assert names(tags=["even"], limit=2) == ["step 24", "step 22"]
    assert names(name="step 7") == names(query="STEP 7") == ["step 7"]


@pytest.mark.holds("001-service-5")
def test_a_marked_key_stays_whole_in_any_view(hansard: Hansard) -> None:
    long = "word " * 2_000
    saved = hansard.checkpoints.save_checkpoint("w", {"notes": long, "other": long})

    marked = hansard.checkpoints.mark_critical("w", "notes")
    missing = hansard.checkpoints.mark_critical("w", "nothing")

    view = hansard.checkpoints.load_checkpoint(saved.checkpointId, budget_tokens=100)
    assert (marked.status, missing.status) == ("SUCCESS", "KEY_NOT_FOUND")
    assert marked.message
    assert missing.message
    assert view.context["notes"] == long
    assert len(view.context["other"]) < 500
    whole = hansard.checkpoints.load_checkpoint(saved.checkpointId, keys=["other"])
    assert whole.context == {"other": long}


def test_checkpoints_are_compared_and_deleted(hansard: Hansard) -> None:
    first = hansard.checkpoints.save_checkpoint("w", {"a": 1})
    second = hansard.checkpoints.save_checkpoint("w", {"a": 2})

    compared = hansard.checkpoints.diff_checkpoints(first.checkpointId)
    hansard.checkpoints.delete_checkpoint(first.checkpointId)

    assert [(one.path, one.old, one.new) for one in compared.differences] == [("/a", 1, 2)]
    assert compared.to == second.checkpointId
    with pytest.raises(CheckpointNotFound):
        hansard.checkpoints.load_checkpoint(first.checkpointId)


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (lambda one: one.checkpoints.load_checkpoint(), CheckpointNotFound),
        (lambda one: one.checkpoints.load_checkpoint("C001", "w"), InvalidInput),
        (lambda one: one.checkpoints.load_checkpoint("C001"), CheckpointNotFound),
        (lambda one: one.checkpoints.load_checkpoint(session_id="w"), SessionNotFound),
        (lambda one: one.checkpoints.list_checkpoints("w"), SessionNotFound),
        (lambda one: one.checkpoints.mark_critical("w", "a"), SessionNotFound),
        (lambda one: one.checkpoints.save_checkpoint("w", {"a": float("nan")}), InvalidInput),
        (lambda one: one.checkpoints.save_checkpoint("w", {1: "not a string"}), InvalidInput),
        (lambda one: one.checkpoints.save_checkpoint("w", {"a": object()}), InvalidInput),
        (lambda one: one.checkpoints.save_checkpoint("w", {"a": {2: 1}}), InvalidInput),
        (lambda one: one.checkpoints.save_checkpoint("w", {"a": [(1, 2)]}), InvalidInput),
        (lambda one: one.checkpoints.save_checkpoint("w", {"a": datetime.now(UTC)}), InvalidInput),
        (lambda one: one.checkpoints.save_checkpoint("w", {"a": b"bytes"}), InvalidInput),
        (lambda one: one.call("no_such_tool"), UnknownOperation),
        (lambda one: one.call("get_project", project_id="nowhere"), ProjectNotFound),
    ],
)
def test_what_is_refused_is_raised_as_it_is(
    hansard: Hansard, ask: Any, problem: type[Problem]
) -> None:
    with pytest.raises(problem):
        ask(hansard)


def test_any_operation_is_called_by_its_name(hansard: Hansard) -> None:
    made = hansard.call("create_project", id="shop", name="The shop").model_dump()

    assert made["name"] == "The shop"
    assert "shop" in hansard.call("list_projects").text()


def test_calls_of_one_library_share_its_session_unless_they_name_another(hansard: Hansard) -> None:
    first = hansard.checkpoints.save_checkpoint(None, {"a": 1})
    second = hansard.checkpoints.save_checkpoint(None, {"a": 2})
    other = hansard.call("workflow_checkpoint_save", session="elsewhere", context={"a": 3})

    assert first.sessionId == second.sessionId
    assert other.model_dump()["sessionId"] == "elsewhere"


def test_a_repeated_call_under_one_key_has_one_effect(open_app: OpenApp) -> None:
    first, second = (Hansard(application=open_app()) for _ in range(2))
    one = first.checkpoints.save_checkpoint("w", {"a": 1}, force=True, idempotency_key="k")
    again = second.checkpoints.save_checkpoint("w", {"a": 1}, force=True, idempotency_key="k")

    assert again == one
    assert len(first.checkpoints.list_checkpoints("w")) == 1
    with pytest.raises(InvalidInput):
        first.checkpoints.save_checkpoint("w", {"a": 2}, force=True, idempotency_key="k")


def test_a_store_is_opened_by_its_folder_and_closed(tmp_path: Path) -> None:
    with Hansard(tmp_path / "store", project="shop") as hansard:
        saved = hansard.checkpoints.save_checkpoint("w", {"a": 1})
    with pytest.raises(StorageUnavailable):
        hansard.checkpoints.save_checkpoint("w", {"a": 2})
    hansard.close()

    with Hansard(str(tmp_path / "store"), project="shop") as again:
        assert again.checkpoints.load_checkpoint(saved.checkpointId).context == {"a": 1}


def test_what_is_not_given_is_found_where_the_program_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_CONFIG", os.devnull)
    monkeypatch.setenv("HANSARD_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("HANSARD_SESSION", "of the environment")

    with Hansard() as hansard:
        saved = hansard.checkpoints.save_checkpoint(None, {"a": 1})

    assert saved.sessionId == "of the environment"
    assert (tmp_path / "store" / "hansard.db").is_file()


def test_one_that_is_forgotten_lets_go_of_its_store(tmp_path: Path) -> None:
    hansard = Hansard(tmp_path)
    hansard.checkpoints.save_checkpoint("w", {"a": 1})
    assert (tmp_path / "hansard.db-wal").exists()

    del hansard
    gc.collect()

    assert not (tmp_path / "hansard.db-wal").exists()


def test_the_problems_of_a_library_are_those_of_the_tools() -> None:
    assert StorageQuotaExceeded("x").as_dict()["http_status"] == 413


FORKING = """
import os, sys, hansard.sdk
with hansard.sdk.Hansard(sys.argv[1]) as hansard:
    hansard.records.create("Before", "In a session of its own.", type="task")
    engine, name = hansard.application.store.engine, hansard._caller.lifeline.name
    child = os.fork()
    if not child:
        sys.exit()
    os.waitpid(child, 0)
    assert engine.held([name]) == {name}, "others would take the program for dead"
    hansard.records.create("After", "In the same session.", type="task")
"""


def test_a_fork_that_ends_takes_nothing_from_the_program_that_has_a_store_open(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", FORKING, str(tmp_path / "store")]

    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
