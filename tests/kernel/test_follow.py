"""Followers see every entry at least once and in order, in one process of a store at a time."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from hansard.app.application import Application
from hansard.kernel import follow
from hansard.kernel.engine import ReadTx, Watch
from hansard.kernel.event import Entry
from hansard.kernel.follow import Follower, Following, NotNow, catch_up, lag
from hansard.kernel.operation import Caller
from hansard.kernel.problem import StorageUnavailable
from tests import toy
from tests.conftest import OpenApp
from tests.crash import scenes, toys
from tests.crash.harness import playing
from tests.patience import PATIENCE_S, wait_until
from tests.records.chats import Chat

SOON_S = PATIENCE_S
"""What must happen has happened by then, however busy the machine."""


class Diary:
    """A follower that writes down what it sees."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int]] = []
        self._news = threading.Condition()

    def follower(self, *, batch: int = 100, kinds: frozenset[str] | None = None) -> Follower:
        return Follower("diary", self.apply, kinds, batch)

    def apply(self, project: str, entries: Sequence[Entry]) -> None:
        with self._news:
            self.seen += [(project, entry.seq) for entry in entries]
            self._news.notify_all()

    def wait_for(self, project: str, seq: int) -> None:
        """Wait until this entry has been seen."""
        with self._news:
            assert self._news.wait_for(lambda: (project, seq) in self.seen, SOON_S)


@dataclass
class Attended:
    """A watch of which one knows that somebody waits: whatever came before is worked off."""

    watch: Watch
    is_waiting: threading.Event

    def wait(self, timeout_s: float) -> bool:
        self.is_waiting.set()
        return self.watch.wait(timeout_s)

    def close(self) -> None:
        self.watch.close()


@pytest.fixture
def diary() -> Diary:
    return Diary()


@pytest.fixture
def wakes_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have those who stand by look more often than a second's time."""
    monkeypatch.setattr(follow, "WAKE_S", 0.01)


@contextmanager
def following(app: Application, *followers: Follower) -> Iterator[Following]:
    thread = Following(app.store, followers)
    try:
        yield thread
    finally:
        thread.close()


def test_a_follower_says_how_far_it_is_behind(app: Application, agent: Caller) -> None:
    end = take_notes(app, agent, 3)
    heads = app.store.engine.heads()
    may_go_on = threading.Event()

    def apply(_project: str, _entries: Sequence[Entry]) -> None:
        may_go_on.wait(PATIENCE_S)

    with following(app, Follower("slow", apply)) as thread:
        wait_until(lambda: bool(thread.behind(heads)), "the follower's work is nobody's")
        assert thread.behind(heads)["slow"] >= end
        may_go_on.set()
        wait_until(lambda: thread.behind(heads) == {"slow": 0}, "it never caught up")


def take_notes(app: Application, agent: Caller, count: int) -> int:
    """Take some notes; returns where the journal ends."""
    for number in range(count):
        app.call("toy_note", {"text": f"note {number}"}, agent)
    return app.store.engine.heads()[app.default_project].seq


def catch_up_wholly(app: Application, follower: Follower) -> list[int]:
    """Work off everything; returns how far each batch went."""
    return list(iter(lambda: catch_up(app.store, follower, app.default_project), 0))


def test_every_entry_is_seen_once_and_in_order(
    app: Application, agent: Caller, diary: Diary
) -> None:
    end = take_notes(app, agent, 5)

    batches = catch_up_wholly(app, diary.follower(batch=3))

    assert diary.seen == [(app.default_project, seq) for seq in range(1, end + 1)]
    assert sum(batches) == end
    assert max(batches) == 3


def test_where_there_is_nothing_nothing_is_done(app: Application, diary: Diary) -> None:
    assert catch_up(app.store, diary.follower(), app.default_project) == 0
    assert diary.seen == []


def test_other_kinds_are_passed_unseen(app: Application, agent: Caller, diary: Diary) -> None:
    end = take_notes(app, agent, 3)
    follower = diary.follower(batch=2, kinds=frozenset({toy.Noted.kind}))

    catch_up_wholly(app, follower)

    assert len(diary.seen) == 3
    assert len(diary.seen) < end
    assert lag(app.store, follower, app.default_project) == 0


