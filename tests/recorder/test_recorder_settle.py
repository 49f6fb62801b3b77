"""What a dead process left open is settled by what is on disk; a repeated request never acts."""

import threading
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel import paging
from hansard.kernel.effect import OPEN_INTENTS, Owner
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import SYSTEM, Stamp
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, StorageUnavailable
from hansard.recorder import rules
from hansard.recorder.events import FileOpIntended, FileRef
from hansard.recorder.gateway import Gateway
from hansard.recorder.problems import FileChanged, FileExists
from hansard.recorder.workspace.files import Workspace
from hansard.recorder.workspace.temporaries import new_name
from tests.conftest import OpenApp, a_caller
from tests.patience import PATIENCE_S
from tests.recorder.asking import (
    batch,
    contents,
    create,
    edit,
    named,
    op,
    restore,
    sources,
    timeline,
    told,
    undo,
)

STAMP = Stamp(SYSTEM, "2026-01-01T00:00:00.000000Z")


class Crashed(BaseException):
    """Stands for the end of the process: nobody catches it, so nothing more is recorded."""


def crash(patch: pytest.MonkeyPatch, *, after: bool, method: str = "replace") -> None:
    """End the process right before or right after it changes the file."""
    real = getattr(Workspace, method)

    def crashing(*args: Any, **rest: Any) -> None:
        if after:
            real(*args, **rest)
        raise Crashed

    patch.setattr(Workspace, method, crashing)


def crashed(
    app: Application, caller: Caller, *, after: bool, method: str = "replace", **arguments: Any
) -> None:
    """Ask for a change in the midst of which the process ends; its locks go with it."""
    with pytest.MonkeyPatch.context() as patch:
        crash(patch, after=after, method=method)
        with pytest.raises(Crashed):
            app.call("file_op", arguments, caller)
    die(app)


def die(app: Application) -> None:
    """Let go of what the process held, as the system does when it ends."""
    for capability in app.catalog.capabilities:
        if capability.close:
            capability.close()


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"path": "a", "action": "edit", "content": "two\n"}, "replace"),
    ({"path": "new", "action": "create", "content": "two\n"}, "replace"),
    ({"path": "a", "action": "delete"}, "delete"),
    ({"path": "a", "action": "move", "to": "b"}, "move"),
]


@pytest.mark.holds("FIL-effect-5", "FIL-effect-8", "FIL-effect-9")
@pytest.mark.parametrize(("change", "method"), CHANGES, ids=["edit", "create", "delete", "move"])
@pytest.mark.parametrize("after", [False, True], ids=["before-the-act", "after-the-act"])
def test_a_start_settles_what_a_dead_process_left(
    open_app: OpenApp, files: Path, change: dict[str, Any], method: str, after: bool
) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", "one\n")
    crashed(first, agent, after=after, method=method, **change)
    found = contents(files)

    second = open_app()

    assert timeline(second, agent, path=change["path"])[-1].status == (
        "recovered" if after else "aborted"
    )
    assert contents(files) == found
    assert open_intents(second) == []


def open_intents(app: Application) -> list[Any]:
    return app.store.read(app.default_project, lambda tx: tx.scan(OPEN_INTENTS, limit=100))


def test_what_is_found_on_disk_is_made_durable_before_it_is_called_done(
    open_app: OpenApp, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "src/a", "one\n")
    crashed(first, agent, after=True, path="src/a", action="edit", content="two\n")
    synced: list[str] = []
    monkeypatch.setattr(Workspace, "sync", lambda _, path: synced.append(str(path)))

    open_app()

    assert synced == ["src/a"]


def test_settling_twice_is_settling_once(open_app: OpenApp, files: Path) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", "one\n")
    crashed(first, agent, after=True, path="a", action="edit", content="two\n")

    entries = [count_entries(open_app()) for _ in range(2)]

    assert entries[0] == entries[1]


def count_entries(app: Application) -> int:
    return app.store.read(app.default_project, lambda tx: len(list(paging.entries(tx))))


