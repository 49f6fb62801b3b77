"""Timeline, story and evolution: what was recorded, in pages, within a budget."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from hansard.recorder import limits
from hansard.recorder.problems import FileNotFound
from hansard.sessions.contract import SessionNotFound
from tests.conftest import SteppingClock, a_caller
from tests.recorder.asking import (
    create,
    edit,
    evolution,
    op,
    restore,
    sha256,
    story,
    timeline,
    told,
)


def note(app: Application, caller: Caller, text: str, kind: str = "note") -> None:
    app.call("audit_event", {"type": kind, "description": text}, caller)


# The timeline.


@pytest.mark.holds("003-resource-timeline", "003-summary-1")
def test_a_timeline_holds_everything_done_under_the_session(
    app: Application, agent: Caller
) -> None:
    app.call("record_plan", {"steps": ["write"]}, agent)
    create(app, agent, "a")
    note(app, agent, "well")
    app.call("toy_note", {"text": "of another capability"}, agent)

    kinds = [item.kind for item in timeline(app, agent)]
    assert kinds == [
        "session_started", "plan_step", "step_begun", "file_create", "audit_event", "toy_noted",
    ]  # fmt: skip


def test_a_timeline_is_of_one_session(app: Application, agent: Caller) -> None:
    create(app, agent, "a")
    other = a_caller()
    create(app, other, "b")

    assert [item.path for item in timeline(app, agent) if item.path] == ["a"]


def test_a_timeline_comes_in_pages_newest_first(app: Application, agent: Caller) -> None:
    for number in range(5):
        note(app, agent, str(number))
    seen: list[str | None] = []
    cursor: str | None = None
    for _ in range(3):
        asked = {"limit": 2, "kinds": ["audit_event"]} | ({"cursor": cursor} if cursor else {})
        page: Any = app.call("get_timeline", asked, agent)
        seen += [item.content for item in page.timeline]
        cursor = page.nextCursor

    assert seen == ["4", "3", "2", "1", "0"]
    assert cursor is None


def test_a_timeline_is_filtered_by_kind_path_and_actor(
    app: Application, agent: Caller, human: Caller, files: Path
) -> None:
    create(app, agent, "a")
    session = app.call("record_session_start", {"title": "t"}, agent).model_dump()["session_id"]
    app.call(
        "file_op", {"path": "b", "action": "create", "content": "x", "session_id": session}, human
    )
    (files / "a").write_text("outside\n")
    edit(app, agent, "a", "2\n")

    assert told(app, agent, path="b") == [("file_create", "done")]
    assert told(app, agent, kinds=["external_change"]) == [("external_change", None)]
    assert [item.path for item in timeline(app, agent, actor="human")] == ["b"]
    assert [item.path for item in timeline(app, agent, actor="outside")] == ["a"]
    with pytest.raises(InvalidInput):
        timeline(app, agent, kinds=["nonsense"])


def test_a_filter_looks_at_so_many_entries_and_goes_on_by_cursor(
    app: Application, agent: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(app, agent, "a")
    for number in range(6):
        note(app, agent, str(number))
    monkeypatch.setattr(limits, "TIMELINE_LOOKED_MAX", 4)

    first: Any = app.call("get_timeline", {"path": "a"}, agent)
    second: Any = app.call("get_timeline", {"path": "a", "cursor": first.nextCursor}, agent)

    assert first.timeline == []
    assert [item.path for item in second.timeline] == ["a"]


@pytest.mark.holds("ALL-08.9")
def test_a_budget_bounds_a_timeline_and_says_what_is_left(app: Application, agent: Caller) -> None:
    for _ in range(20):
        note(app, agent, "x" * 200)

    page: Any = app.call("get_timeline", {"budget_tokens": 500}, agent)
    rest: Any = app.call("get_timeline", {"cursor": page.nextCursor}, agent)

    assert len(page.model_dump_json(exclude_none=True)) <= 500 * limits.CHARS_PER_TOKEN + 200
    assert page.omitted
    assert len(page.timeline) + len(rest.timeline) == 21


def test_without_a_session_there_is_no_story(app: Application) -> None:
    with pytest.raises(SessionNotFound):
        app.call("get_story", {}, a_caller(seat=False))


# The story.


@pytest.mark.holds("FIL-story-1", "003-challenge-3.1", "003-challenge-3.2", "003-challenge-3.3")
def test_edits_of_a_file_are_one_beat_of_their_step(app: Application, agent: Caller) -> None:
    app.call("record_plan", {"steps": ["write", "test", "ship"]}, agent)
    app.call("record_step", {"index": 0}, agent)
    create(app, agent, "a", "0\n")
    for number in range(5):
        edit(app, agent, "a", f"{number}!\n")
        edit(app, agent, "b", "x\n") if number else create(app, agent, "b", "y\n")
    app.call("record_step", {"index": 1}, agent)
    edit(app, agent, "a", "end\n")

    chapters = story(app, agent).chapters

    assert [(one.index, one.title, one.status) for one in chapters] == [
        (0, "write", "ended"), (1, "test", "begun"), (2, "ship", "planned"),
    ]  # fmt: skip
    assert [(beat.path, beat.actions) for beat in chapters[0].beats] == [
        ("a", {"create": 1, "edit": 5}), ("b", {"create": 1, "edit": 4}),
    ]  # fmt: skip
    assert [(beat.path, beat.added, beat.removed) for beat in chapters[1].beats] == [("a", 1, 1)]
    assert (chapters[0].edits, chapters[0].added) == (11, 8)


@pytest.mark.holds("FIL-story-1")
def test_a_long_pause_begins_a_new_beat(
    app: Application, agent: Caller, clock: SteppingClock
) -> None:
    create(app, agent, "a", "0\n")
    clock.now += timedelta(seconds=limits.PAUSE_S - 10)
    edit(app, agent, "a", "1\n")
    clock.now += timedelta(seconds=limits.PAUSE_S + 1)
    edit(app, agent, "a", "2\n")

    [chapter] = story(app, agent).chapters
    assert [beat.edits for beat in chapter.beats] == [2, 1]


@pytest.mark.holds("003-audit_event-3")
def test_notes_and_decisions_stand_between_the_edits(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "0\n")
    note(app, agent, "Used JWT", "decision")
    edit(app, agent, "a", "1\n")
    app.call("toy_note", {"text": "first"}, agent)
    app.call("toy_note", {"text": "second"}, agent)
    edit(app, agent, "a", "2\n")

    [chapter] = story(app, agent).chapters
    assert [beat.type for beat in chapter.beats] == ["file", "note", "file", "event", "file"]
    decision, run = chapter.beats[1], chapter.beats[3]
    assert (decision.label, decision.text) == ("decision", "Used JWT")
    assert (run.count, len(run.texts or ())) == (2, 2)


def test_what_failed_and_what_came_from_outside_is_told(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "0\n")
    with pytest.raises(Exception, match="expected"):
        edit(app, agent, "a", "1\n", expected_sha256=sha256("other"))
    (files / "a").write_text("outside\n")
    edit(app, agent, "a", "2\n")

    told = story(app, agent)

    own, outside, later = told.chapters[0].beats
    assert (own.failed, own.codes, later.edits) == (1, ["FILE_CHANGED"], 1)
    assert (outside.type, outside.actions, outside.added) == ("outside", {"edit": 1}, 1)
    assert (told.totals["failed"], told.totals["external"]) == (1, 1)
    assert "- `a`: created, +1 -0, 1 failed (FILE_CHANGED)" in told.text()
    assert "- From outside: `a`: edited, +1 -1" in told.text()


def test_a_restore_is_one_beat(app: Application, agent: Caller) -> None:
    for path in "abc":
        create(app, agent, path)

    restore(app, agent)

    beats = story(app, agent).chapters[0].beats
    assert [beat.type for beat in beats] == ["file", "file", "file", "restore"]
    assert beats[-1].edits == 3


def test_steps_of_an_old_plan_that_were_never_begun_are_not_told(
    app: Application, agent: Caller
) -> None:
    app.call("record_plan", {"steps": ["old", "older"]}, agent)
    app.call("record_step", {"index": 0}, agent)
    create(app, agent, "a")
    app.call("record_plan", {"steps": ["new"]}, agent)

    assert [one.title for one in story(app, agent).chapters] == ["old", "new"]


@pytest.mark.holds("FIL-story-2")
def test_a_story_told_again_is_the_same_story(app: Application, agent: Caller, files: Path) -> None:
    app.call("record_plan", {"steps": ["write"]}, agent)
    create(app, agent, "a")
    note(app, agent, "well")
    (files / "a").write_text("outside\n")
    edit(app, agent, "a", "2\n")
    before = story(app, agent).model_dump()

    app.store.rebuild(app.default_project)

    assert story(app, agent).model_dump() == before


@pytest.mark.holds("ALL-08.10")
def test_a_story_comes_in_pages_within_its_budget(app: Application, agent: Caller) -> None:
    app.call("record_plan", {"steps": ["one", "two"]}, agent)
    for index in range(2):
        app.call("record_step", {"index": index}, agent)
        for number in range(12):
            create(app, agent, f"f{index}-{number}")
    beats: list[str | None] = []
    cursor: dict[str, str] = {}
    pages = 0
    while True:
        page = story(app, agent, budget_tokens=500, **cursor)
        pages += 1
        assert len(page.model_dump_json(exclude_none=True)) <= 500 * limits.CHARS_PER_TOKEN + 500
        beats += [beat.path for chapter in page.chapters for beat in chapter.beats]
        if page.nextCursor is None:
            break
        assert page.omitted
        cursor = {"cursor": page.nextCursor}

    assert pages > 2
    assert beats == [f"f{index}-{number}" for index in range(2) for number in range(12)]


def test_a_story_reads_as_markdown(app: Application, agent: Caller) -> None:
    app.call("record_session_start", {"title": "Auth", "user_message": "Add\nit"}, agent)
    app.call("record_plan", {"steps": ["write"]}, agent)
    app.call("record_step", {"index": 0}, agent)
    create(app, agent, "a", "1\n2\n")
    op(app, agent, "move", "a", to="b")
    note(app, agent, "Used JWT", "decision")

    assert story(app, agent).text().splitlines() == [
        "# Auth",
        "> Add",
        "> it",
        "2 edits in 1 file, +2 -0",
        "",
        "## Step 1: write (in progress)",
        "2 edits, +2 -0",
        "- `a`: created, +2 -0",
        "- `b` (moved from `a`): moved",
        "- **decision** (agent:test-agent): Used JWT",
        "",
        "(Steps are numbered from 1 here; arguments count them from 0.)",
    ]


# The evolution.


@pytest.mark.holds("003-resource-evolution")
def test_a_files_revisions_come_in_pages_latest_first(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "0\n")
    for number in range(1, 5):
        edit(app, agent, "a", f"{number}\n")

    first = evolution(app, agent, path="a", limit=3)
    second = evolution(app, agent, path="a", limit=3, cursor=first.nextCursor)

    shown = [*(first.revisions or ()), *(second.revisions or ())]
    assert [one.revision for one in shown] == [5, 4, 3, 2, 1]
    assert (first.total, second.nextCursor) == (5, None)
    assert [one.sha256 for one in shown] == [sha256(f"{n}\n") for n in (4, 3, 2, 1, 0)]


def test_any_two_revisions_can_be_compared(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "one\ntwo\n")
    edit(app, agent, "a", "one\n2\n")
    edit(app, agent, "a", "1\n2\n")

    def diff(**sides: int) -> str | None:
        return evolution(app, agent, path="a", **sides).diff

    assert "-two\n+2\n" in str(diff(**{"from": 1, "to": 2}))
    assert diff(to=3) == diff(**{"from": 2, "to": 3}) == diff(**{"from": 2})
    assert "+one\n+two\n" in str(diff(**{"from": 0, "to": 1}))
    assert diff(**{"from": 2, "to": 2}) == ""
    with pytest.raises(InvalidInput):
        diff(**{"from": 1, "to": 9})


@pytest.mark.holds("ALL-09.10")
def test_the_evolution_can_be_asked_of_the_past(app: Application, agent: Caller) -> None:
    first = create(app, agent, "a", "1\n")
    point = f"s:{app.store.read(app.default_project, lambda tx: tx.head().seq)}"
    edit(app, agent, "a", "2\n")
    create(app, agent, "b", "1\n")

    then = evolution(app, agent, path="a", as_of=point)
    assert [one.revision for one in then.revisions or ()] == [1]
    files = evolution(app, agent, as_of=point)
    assert ([one.path for one in files.files or ()], files.total) == (["a"], 1)
    assert evolution(app, agent, as_of=point, limit=1).total != 2
    with pytest.raises(FileNotFound):
        evolution(app, agent, path="b", as_of=point)
    with pytest.raises(FileNotFound):
        evolution(app, agent, path="a", as_of=f"s:{first.seq}")
    with pytest.raises(InvalidInput):
        evolution(app, agent, path="a", revision=2, as_of=point)


def test_the_files_of_a_session_come_in_pages(app: Application, agent: Caller) -> None:
    for number in range(5):
        create(app, agent, f"f{number}")
    create(app, a_caller(), "other")

    first = evolution(app, agent, limit=3)
    second = evolution(app, agent, limit=3, cursor=first.nextCursor)

    paths = [one.path for one in [*(first.files or ()), *(second.files or ())]]
    assert (paths, first.total) == (["f4", "f3", "f2", "f1", "f0"], 5)


def test_without_a_session_all_files_of_the_workspace_are_listed(app: Application) -> None:
    for path in "ab":
        create(app, a_caller(), path)

    listed = evolution(app, a_caller(seat=False)).files or []
    assert {one.path for one in listed} == {"a", "b"}


def test_of_a_file_that_was_never_recorded_there_is_nothing(
    app: Application, agent: Caller
) -> None:
    create(app, agent, "a")

    with pytest.raises(FileNotFound):
        evolution(app, agent, path="b")


def test_a_revision_is_asked_of_a_path(app: Application, agent: Caller) -> None:
    with pytest.raises(InvalidInput):
        evolution(app, agent, revision=1)


# Sessions.


@pytest.mark.holds("003-resource-discovery")
def test_sessions_are_listed_latest_first_with_their_resources(
    app: Application, agent: Caller
) -> None:
    ids = []
    for title in ("one", "two", "three"):
        started = app.call("record_session_start", {"title": title}, a_caller())
        ids.append(started.model_dump()["session_id"])

    page: Any = app.call("list_sessions", {"limit": 2}, agent)
    rest: Any = app.call("list_sessions", {"limit": 2, "cursor": page.nextCursor}, agent)

    listed = [*page.sessions, *rest.sessions]
    assert [one.session_id for one in listed] == ids[::-1]
    assert [one.title for one in listed] == ["three", "two", "one"]
    assert listed[0].story == f"hansard://session/{ids[-1]}/story"
    assert page.total == 3


@pytest.mark.holds("003-resource-read_only")
def test_reading_leaves_no_trace(app: Application, agent: Caller, files: Path) -> None:
    create(app, agent, "a")
    before = app.store.read(app.default_project, lambda tx: tx.head())

    timeline(app, agent)
    story(app, agent)
    evolution(app, agent)
    evolution(app, agent, path="a", revision=1)
    app.call("list_sessions", {}, agent)
    app.call("file_read", {"path": "a"}, agent)

    assert app.store.read(app.default_project, lambda tx: tx.head()) == before