def test_the_lag_is_what_is_yet_to_be_passed(app: Application, agent: Caller, diary: Diary) -> None:
    follower = diary.follower(batch=2)
    assert lag(app.store, follower, app.default_project) == 0
    end = take_notes(app, agent, 3)
    assert lag(app.store, follower, app.default_project) == end

    catch_up(app.store, follower, app.default_project)

    assert lag(app.store, follower, app.default_project) == end - 2


def test_the_cursor_is_found_by_whoever_opens_the_store_next(
    open_app: OpenApp, agent: Caller, diary: Diary
) -> None:
    end = take_notes(open_app(), agent, 2)
    catch_up_wholly(open_app(), diary.follower())
    diary.seen.clear()

    app = open_app()
    new_end = take_notes(app, agent, 1)
    catch_up_wholly(app, diary.follower())

    assert diary.seen == [(app.default_project, seq) for seq in range(end + 1, new_end + 1)]


def test_what_was_not_worked_off_is_seen_again(
    app: Application, agent: Caller, diary: Diary
) -> None:
    end = take_notes(app, agent, 2)

    def stumble(project: str, entries: Sequence[Entry]) -> None:
        diary.apply(project, entries)
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - whatever the follower raises
        catch_up(app.store, Follower("diary", stumble), app.default_project)
    catch_up_wholly(app, diary.follower())

    assert diary.seen == [(app.default_project, seq) for seq in range(1, end + 1)] * 2


def test_two_followers_have_two_cursors(app: Application, agent: Caller, diary: Diary) -> None:
    end = take_notes(app, agent, 2)
    other = Follower("other", diary.apply)

    catch_up_wholly(app, diary.follower())

    assert lag(app.store, other, app.default_project) == end


def test_a_following_sees_what_was_there_and_what_comes(
    app: Application, agent: Caller, diary: Diary, wakes_often: None
) -> None:
    end = take_notes(app, agent, 2)

    with following(app, diary.follower()):
        diary.wait_for(app.default_project, end)
        diary.wait_for(app.default_project, take_notes(app, agent, 2))