@pytest.mark.fault("hand edit")
@pytest.mark.parametrize("after", [False, True])
def test_a_hand_edit_between_crash_and_start_is_a_conflict_and_stays(
    open_app: OpenApp, files: Path, after: bool
) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", "one\n")
    crashed(first, agent, after=after, path="a", action="edit", content="two\n")
    (files / "a").write_text("a person's\n")

    second = open_app()

    assert timeline(second, agent, path="a")[-1].status == "conflict"
    assert contents(files) == {"a": b"a person's\n"}
    edit(second, agent, "a", "three\n")
    assert sources(second, agent, "a") == ["executed", "external", "executed"]


@pytest.mark.fault("hand edit")
def test_a_link_in_place_of_the_file_is_a_conflict(open_app: OpenApp, files: Path) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", "one\n")
    crashed(first, agent, after=False, path="a", action="edit", content="two\n")
    (files / "a").unlink()
    (files / "a").symlink_to("/etc/hostname")

    second = open_app()

    assert timeline(second, agent, path="a")[-1].status == "conflict"


def test_a_dead_process_leaves_no_temporary_file(open_app: OpenApp, files: Path) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "src/a", "one\n")
    crashed(first, agent, after=False, path="src/a", action="edit", content="two\n")
    (files / "src" / new_name("owner-0123456789abcdef", "a")).write_text("half")

    open_app()

    assert contents(files) == {"src/a": b"one\n"}


def intended(gateway: Gateway, owner: str, path: str) -> FileOpIntended:
    after: FileRef = rules.reference(b"two\n", None, [])
    return FileOpIntended(
        owner=owner,
        workspace=gateway.identity,
        path=path,
        action="create",
        to=None,
        before=None,
        after=after.model_copy(update={"blob": None, "sha256": after.digest}),
        added=1,
        removed=0,
        revision=None,
        step=None,
        cites=[],
        restore=None,
    )


def announce(app: Application, gateway: Gateway, owner: str, path: str) -> int:
    """Record an intent as another process would have."""

    def work(tx: WriteTx) -> int:
        return app.store.record(tx, intended(gateway, owner, path), STAMP).seq

    return app.store.write(app.default_project, work)


