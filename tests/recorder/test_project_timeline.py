"""The timeline of a whole project: what all its sessions did, changes to files folded."""

import re
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.event import Stamp
from hansard.kernel.operation import Caller
from hansard.kernel.session_holder import Holder
from hansard.recorder.answers import TimelineAnswer, TimelineItem
from hansard.recorder.story.timeline import kind_names
from hansard.sessions.events import SessionJoined, SessionLeft
from tests.conftest import a_caller
from tests.recorder.asking import create, edit, op


def project(app: Application, **asked: Any) -> TimelineAnswer:
    """Ask as the page does: without a session."""
    answer = app.call("get_timeline", asked, a_caller(seat=False))
    assert isinstance(answer, TimelineAnswer)
    return answer


def changes(answer: TimelineAnswer) -> list[tuple[str | None, int | None]]:
    return [(item.path, item.count) for item in answer.timeline if item.path]


@pytest.mark.holds("FIL-timeline-1")
def test_edits_of_a_file_in_a_row_are_one_row(app: Application, agent: Caller) -> None:
    started: Any = app.call("record_session_start", {"title": "Auth"}, agent)
    first = create(app, agent, "a", "1\n")
    edit(app, agent, "a", "1\n2\n")
    last = edit(app, agent, "a", "3\n")
    create(app, agent, "b")

    told = project(app)

    [b, a] = [item for item in told.timeline if item.path]
    assert (b.path, b.count) == ("b", None)
    assert (a.path, a.count, a.seq, a.first_seq) == ("a", 3, last.seq, first.seq)
    assert (a.added, a.removed, a.revision) == (3, 2, 3)
    assert (a.before, a.session_id) == (None, started.session_id)
    assert (told.session_id, told.sessions) == (None, {started.session_id: "Auth"})
    assert "in Auth 3 changes of a (+3 -2)" in told.text()


@pytest.mark.holds("FIL-timeline-1")
def test_sessions_at_work_side_by_side_do_not_break_each_others_rows(app: Application) -> None:
    one, two = a_caller(), a_caller()
    for caller, path in ((one, "a"), (two, "b")):
        create(app, caller, path, "0\n")
    for number in range(1, 4):
        edit(app, one, "a", f"{number}\n")
        edit(app, two, "b", f"{number}\n")

    assert changes(project(app)) == [("b", 4), ("a", 4)]


def test_something_else_of_the_same_session_ends_a_row(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "0\n")
    app.call("audit_event", {"type": "note", "description": "well"}, agent)
    edit(app, agent, "a", "1\n")
    op(app, agent, "move", "a", to="b")

    assert changes(project(app)) == [("a", None), ("a", None), ("a", None)]


def test_what_failed_or_came_from_outside_has_a_row_of_its_own(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "0\n")
    (files / "a").write_text("mine\n")
    edit(app, agent, "a", "1\n")
    with pytest.raises(Exception, match="expected"):
        edit(app, agent, "a", "2\n", expected_sha256="0" * 64)

    kinds = [(item.kind, item.actor.partition(":")[0]) for item in project(app).timeline]
    assert kinds[:4] == [
        ("file_refused", "agent"),
        ("file_edit", "agent"),
        ("external_change", "outside"),
        ("file_create", "agent"),
    ]


@pytest.mark.parametrize("asked", [{"limit": 2}, {"budget_tokens": 200}])
def test_pages_tell_every_change_once(app: Application, asked: dict[str, int]) -> None:
    callers = [a_caller() for _ in range(3)]
    for number, caller in enumerate(callers):
        create(app, caller, f"f{number}", "0\n")
    for turn in range(1, 5):
        for number, caller in enumerate(callers):
            edit(app, caller, f"f{number}", f"{turn}\n")
            create(app, caller, f"g{number}.{turn}")
    told: list[TimelineItem] = []
    cursor: dict[str, str] = {}
    while True:
        page = project(app, kinds=["file_create", "file_edit"], **asked, **cursor)
        told += page.timeline
        if page.nextCursor is None:
            break
        cursor = {"cursor": page.nextCursor}

    assert sum(item.count or 1 for item in told) == 3 + 4 * 3 * 2
    seqs = [item.seq for item in told]
    assert len(set(seqs)) == len(seqs)


