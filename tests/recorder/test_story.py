"""The story: what was undone reads as undone, in the order of events, many files as few lines."""

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.recorder import limits
from hansard.recorder.story.answers import Beat
from hansard.recorder.story.folder_beats import fold
from tests.conftest import a_caller
from tests.recorder.asking import batch, create, edit, op, restore, story, timeline


def call(app: Application, caller: Caller, name: str, **arguments: Any) -> Any:
    return app.call(name, arguments, caller)


def head(app: Application) -> str:
    return f"s:{app.store.read(app.default_project, lambda tx: tx.head().seq)}"


def begun(restored: Any) -> int:
    """Name the entry by which a restore began."""
    return int(restored.undo.rpartition("s:")[2].rstrip('"}'))


@pytest.fixture
def three_steps(app: Application, agent: Caller) -> None:
    """A plan of three steps, each with a file of its own."""
    call(app, agent, "record_plan", steps=["one", "two", "three"])
    for index, path in enumerate("abc"):
        call(app, agent, "record_step", index=index)
        create(app, agent, path, "1\n")
        edit(app, agent, path, "1\n2\n")


@pytest.mark.holds("FIL-story-3")
@pytest.mark.usefixtures("three_steps")
def test_what_a_restore_took_back_reads_as_undone(app: Application, agent: Caller) -> None:
    [second] = [one for one in timeline(app, agent, kinds=["step_begun"]) if one.index == 1]

    seq = begun(restore(app, agent, point=f"s:{second.seq}"))

    told = story(app, agent)
    [one, two, three] = told.chapters
    assert (one.undone, one.beats[0].undone) == (None, None)
    assert (two.undone, two.undone_by, two.beats[0].undone_by) == (2, seq, seq)
    assert (three.undone, three.undone_by) == (2, seq)
    assert told.totals["undone"] == 4
    text = told.text()
    assert f"## Step 2: two (ended, undone by s:{seq})" in text
    assert f"- `b`: created, 1 edit, +2 -0 (undone by s:{seq})" in text
    items = {item.seq: item.undone_by for item in timeline(app, agent) if item.path == "b"}
    assert list(items.values())[:2] == [seq, seq]
    assert f"(undone by s:{seq})" in call(app, agent, "get_timeline").text()


@pytest.mark.holds("FIL-story-3")
@pytest.mark.usefixtures("three_steps")
def test_what_was_undone_in_part_says_how_much(app: Application, agent: Caller) -> None:
    [edited] = [one for one in timeline(app, agent, path="b") if one.kind == "file_edit"]

    seq = begun(restore(app, agent, entry=f"s:{edited.seq}"))

    two = story(app, agent).chapters[1]
    assert (two.undone, two.edits) == (1, 2)
    assert f"## Step 2: two (ended, 1 of 2 undone by s:{seq})" in story(app, agent).text()


@pytest.mark.usefixtures("three_steps")
def test_an_undone_restore_makes_the_work_stand_again(app: Application, agent: Caller) -> None:
    first = begun(restore(app, agent))
    second = begun(restore(app, agent, entry=f"s:{first}"))

    told = story(app, agent)

    assert [chapter.undone for chapter in told.chapters] == [None, None, None]
    assert told.totals["undone"] == 0
    [taken, given] = [beat for beat in told.chapters[2].beats if beat.type == "restore"]
    assert (taken.undone_by, given.undone_by) == (second, None)
    assert f"(undone by s:{second})" in taken.line()


@pytest.mark.holds("FIL-story-4")
@pytest.mark.usefixtures("three_steps")
def test_a_restore_counts_as_nobodys_work(app: Application, agent: Caller) -> None:
    before = story(app, agent)

    restore(app, agent)

    after = story(app, agent)
    assert [(one.edits, one.added, one.removed) for one in after.chapters] == [
        (one.edits, one.added, one.removed) for one in before.chapters
    ]
    assert after.totals["edits"] == before.totals["edits"] == 6
    assert after.totals["restored"] == after.chapters[2].restored == 3