@pytest.mark.holds("FIL-effect-7")
def test_what_a_living_process_has_open_is_left_to_it(
    open_app: OpenApp, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, agent = open_app(), a_caller()
    create(app, agent, "other")
    owner = Owner(app.store.engine)
    announce(app, Gateway(files, store=None, redact=True), owner.name, "a")

    second = open_app()

    assert len(open_intents(second)) == 1
    with pytest.raises(StorageUnavailable):
        create(second, agent, "a")
    assert len(open_intents(second)) == 1
    owner.close()
    assert create(second, agent, "a").status == "done"


@pytest.mark.holds("FIL-effect-6")
def test_an_operation_first_settles_what_is_open_on_its_file(
    open_app: OpenApp, files: Path
) -> None:
    app, agent = open_app(), a_caller()
    create(app, agent, "other")
    gateway = Gateway(files, store=None, redact=True)
    for path in ("a", "b"):
        announce(app, gateway, "owner-dead", path)
    (files / "a").write_text("two\n")

    edit(app, agent, "a", "three\n")

    assert sources(app, agent, "a") == ["executed", "executed"]
    assert [one.row["seq"] for one in open_intents(app)] == [announced(app, "b")]


def announced(app: Application, path: str) -> int:
    entries = app.store.read(app.default_project, lambda tx: list(paging.entries(tx)))
    events = [(entry.seq, app.store.kinds.decode(entry)) for entry in entries]
    return next(seq for seq, event in events
                if isinstance(event, FileOpIntended) and event.path == path)  # fmt: skip


@pytest.mark.holds("FIL-workspace-2")
def test_another_workspace_settles_nothing(open_app: OpenApp, files: Path, tmp_path: Path) -> None:
    app, agent = open_app(), a_caller()
    create(app, agent, "other")
    announce(app, Gateway(files, store=None, redact=True), "owner-dead", "a")
    (tmp_path / "elsewhere").mkdir()

    there = open_app(workspace=str(tmp_path / "elsewhere"))

    assert len(open_intents(there)) == 1
    assert create(there, agent, "a").status == "done"
    open_app()
    assert open_intents(there) == []


def keyed(caller: Caller, key: str = "key-1") -> Caller:
    return Caller(caller.actor, seat=caller.seat, idempotency_key=key)


@pytest.mark.fault("reply lost")
def test_a_repeated_change_is_answered_and_not_made_again(
    app: Application, agent: Caller, files: Path
) -> None:
    wanted = {"path": "a", "action": "create", "content": "one\n"}
    first = app.call("file_op", wanted, keyed(agent))
    (files / "a").write_text("a person's\n")

    again = app.call("file_op", wanted, keyed(agent))

    assert again.model_dump(exclude_none=True) == first.model_dump(exclude_none=True)
    assert contents(files) == {"a": b"a person's\n"}
    assert told(app, agent) == [("file_create", "done")]


@pytest.mark.fault("reply lost")
@pytest.mark.holds("ALL-05.9", "ALL-05.6")
@pytest.mark.parametrize("after", [False, True], ids=["not-done", "done"])
def test_a_repeat_of_a_change_that_was_cut_short_settles_it_and_makes_it_once(
    open_app: OpenApp, files: Path, after: bool
) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", "one\n")
    wanted = {"path": "a", "action": "edit", "content": "two\n"}
    crashed(first, keyed(agent), after=after, **wanted)
    second = open_app()

    [result] = ask_files(second, wanted, keyed(agent))
    again: Any = second.call("file_op", wanted, keyed(agent))

    assert (result.status, result.revision) == ("recovered" if after else "done", 2)
    assert again.receipt
    assert again.results == [result]
    assert contents(files) == {"a": b"two\n"}
    ended = ["done", "recovered"] if after else ["done", "aborted", "done"]
    assert [status for _, status in told(second, agent)] == ended


@pytest.mark.fault("reply lost")
def test_a_repeat_tells_of_the_change_and_not_of_what_came_after_it(
    open_app: OpenApp, files: Path
) -> None:
    first, agent = open_app(), a_caller()
    before = create(first, a_caller(), "a", "one\n")
    wanted = {"path": "a", "action": "edit", "content": "two\n"}
    crashed(first, keyed(agent), after=True, **wanted)
    second = open_app()
    edit(second, a_caller(), "a", "three\n")
    (files / "a").write_text("a person's\n")
    edit(second, a_caller(), "a", "four\n")

    [result] = ask_files(second, wanted, keyed(agent))

    assert (result.status, result.revision, result.external_change) == ("recovered", 2, None)
    assert result.over.entry == f"s:{before.seq}"
    assert contents(files) == {"a": b"four\n"}


def ask_files(app: Application, arguments: dict[str, Any], caller: Caller) -> list[Any]:
    answer: Any = app.call("file_op", arguments, caller)
    results: list[Any] = answer.results
    return results


@pytest.mark.fault("reply lost")
def test_a_repeat_of_a_batch_does_what_was_left_of_it(open_app: OpenApp, files: Path) -> None:
    first, agent = open_app(), a_caller()
    ops = [{"path": path, "action": "create", "content": "x"} for path in "abc"]
    with pytest.MonkeyPatch.context() as patch:
        crash_at(patch, "b")
        with pytest.raises(Crashed):
            first.call("file_op", {"ops": ops}, keyed(agent))
    die(first)

    second = open_app()
    results = ask_files(second, {"ops": ops}, keyed(agent))

    assert [(one.path, one.status) for one in results] == [
        ("a", "recovered"), ("b", "done"), ("c", "done"),
    ]  # fmt: skip
    assert contents(files) == dict.fromkeys("abc", b"x")
    undo(second, agent, entry=f"s:{results[-1].seq}")
    assert contents(files) == {}


def crash_at(patch: pytest.MonkeyPatch, path: str) -> None:
    real = Workspace.replace

    def crashing(workspace: Workspace, at: Any, *args: Any, **rest: Any) -> Any:
        if str(at) == path:
            raise Crashed
        return real(workspace, at, *args, **rest)

    patch.setattr(Workspace, "replace", crashing)


@pytest.mark.fault("reply lost")
def test_a_repeat_of_a_refusal_by_the_disk_is_refused_alike(
    app: Application, agent: Caller, files: Path
) -> None:
    wanted = {"path": "a", "action": "create", "content": "x"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Workspace, "replace", refuse)
        with pytest.raises(FileChanged):
            app.call("file_op", wanted, keyed(agent))

    with pytest.raises(FileChanged):
        app.call("file_op", wanted, keyed(agent))

    assert contents(files) == {}
    assert ask_files(app, wanted, keyed(agent, "key-2"))[0].status == "done"


def refuse(*_: Any, **__: Any) -> None:
    raise FileChanged("a was changed by someone else at this moment")


def test_a_key_is_refused_for_another_change(app: Application, agent: Caller) -> None:
    app.call("file_op", {"path": "a", "action": "create", "content": "x"}, keyed(agent))

    with pytest.raises(InvalidInput):
        app.call("file_op", {"path": "a", "action": "edit", "content": "y"}, keyed(agent))


def test_a_refused_request_may_be_asked_again_under_its_key(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "a").write_text("in the way\n")
    wanted = {"path": "a", "action": "create", "content": "x"}
    with pytest.raises(FileExists):
        app.call("file_op", wanted, keyed(agent))
    (files / "a").unlink()

    app.call("file_op", wanted, keyed(agent))

    assert contents(files) == {"a": b"x"}


@pytest.mark.fault("reply lost")
def test_many_repeats_at_once_make_one_change(app: Application, agent: Caller) -> None:
    app.call("record_session_start", {"title": "once"}, agent)
    answers: list[str] = []

    def ask() -> None:
        wanted = {"path": "a", "action": "create", "content": "x"}
        answers.append(app.call("file_op", wanted, keyed(agent)).model_dump_json())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)

    assert len(answers) == 8
    assert len(set(answers)) == 1
    assert told(app, agent) == [("file_create", "done")]