def test_what_comes_without_a_pause_is_worked_off_together(
    app: Application, agent: Caller, diary: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("WAKE_S", "QUIET_S", "GATHER_S"):
        monkeypatch.setattr(follow, name, 10 * PATIENCE_S)
    monkeypatch.setattr(follow, "STOP_LOOK_S", 0.0001)  # it looks often while they write
    batches: list[int] = []
    first = take_notes(app, agent, 1)

    def apply(project: str, entries: Sequence[Entry]) -> None:
        batches.extend([len(entries)] if project == "default" else [])
        diary.apply(project, entries)

    is_waiting, watch = threading.Event(), app.store.engine.watch
    monkeypatch.setattr(app.store.engine, "watch", lambda: Attended(watch(), is_waiting))
    with following(app, Follower("diary", apply)):
        diary.wait_for("default", first)
        assert is_waiting.wait(PATIENCE_S)
        followed = len(batches)
        take_notes(app, agent, 19)
        monkeypatch.setattr(follow, "QUIET_S", 0.0)
        last = take_notes(app, agent, 1)
        diary.wait_for("default", last)

    assert batches[followed] >= last - first - 1  # the last may come after they began


def test_whoever_writes_without_end_holds_up_no_follower(
    app: Application, agent: Caller, diary: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "QUIET_S", 10 * PATIENCE_S)
    monkeypatch.setattr(follow, "GATHER_S", 0.05)

    with following(app, diary.follower()):
        diary.wait_for("default", take_notes(app, agent, 3))


def test_what_another_writes_is_followed(
    open_app: OpenApp, agent: Caller, diary: Diary, wakes_often: None
) -> None:
    ours, other = open_app(), open_app()

    with following(ours, diary.follower()):
        diary.wait_for(other.default_project, take_notes(other, agent, 2))


def test_one_follows_and_the_other_takes_over_where_it_ended(
    open_app: OpenApp, agent: Caller, wakes_often: None
) -> None:
    ours, other = open_app(), open_app()
    first, second = Diary(), Diary()
    with ExitStack() as stack:
        leader = stack.enter_context(following(ours, first.follower()))
        first.wait_for(ours.default_project, take_notes(ours, agent, 1))
        stack.enter_context(following(other, second.follower()))

        end = take_notes(ours, agent, 1)
        first.wait_for(ours.default_project, end)
        assert second.seen == []

        leader.close()
        new_end = take_notes(ours, agent, 1)
        second.wait_for(ours.default_project, new_end)
        assert min(seq for project, seq in second.seen if project == ours.default_project) > end


def test_processes_with_other_followers_do_not_wait_for_each_other(
    open_app: OpenApp, agent: Caller, wakes_often: None
) -> None:
    ours, other = open_app(), open_app()
    first, second = Diary(), Diary()
    with following(ours, first.follower()):
        first.wait_for(ours.default_project, take_notes(ours, agent, 1))
        with following(other, Follower("ledger", second.apply)):
            end = take_notes(ours, agent, 1)

            second.wait_for(ours.default_project, end)
            first.wait_for(ours.default_project, end)


def test_the_lock_of_one_follower_keeps_the_others_from_nothing(
    app: Application, agent: Caller, diary: Diary
) -> None:
    taken, seen = Follower("taken", lambda *_: None), diary.follower()
    held = app.store.engine.hold(taken.lock)
    assert held is not None

    with held, following(app, taken, seen):
        diary.wait_for(app.default_project, take_notes(app, agent, 1))


def test_what_another_process_writes_is_followed(
    tmp_path: Path, diary: Diary, wakes_often: None
) -> None:
    app = toys.open_application(tmp_path / scenes.STORE)
    with following(app, diary.follower()), playing(scenes.plain_write, tmp_path) as child:
        assert child.end() == 0, child.complaint

        diary.wait_for(app.default_project, child.acks[-1].seq)
    app.close()


def test_when_the_process_that_follows_is_killed_another_takes_over(
    tmp_path: Path, diary: Diary, wakes_often: None
) -> None:
    app = toys.open_application(tmp_path / scenes.STORE)
    with playing(scenes.follow_the_journal, tmp_path) as child:
        child.until("following")
        with following(app, diary.follower()):
            end = take_notes(app, toys.a_caller(), 2)
            child.go_on()
            child.until("followed")
            assert diary.seen == []

            child.process.kill()

            diary.wait_for(app.default_project, take_notes(app, toys.a_caller(), 1))
            assert (app.default_project, end) not in diary.seen
    app.close()


def test_passing_what_nobody_cares_for_writes_nothing(
    app: Application, agent: Caller, diary: Diary
) -> None:
    follower = diary.follower(kinds=frozenset({"toy.never.v1"}))
    take_notes(app, agent, 3)

    assert catch_up(app.store, follower, app.default_project) == 0

    project, name = app.default_project, follower.name
    assert app.store.read(project, lambda tx: follow.noted(tx, name)) is None
    assert lag(app.store, follower, app.default_project) == 0


def test_a_long_stretch_that_nobody_cares_for_is_not_read_again(
    app: Application, agent: Caller, diary: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "ENTRIES_PAGE", 2)
    follower = diary.follower(kinds=frozenset({"toy.never.v1"}))
    end = take_notes(app, agent, 3)

    assert catch_up(app.store, follower, app.default_project) == end
    assert catch_up(app.store, follower, app.default_project) == 0


def test_when_its_basis_moves_a_follower_starts_over(
    app: Application, agent: Caller, diary: Diary
) -> None:
    bases = {"now": "first"}
    follower = Follower("diary", diary.apply, basis=lambda _: bases["now"])
    end = take_notes(app, agent, 2)
    catch_up_wholly(app, follower)
    assert lag(app.store, follower, app.default_project) == 0

    bases["now"] = "second"

    assert lag(app.store, follower, app.default_project) == end
    catch_up_wholly(app, follower)
    assert diary.seen == [(app.default_project, seq) for seq in range(1, end + 1)] * 2


@pytest.mark.parametrize(
    "row",
    [
        "CAST('{' AS BLOB)",
        "12345678901",
        "x'ff00fe'",
        "CAST('[]' AS BLOB)",
        """CAST('{"seq":"x"}' AS BLOB)""",
        """CAST('{"seq":-1}' AS BLOB)""",
        """CAST('{"seq":12345678901}' AS BLOB)""",
    ],
)
def test_a_cursor_that_cannot_be_read_is_none(tmp_path: Path, diary: Diary, row: str) -> None:
    store = tmp_path / "store"
    with closing(toys.open_application(store)) as app:
        end = take_notes(app, toys.a_caller(), 2)
        catch_up_wholly(app, diary.follower())
    with closing(apsw.Connection(str(store / "hansard.db"))) as connection:
        connection.execute(f"UPDATE rows_cursors_v1 SET row = {row}")

    with closing(toys.open_application(store)) as app:
        assert lag(app.store, diary.follower(), app.default_project) == end
        catch_up_wholly(app, diary.follower())
        assert lag(app.store, diary.follower(), app.default_project) == 0

    assert diary.seen == [(app.default_project, seq) for seq in range(1, end + 1)] * 2


def test_a_basis_that_moves_while_it_works_counts_from_where_the_cursor_is_saved(
    app: Application, agent: Caller, diary: Diary
) -> None:
    bases = {"now": ""}

    def lay_the_basis(project: str, entries: Sequence[Entry]) -> None:
        diary.apply(project, entries)
        bases["now"] = "laid"

    follower = Follower("diary", lay_the_basis, basis=lambda _: bases["now"], batch=2)
    end = take_notes(app, agent, 3)

    catch_up_wholly(app, follower)

    assert diary.seen == [(app.default_project, seq) for seq in range(1, end + 1)]


def test_a_follower_that_cannot_work_now_is_asked_again_and_holds_up_no_other(
    app: Application,
    agent: Caller,
    diary: Diary,
    wakes_often: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow, "RETRY_S", 0.01)
    late = Diary()
    refusals = iter([True, True])

    def apply_late(project: str, entries: Sequence[Entry]) -> None:
        if next(refusals, False):
            raise NotNow
        late.apply(project, entries)

    end = take_notes(app, agent, 2)
    thread = Following(app.store, [Follower("late", apply_late), diary.follower()])
    try:
        diary.wait_for(app.default_project, end)
        late.wait_for(app.default_project, end)
    finally:
        thread.close()

    assert [pair for pair in late.seen if pair == (app.default_project, end)] == [
        (app.default_project, end)
    ]


def test_a_project_without_news_is_not_read_again(
    open_app: OpenApp, agent: Caller, diary: Diary, wakes_often: None
) -> None:
    app = open_app()
    app.call("create_project", {"id": "quiet", "name": "Quiet"}, agent)
    Chat(app, project_id="quiet").ask("toy_note", text="once")
    quiet = app.store.engine.heads()["quiet"].seq
    reads: list[str] = []

    def basis(tx: ReadTx) -> str:
        reads.append(tx.project)
        return ""

    with following(app, Follower("diary", diary.apply, basis=basis)):
        diary.wait_for("quiet", quiet)
        diary.wait_for(app.default_project, take_notes(app, agent, 1))
        before = reads.count("quiet")
        for _ in range(3):
            diary.wait_for(app.default_project, take_notes(app, agent, 1))

    assert reads.count("quiet") <= before + 1
    assert reads.count(app.default_project) > 6


def test_a_store_that_is_away_for_a_while_is_followed_again(
    app: Application,
    agent: Caller,
    diary: Diary,
    wakes_often: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow, "RETRY_S", 0.01)
    refusals = iter([True, True])

    def apply(project: str, entries: Sequence[Entry]) -> None:
        if next(refusals, False):
            raise StorageUnavailable("The disk is full")
        diary.apply(project, entries)

    end = take_notes(app, agent, 2)
    with following(app, Follower("diary", apply)):
        diary.wait_for(app.default_project, end)