@pytest.mark.holds("FIL-story-5")
@pytest.mark.usefixtures("three_steps")
def test_a_restore_is_told_in_words_of_what_was_asked(app: Application, agent: Caller) -> None:
    [second] = [one for one in timeline(app, agent, kinds=["step_begun"]) if one.index == 1]

    restore(app, agent, point=f"s:{second.seq}")

    assert (
        "- Restored the session to before step 2 (two): 2 files, +0 -4" in story(app, agent).text()
    )
    assert "Restored the session to before step 2 (two)" in [
        item.summary for item in timeline(app, agent, kinds=["restore"])
    ]


def test_another_sessions_story_says_that_its_work_was_taken_back(
    app: Application, agent: Caller
) -> None:
    other = a_caller()
    create(app, agent, "a", "1\n")
    edit(app, other, "a", "2\n")

    seq = begun(restore(app, agent))

    [beat] = story(app, other).chapters[0].beats
    assert (beat.undone, beat.undone_by) == (1, seq)


@pytest.mark.holds("FIL-story-6")
def test_changes_from_outside_say_what_was_done_and_how_much(
    app: Application, agent: Caller, files: Path
) -> None:
    for path in "abc":
        create(app, agent, path, "1\n2\n")
    (files / "a").write_text("1\n2\n3\n")
    (files / "b").unlink()
    edit(app, agent, "a", "4\n")
    create(app, agent, "b", "new\n")
    op(app, agent, "delete", "c")
    (files / "c").write_text("again\n")
    edit(app, agent, "c", "x\n")

    told = story(app, agent)

    outside = [beat for beat in told.chapters[0].beats if beat.type == "outside"]
    assert [(one.path, one.actions, one.added or 0, one.removed or 0) for one in outside] == [
        ("a", {"edit": 1}, 1, 0), ("b", {"delete": 1}, 0, 2), ("c", {"create": 1}, 1, 0),
    ]  # fmt: skip
    assert "- From outside: `a`: edited, +1 -0" in told.text()
    assert "- From outside: `b`: deleted, +0 -2" in told.text()
    assert "- From outside: `c`: created, +1 -0" in told.text()
    assert told.totals["external"] == 3
    assert (told.chapters[0].edits, told.chapters[0].added) == (7, 9)


@pytest.mark.holds("FIL-story-7")
def test_many_files_are_told_by_folder(app: Application, agent: Caller) -> None:
    paths = [f"src/part{number % 6}/file{number}.py" for number in range(360)]
    for start in range(0, len(paths), limits.OPS_MAX):
        some = paths[start : start + limits.OPS_MAX]
        batch(app, agent, *({"path": one, "action": "create", "content": "x\n"} for one in some))
    create(app, agent, "README", "x\n")

    told = story(app, agent)

    beats = told.chapters[0].beats
    assert [(beat.type, beat.path, beat.files) for beat in beats] == [
        *(("folder", f"src/part{number}/", 60) for number in range(6)), ("file", "README", None),
    ]  # fmt: skip
    assert "- `src/part0/` (60 files): 60 created, +60 -0" in told.text()
    assert (told.nextCursor, told.chapters[0].edits) == (None, 361)


def test_a_folded_story_of_many_pages_tells_every_file_once(
    app: Application, agent: Caller
) -> None:
    for part in range(3):
        ops = [
            {"path": f"p{part}/f{number}", "action": "create", "content": "x\n"}
            for number in range(40)
        ]
        batch(app, agent, *ops)
        call(app, agent, "audit_event", type="note", description=f"{part}" * 300)
    told: list[Beat] = []
    cursor: dict[str, str] = {}
    while True:
        page = story(app, agent, budget_tokens=200, **cursor)
        told += [beat for chapter in page.chapters for beat in chapter.beats]
        if page.nextCursor is None:
            break
        cursor = {"cursor": page.nextCursor}

    assert [(beat.path or beat.label, beat.files) for beat in told] == [
        ("p0/", 40), ("note", None), ("p1/", 40), ("note", None), ("p2/", 40), ("note", None),
    ]  # fmt: skip