@pytest.mark.fault("reply lost")
def test_a_repeat_of_a_restore_that_was_cut_short_finishes_it(
    open_app: OpenApp, files: Path
) -> None:
    first, agent = open_app(), a_caller()
    batch(first, agent, *({"path": p, "action": "create", "content": "1"} for p in "abc"))
    batch(first, agent, *({"path": p, "action": "edit", "content": "2"} for p in "abc"))
    point = f"s:{timeline(first, agent, path='c')[0].seq}"
    wanted = {"to": "after", "point": point}
    with pytest.MonkeyPatch.context() as patch:
        crash_at(patch, "b")
        with pytest.raises(Crashed):
            first.call("restore", wanted, keyed(agent))
    die(first)

    second = open_app()
    answer: Any = second.call("restore", wanted, keyed(agent))

    assert {one.path: one.status for one in answer.files} == {
        "a": "recovered", "b": "done", "c": "done",
    }  # fmt: skip
    assert contents(files) == dict.fromkeys("abc", b"1")
    assert restore(second, agent, **wanted).counts == {"unchanged": 3}
    named(second, agent, answer.undo)
    assert contents(files) == dict.fromkeys("abc", b"2")


def test_a_crash_in_a_move_is_settled_from_either_side(open_app: OpenApp, files: Path) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", "one\n")
    crashed(first, agent, after=True, method="move", path="a", action="move", to="b")

    # Settled at the start of the second; the next operation on the target finds it done.
    second = open_app()
    op(second, agent, "edit", "b", content="two\n")

    assert sources(second, agent, "b") == ["executed", "executed", "executed"]
    assert sources(second, agent, "a") == sources(second, agent, "b")
