"""Batches, refusals of the disk, and waiting for others at the same file."""

from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.effect import OPEN_INTENTS
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, Problem, StorageUnavailable
from hansard.recorder import limits
from hansard.recorder.gateway import Gateway
from hansard.recorder.problems import FileChanged, FileNotFound
from hansard.recorder.workspace.files import Workspace
from tests.conftest import OpenApp, a_caller
from tests.recorder.asking import batch, contents, create, edit, named, timeline
from tests.recorder.asking import told as told_of


@pytest.mark.holds("FIL-op-13")
def test_a_batch_is_done_and_told_one_by_one(app: Application, agent: Caller, files: Path) -> None:
    create(app, agent, "a", "one\n")
    create(app, agent, "b", "two\n")

    results = batch(
        app, agent,
        {"path": "a", "action": "edit", "content": "1\n"},
        {"path": "b", "action": "move", "to": "c"},
        {"path": "d", "action": "create", "content": "new\n"},
    )  # fmt: skip

    assert [(one.path, one.status) for one in results] == [
        ("a", "done"), ("b", "done"), ("d", "done"),
    ]  # fmt: skip
    assert contents(files) == {"a": b"1\n", "c": b"two\n", "d": b"new\n"}


@pytest.mark.holds("FIL-op-13")
def test_nothing_of_a_batch_is_done_if_a_part_of_it_cannot_be(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")

    with pytest.raises(FileNotFound):
        batch(
            app, agent,
            {"path": "a", "action": "edit", "content": "1\n"},
            {"path": "missing", "action": "delete"},
        )  # fmt: skip

    assert contents(files) == {"a": b"one\n"}
    assert told_of(app, agent) == [("file_create", "done"), ("file_refused", "refused")]


@pytest.mark.holds("FIL-op-13")
def test_a_batch_ends_at_the_first_refusal_of_the_disk_and_says_so(
    app: Application, agent: Caller, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_at(monkeypatch, "b", FileChanged("b is not what was expected"))

    results = batch(
        app, agent, *({"path": path, "action": "create", "content": "x"} for path in "abc")
    )

    assert [(one.status, one.code) for one in results] == [
        ("done", None), ("aborted", "FILE_CHANGED"), ("aborted", "NOT_RUN"),
    ]  # fmt: skip
    assert contents(files) == {"a": b"x"}
    assert [status for _, status in told_of(app, agent)] == ["done", "aborted", "aborted"]


def refuse_at(monkeypatch: pytest.MonkeyPatch, path: str, problem: Problem) -> None:
    """Let the disk refuse one file."""
    replace = Workspace.replace

    def refusing(workspace: Workspace, at: Any, *args: Any, **rest: Any) -> Any:
        if str(at) == path:
            raise problem
        return replace(workspace, at, *args, **rest)

    monkeypatch.setattr(Workspace, "replace", refusing)


@pytest.mark.parametrize("key", ["key-1", None])
def test_a_batch_that_the_disk_stops_says_what_is_done_and_is_finished_by_a_repeat(
    app: Application, agent: Caller, files: Path, key: str | None
) -> None:
    caller = Caller(agent.actor, seat=agent.seat, idempotency_key=key)
    ops = [{"path": path, "action": "create", "content": "x"} for path in "abc"]
    with pytest.MonkeyPatch.context() as patch:
        refuse_at(patch, "b", StorageUnavailable("No space", outcome="unchanged"))
        with pytest.raises(StorageUnavailable) as stopped:
            app.call("file_op", {"ops": ops}, caller)

    told = stopped.value.details
    assert (told["done"], told["not_done"]) == (["a"], ["b", "c"])
    assert contents(files) == {"a": b"x"}
    if key:
        for _ in range(2):
            again: Any = app.call("file_op", {"ops": ops}, caller)
            assert [(one.path, one.status) for one in again.results] == [
                ("a", "done"), ("b", "done"), ("c", "done"),
            ]  # fmt: skip
    else:
        app.call("file_op", {"ops": ops[1:]}, caller)
    assert contents(files) == dict.fromkeys("abc", b"x")
    assert [status for _, status in told_of(app, agent)].count("done") == 3


def test_a_restore_that_the_disk_stops_is_finished_by_a_repeat_and_undone_as_one(
    app: Application, agent: Caller, files: Path
) -> None:
    caller = Caller(agent.actor, seat=agent.seat, idempotency_key="key-1")
    point = max(create(app, agent, path, "1\n").seq for path in "abc")
    for path in "abc":
        edit(app, agent, path, "2\n")
    (files / "c").write_text("of a person\n")
    before = contents(files)
    wanted = {"to": "after", "point": f"s:{point}"}
    with pytest.MonkeyPatch.context() as patch:
        refuse_at(patch, "b", StorageUnavailable("No space", outcome="unchanged"))
        with pytest.raises(StorageUnavailable) as stopped:
            app.call("restore", wanted, caller)

    answer: Any = app.call("restore", wanted, caller)

    assert stopped.value.details["not_done"] == ["b"]
    assert answer.counts == {"edit": 3}
    assert contents(files) == dict.fromkeys("abc", b"1\n")
    named(app, agent, answer.undo)
    assert contents(files) == before


def test_a_batch_comes_to_a_file_once(app: Application, agent: Caller) -> None:
    with pytest.raises(InvalidInput):
        batch(
            app, agent,
            {"path": "a", "action": "create", "content": "1"},
            {"path": "./a", "action": "create", "content": "2"},
        )  # fmt: skip


def test_what_the_disk_refuses_is_recorded_as_not_done(
    app: Application, agent: Caller, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_at(monkeypatch, "a", StorageUnavailable("No space", outcome="unchanged"))

    with pytest.raises(StorageUnavailable):
        create(app, agent, "a")

    [item] = timeline(app, agent, path="a")
    assert (item.status, item.code) == ("aborted", "STORAGE_UNAVAILABLE")


def test_what_nobody_knows_stays_open_until_the_next_operation_settles_it(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    with pytest.MonkeyPatch.context() as patch:
        after_it(patch, StorageUnavailable("The disk failed", outcome="unknown"))
        with pytest.raises(StorageUnavailable):
            edit(app, agent, "a", "two\n")
    assert timeline(app, agent, path="a")[-1].status == "open"

    edit(app, agent, "a", "three\n")

    assert [status for _, status in told_of(app, agent)] == ["done", "recovered", "done"]
    assert app.store.read(app.default_project, lambda tx: tx.scan(OPEN_INTENTS, limit=9)) == []


def after_it(monkeypatch: pytest.MonkeyPatch, problem: Problem) -> None:
    """Let the disk fail after it took a change."""
    replace = Workspace.replace

    def failing(*args: Any, **rest: Any) -> None:
        replace(*args, **rest)
        raise problem

    monkeypatch.setattr(Workspace, "replace", failing)


def test_an_operation_waits_for_another_at_the_same_file_but_not_for_long(
    app: Application, agent: Caller, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FILE_WAIT_S", 0.05)
    other = Gateway(files, store=None, redact=True)
    file = other.file(other.plain("a"))

    with other.alone_at(app.store.engine, [file]), pytest.raises(StorageUnavailable):
        create(app, agent, "a")

    assert create(app, agent, "a").status == "done"


def test_a_store_that_fails_after_the_change_does_not_say_that_nothing_happened(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    with pytest.MonkeyPatch.context() as patch:
        fail_after_the_change(app, patch)
        with pytest.raises(StorageUnavailable) as refused:
            edit(app, agent, "a", "two\n")

    assert refused.value.details["outcome"] == "unknown"
    assert contents(files) == {"a": b"two\n"}
    edit(app, agent, "a", "three\n")
    assert [status for _, status in told_of(app, agent)] == ["done", "recovered", "done"]


def fail_after_the_change(app: Application, patch: pytest.MonkeyPatch) -> None:
    """Let the store refuse what comes after the file was changed."""
    replace, write = Workspace.replace, app.store.engine.write
    changed: list[bool] = []

    def replacing(*args: Any, **rest: Any) -> Any:
        changed.append(True)
        return replace(*args, **rest)

    def writing(*args: Any, **rest: Any) -> Any:
        if changed:
            raise StorageUnavailable("The disk is full", outcome="not_written")
        return write(*args, **rest)

    patch.setattr(Workspace, "replace", replacing)
    patch.setattr(app.store.engine, "write", writing)


def test_a_start_without_the_workspace_settles_nothing_and_serves_the_rest(
    open_app: OpenApp, files: Path
) -> None:
    app, agent = open_app(), a_caller()
    with pytest.MonkeyPatch.context() as patch:
        after_it(patch, StorageUnavailable("The disk failed", outcome="unknown"))
        with pytest.raises(StorageUnavailable):
            create(app, agent, "a")
    for capability in app.catalog.capabilities:
        if capability.close:
            capability.close()
    files.rename(files.with_name("elsewhere"))

    second = open_app()

    assert timeline(second, agent, path="a")[-1].status == "open"
    with pytest.raises(StorageUnavailable):
        create(second, agent, "b")