@pytest.mark.holds("FIL-timeline-2")
def test_the_users_message_is_on_the_timeline(app: Application, agent: Caller) -> None:
    call(app, agent, "record_session_start", title="Auth", user_message="Add\nlogin")

    [item] = timeline(app, agent, kinds=["session_titled"])
    assert item.content == "Add\nlogin"
    assert 'asked: "Add login"' in call(app, agent, "get_timeline").text()


def test_a_long_message_is_cut_on_the_timeline(app: Application, agent: Caller) -> None:
    call(app, agent, "record_session_start", title="Auth", user_message="x" * 100_000)

    [item] = timeline(app, agent, kinds=["session_titled"])
    assert len(item.content or "") == limits.MESSAGE_TIMELINE_CHARS + 1


@pytest.mark.holds("FIL-timeline-3")
def test_a_revision_is_a_files_and_a_plans_is_called_so(app: Application, agent: Caller) -> None:
    call(app, agent, "record_plan", steps=["one"])
    call(app, agent, "record_plan", steps=["two"])
    create(app, agent, "a", "1\n")
    answered = edit(app, agent, "a", "2\n")

    item = timeline(app, agent, path="a")[-1]
    assert (item.revision, item.plan_revision) == (answered.revision, 2) == (2, 2)


@pytest.mark.usefixtures("three_steps")
def test_an_undone_story_told_again_is_the_same_story(app: Application, agent: Caller) -> None:
    restore(app, agent, entry=f"s:{begun(restore(app, agent))}")
    restore(app, agent, point=head(app))
    before = story(app, agent).model_dump(), call(app, agent, "get_timeline").model_dump()

    app.store.rebuild(app.default_project)

    now = story(app, agent).model_dump(), call(app, agent, "get_timeline").model_dump()
    assert now == before


@pytest.mark.parametrize("seed", range(6))
def test_what_reads_as_undone_is_what_no_longer_stands(
    app: Application, agent: Caller, seed: int
) -> None:
    """Each edit puts its own mark; going back puts the marks of then. What stands is marked."""
    chance = random.Random(seed)
    create(app, agent, "a", "0\n")
    marks, points = [frozenset({0})], [head(app)]
    for number in range(1, 12):
        if chance.random() < 0.4:
            place = chance.randrange(len(points))
            restore(app, agent, path="a", point=points[place], to="after")
            marks.append(marks[place])
        else:
            edit(app, agent, "a", f"{number}\n")
            marks.append(marks[-1] | {number})
        points.append(head(app))

    items = [one for one in timeline(app, agent, path="a") if one.restore is None]
    standing = [one for one in items if one.undone_by is None]
    told = story(app, agent)
    assert len(standing) == len(marks[-1])
    assert told.totals["undone"] == told.chapters[0].undone or len(items) - len(standing) == 0


# The rules.


def beat(path: str, seq: int, **more: Any) -> Beat:
    told: dict[str, Any] = {"first_seq": seq, "last_seq": seq, "first_at": "t", "last_at": "t"}
    told |= {"type": "file", "actions": {"edit": 1}, "edits": 1} | more
    return Beat(**told, path=path)


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5).map("/".join), max_size=300
    )
)
def test_folding_loses_no_edit_and_is_never_long(paths: list[str]) -> None:
    run = [beat(path, seq) for seq, path in enumerate(paths, start=1)]

    told = fold(run)

    assert sum(one.edits or 0 for one in told) == len(run)
    assert len(told) <= max(limits.FILES_TOLD_MAX, limits.FOLDERS_TOLD_MAX)
    assert [one.first_seq for one in told] == sorted(one.first_seq for one in told)


def test_what_others_did_is_folded_apart() -> None:
    ours = [beat(f"a/{number}", number) for number in range(1, 11)]
    theirs = [
        beat(f"a/{number}", number, type="outside", edits=None, external=1)
        for number in range(11, 21)
    ]

    [mine, outside] = fold([*ours, *theirs])

    assert (mine.files, mine.external, outside.files, outside.external) == (10, None, 10, 10)
    assert outside.line().startswith("From outside: `a/` (10 files)")
