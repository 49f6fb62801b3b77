"""A clash over a file that is gone says where the very file lies that was changed, or nothing."""

from pathlib import Path

from hansard.app.application import Application
from hansard.kernel.blob import digest_of
from hansard.kernel.operation import Caller
from tests.conftest import a_caller
from tests.recorder.asking import create, edit, op, undo


def test_a_clash_names_the_very_file_that_was_changed(app: Application, agent: Caller) -> None:
    other = a_caller()
    create(app, agent, "a", "one\n")
    done = edit(app, agent, "a", "two\n")
    op(app, other, "move", "a", to="b")
    create(app, other, "a", "quite another\n")
    op(app, other, "move", "a", to="z")

    [step] = undo(app, agent, entry=f"s:{done.seq}").files

    assert "moved to b since" in (step.reason or "")


def test_a_clash_names_no_file_where_the_one_that_was_changed_is_gone(
    app: Application, agent: Caller, files: Path
) -> None:
    other = a_caller()
    create(app, agent, "a", "one\n")
    deleted = edit(app, agent, "a", "two\n")
    op(app, other, "delete", "a")
    create(app, other, "a", "quite another\n")
    op(app, other, "move", "a", to="z")
    create(app, agent, "c", "one\n")
    moved = edit(app, agent, "c", "two\n")
    op(app, other, "move", "c", to="d")
    (files / "d").unlink()

    reasons = [undo(app, agent, entry=f"s:{one.seq}").files[0].reason for one in (deleted, moved)]

    assert reasons == ["it has been deleted or moved since"] * 2


def test_a_creation_is_not_undone_without_a_word_when_the_file_was_moved(
    app: Application, agent: Caller, files: Path
) -> None:
    made = create(app, agent, "a", "one\n")
    gone = create(app, agent, "c", "two\n")
    op(app, a_caller(), "move", "a", to="b")
    op(app, a_caller(), "delete", "c")

    told = [undo(app, agent, entry=f"s:{one.seq}") for one in (made, gone)]

    assert [answer.counts for answer in told] == [{"unchanged": 1}] * 2
    assert [one.reason for one in told[0].files] == [
        "it has been moved to b since: change it there"
    ]
    assert "moved to b since" in told[0].text()
    assert [one.reason for one in told[1].files if one.reason] == []
    assert (files / "b").read_text() == "one\n"


def test_a_file_whose_deletion_was_undone_is_followed(app: Application, agent: Caller) -> None:
    other = a_caller()
    create(app, agent, "a", "one\n")
    done = edit(app, agent, "a", "two\n")
    deleted = op(app, other, "delete", "a")
    undo(app, other, entry=f"s:{deleted.seq}")
    op(app, other, "move", "a", to="b")

    [step] = undo(app, agent, entry=f"s:{done.seq}").files

    assert "moved to b since" in (step.reason or "")


def test_a_move_that_was_moved_on_names_where_the_file_is(app: Application, agent: Caller) -> None:
    other = a_caller()
    create(app, agent, "a", "one\n")
    moved = op(app, agent, "move", "a", to="b")
    op(app, other, "move", "b", to="c")

    steps = undo(app, agent, entry=f"s:{moved.seq}").files

    assert [one.reason for one in steps if one.action == "clash"] == [
        "it has been moved to c since: change it there"
    ]


def test_that_a_file_is_not_as_it_was_shown_is_said_though_it_was_moved(
    app: Application, agent: Caller
) -> None:
    other = a_caller()
    create(app, agent, "a", "one\n")
    done = edit(app, agent, "a", "two\n")
    op(app, other, "move", "a", to="b")

    asked = {"take": {"a": "mine"}, "expected": {"a": digest_of(b"two\n")}}
    [step] = undo(app, agent, entry=f"s:{done.seq}", **asked).files

    assert step.reason == "it has been changed since it was shown"