def test_whoever_has_a_session_can_ask_for_all(app: Application, agent: Caller) -> None:
    create(app, agent, "a")
    create(app, a_caller(), "b")

    mine: Any = app.call("get_timeline", {}, agent)
    all_of_it: Any = app.call("get_timeline", {"all_sessions": True}, agent)

    assert changes(mine) == [("a", None)]
    assert changes(all_of_it) == [("b", None), ("a", None)]


def test_another_projects_changes_are_not_shown(app: Application, agent: Caller) -> None:
    create(app, agent, "a")
    app.call("create_project", {"id": "other", "name": "Other"}, agent)

    assert project(app, project_id="other").timeline == []


@pytest.mark.holds("FIL-timeline-1")
def test_no_entry_goes_by_a_name_for_programs(app: Application) -> None:
    names = {name for event in app.store.kinds for name in kind_names(event)}

    assert {"session_joined", "session_left", "workspace_seen", "file_edit"} <= names
    assert [name for name in names if not re.fullmatch("[a-z_]+", name)] == []


def test_who_comes_and_goes_is_told_in_words(app: Application, agent: Caller) -> None:
    started: Any = app.call("record_session_start", {"title": "Auth"}, agent)
    session = started.session_id
    coming = SessionJoined(id=session, holder=Holder(via="stdio", client="claude-code"))
    going = SessionLeft(id=session, owner="owner-0123456789abcdef")
    stamp = Stamp(agent.actor, "2026-01-02T03:04:05.000000Z", session)
    app.store.write(
        app.default_project,
        lambda tx: [app.store.record(tx, event, stamp) for event in (coming, going)],
    )

    left, joined, *_ = project(app).timeline

    assert (joined.kind, left.kind) == ("session_joined", "session_left")
    assert joined.summary == f"Session {session} taken up by claude-code"
    assert "left: its process ended" in left.text()


@pytest.mark.holds("FIL-timeline-1")
def test_the_same_rows_are_told_from_the_beginning(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "1\n")
    edit(app, agent, "a", "1\n2\n")
    app.call("audit_event", {"type": "note", "description": "well"}, agent)
    edit(app, agent, "a", "3\n")
    edit(app, agent, "a", "4\n")

    newest_first = project(app).timeline
    oldest_first = project(app, oldest_first=True).timeline

    assert oldest_first == newest_first[::-1]
    assert [item.count for item in oldest_first if item.path] == [2, 2]


@pytest.mark.parametrize("oldest_first", [False, True])
def test_pages_from_either_end_tell_each_entry_once(
    app: Application, agent: Caller, *, oldest_first: bool
) -> None:
    for number in range(5):
        app.call("audit_event", {"type": "note", "description": f"{number}"}, agent)
    whole = [item.seq for item in project(app, oldest_first=oldest_first).timeline]

    asked: dict[str, Any] = {"limit": 2, "oldest_first": oldest_first}
    told: list[int] = []
    while True:
        page = project(app, **asked)
        told += [item.seq for item in page.timeline]
        if page.nextCursor is None:
            break
        asked["cursor"] = page.nextCursor

    assert told == whole
    assert whole == sorted(whole, reverse=not oldest_first)


@pytest.mark.parametrize("oldest_first", [False, True])
def test_of_the_past_only_what_had_happened_is_told(
    app: Application, agent: Caller, *, oldest_first: bool
) -> None:
    create(app, agent, "a", "1\n")
    then = edit(app, agent, "a", "2\n").seq
    edit(app, agent, "a", "3\n")
    create(app, agent, "b")

    told = project(app, as_of=f"s:{then}", oldest_first=oldest_first)
    activity: Any = app.call("get_recent_activity", {"as_of": f"s:{then}"}, agent)

    assert changes(told) == [("a", 2)]
    assert max(item.seq for item in told.timeline) == then
    assert all(one.seq <= then for one in activity.activity)
    assert activity.total == len(activity.activity)
