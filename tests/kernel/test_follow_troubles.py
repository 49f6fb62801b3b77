"""What a follower cannot do is told, and keeps nothing else from being followed."""

import threading
from collections.abc import Sequence

import pytest

from hansard.app.application import Application
from hansard.kernel import follow
from hansard.kernel.engine import ReadTx, Watch
from hansard.kernel.event import Entry
from hansard.kernel.follow import THREAD, Follower, lag, trouble
from hansard.kernel.operation import Caller
from hansard.kernel.store import CATALOG
from tests.conftest import OpenApp
from tests.kernel.test_follow import SOON_S, Diary, diary, following, take_notes, wakes_often
from tests.patience import wait_until
from tests.records.chats import Chat

__all__ = ["diary", "wakes_often"]


def test_a_follower_that_fails_is_tried_again_and_shown_until_it_gets_on(
    app: Application,
    agent: Caller,
    diary: Diary,
    wakes_often: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow, "RETRY_S", 0.01)
    end = take_notes(app, agent, 2)
    has_failed, may_work = threading.Semaphore(0), threading.Event()

    def stumble(project: str, entries: Sequence[Entry]) -> None:
        if not may_work.is_set():
            has_failed.release()
            raise KeyError(project)
        diary.apply(project, entries)

    weak = Follower("weak", stumble)
    with following(app, weak) as thread:
        for _ in range(3):
            assert has_failed.acquire(timeout=SOON_S)
        wait_until(lambda: any(one.times >= 2 for one in thread.troubles()))
        shown = trouble(app.store, weak.name, app.default_project)
        assert shown is not None
        assert shown.error == "KeyError"
        may_work.set()
        diary.wait_for(app.default_project, end)
        wait_until(lambda: not thread.troubles())

    assert trouble(app.store, weak.name, app.default_project) is None
    assert lag(app.store, weak, app.default_project) == 0


def test_a_project_of_a_newer_version_is_told_and_the_others_are_followed(
    app: Application,
    agent: Caller,
    diary: Diary,
    wakes_often: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow, "RETRY_S", 0.01)
    for name in ("aaa", "zzz"):
        app.call("create_project", {"id": name, "name": name}, agent)
        Chat(app, project_id=name).ask("toy_note", text="once")
    app.store.engine.write("aaa", lambda tx: tx.mark_views("checkpoints:999"))

    with following(app, diary.follower()) as thread:
        diary.wait_for("zzz", app.store.engine.heads()["zzz"].seq)
        wait_until(lambda: any(one.times >= 2 for one in thread.troubles()))
        assert [one.error for one in thread.troubles()] == ["ProjectUnavailable"]
        app.store.engine.write("aaa", lambda tx: tx.mark_views(app.store.fingerprint))
        diary.wait_for("aaa", app.store.engine.heads()["aaa"].seq)
        wait_until(lambda: not thread.troubles())


def test_a_follower_that_does_not_know_its_basis_is_told_and_holds_up_no_other(
    app: Application,
    agent: Caller,
    diary: Diary,
    wakes_often: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow, "RETRY_S", 0.01)

    def unknown(tx: ReadTx) -> str:
        raise KeyError(tx.project)

    weak = Follower("weak", lambda _project, _entries: None, basis=unknown)
    with following(app, weak, diary.follower()) as thread:
        for _ in range(2):
            diary.wait_for(app.default_project, take_notes(app, agent, 1))
        wait_until(lambda: any(one.times >= 2 for one in thread.troubles()))
        assert [(one.follower, one.error) for one in thread.troubles()] == [("weak", "KeyError")]

    assert trouble(app.store, "weak", app.default_project) is not None


def test_a_thread_that_ends_by_an_error_begins_again_and_is_shown_until_it_gets_round(
    app: Application,
    agent: Caller,
    diary: Diary,
    wakes_often: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow, "RETRY_S", 0.01)
    end, watch, may_watch = take_notes(app, agent, 2), app.store.engine.watch, threading.Event()

    def broken() -> Watch:
        if not may_watch.is_set():
            raise RuntimeError("a bug")
        return watch()

    monkeypatch.setattr(app.store.engine, "watch", broken)
    with following(app, diary.follower()) as thread:
        wait_until(lambda: any(one.times >= 3 for one in thread.troubles()))
        assert {(one.follower, one.error) for one in thread.troubles()} == {
            (THREAD, "RuntimeError")
        }
        assert trouble(app.store, THREAD, CATALOG) is not None
        may_watch.set()
        diary.wait_for(app.default_project, end)
        wait_until(lambda: not thread.troubles())
        assert trouble(app.store, THREAD, CATALOG) is None


def test_what_another_process_noted_of_its_thread_is_taken_back_by_one_that_gets_round(
    open_app: OpenApp,
    agent: Caller,
    diary: Diary,
    wakes_often: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, other = open_app(), open_app()
    take_notes(ours, agent, 1)
    monkeypatch.setattr(other.store.engine, "watch", lambda: 1 / 0)
    with following(other, Follower("late", diary.apply)):
        wait_until(lambda: trouble(ours.store, THREAD, CATALOG))

    with following(ours, diary.follower()):
        wait_until(lambda: trouble(ours.store, THREAD, CATALOG) is None)
