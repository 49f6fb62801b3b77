"""Going back loses nobody's work: each of these was a loss once."""

from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from tests.conftest import a_caller
from tests.recorder.asking import contents, create, edit, evolution, named, op, restore, undo


def test_the_undo_that_a_restore_names_brings_back_what_a_person_wrote(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "z", "z1\n")
    seq = create(app, agent, "a", "a1\n").seq
    edit(app, agent, "a", "a2\n")
    (files / "z").write_text("human work\n")
    before = contents(files)

    answer = restore(app, agent, to="after", point=f"s:{seq}")
    assert contents(files) == {"a": b"a1\n", "z": b"z1\n"}
    named(app, agent, answer.undo)

    assert contents(files) == before


def test_the_undo_of_a_whole_restore_brings_back_every_outside_change(
    app: Application, agent: Caller, files: Path
) -> None:
    for path in "cab":
        create(app, agent, path, f"{path}1\n")
    for path in "abc":
        (files / path).write_text(f"{path} of a person\n")
    before = contents(files)

    answer = restore(app, agent)
    assert contents(files) == {}
    named(app, agent, answer.undo)

    assert contents(files) == before


@pytest.mark.holds("FIL-report-3")
def test_an_edit_reported_without_its_before_state_is_never_undone_into_a_deletion(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "app.py").write_text("what a host wrote\n")
    arguments = {"path": "app.py", "content": "what a host wrote\n"}
    app.call("record_file_edit", arguments, agent)

    restored = restore(app, agent)
    undone = undo(app, agent, of_session=restored.session_id)

    assert contents(files) == {"app.py": b"what a host wrote\n"}
    for answer in (restored, undone):
        [step] = answer.files
        assert step.action == "skip"
        assert step.reason is not None
        assert "not known" in step.reason
    [revision] = evolution(app, agent, path="app.py").revisions or []
    assert revision.before_unknown
    assert (revision.added, revision.removed) == (None, None)


def test_a_restore_names_what_it_takes_from_a_person(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "f", "f1\n")
    (files / "f").write_text("f1\nof a person\n")
    seq = create(app, agent, "g", "g1\n").seq

    [step] = restore(app, agent, to="after", point=f"s:{seq}", preview=True).files

    assert (step.path, step.action) == ("f", "edit")
    assert [(one.by, one.count) for one in step.takes_away or []] == [("outside", 1)]


def test_a_restore_names_what_it_takes_from_another_session(
    app: Application, agent: Caller, files: Path
) -> None:
    other = a_caller()
    create(app, agent, "f", "one\n")
    seq = edit(app, other, "f", "one\ntwo\n").seq

    [step] = restore(app, agent, preview=True).files

    [taken] = step.takes_away or []
    assert (taken.by, taken.count, taken.last) == ("agent:test-agent", 1, f"s:{seq}")
    assert taken.session_id is not None


def test_an_undo_keeps_what_others_wrote_since(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "f", "1\n2\n3\n4\n5\n")
    first = edit(app, agent, "f", "one\n2\n3\n4\n5\n").seq
    (files / "f").write_text("one\n2\nof a person\n4\n5\n")
    edit(app, agent, "f", "one\n2\nof a person\n4\nfive\n")

    answer = undo(app, agent, entry=f"s:{first}")

    assert contents(files) == {"f": b"1\n2\nof a person\n4\nfive\n"}
    assert answer.counts == {"edit": 1}
    named(app, agent, answer.undo)
    assert contents(files) == {"f": b"one\n2\nof a person\n4\nfive\n"}


def test_modes_that_a_person_set_come_back_with_the_undo(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "run", "#!/bin/sh\n")
    op(app, agent, "edit", "run", content="#!/bin/sh\nexit\n")
    (files / "run").chmod(0o750)

    answer = restore(app, agent)
    named(app, agent, answer.undo)

    assert (files / "run").stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("gone", ["delete", "move"])
def test_an_undo_leaves_the_file_that_another_made_where_this_ones_was(
    app: Application, agent: Caller, files: Path, gone: str
) -> None:
    other = a_caller()
    create(app, agent, "f", "the same\n")
    first = edit(app, agent, "f", "the same\nto the letter\n")
    op(app, other, gone, "f", **({"to": "g"} if gone == "move" else {}))
    second = create(app, other, "f", "the same\nto the letter\n")
    before = contents(files)

    one = undo(app, agent, entry=f"s:{first.seq}")
    both = undo(app, agent, of_session=one.session_id)

    assert contents(files) == before
    for answer in (one, both):
        [step] = answer.files
        assert step.action == "none"
        assert f"s:{second.seq} made another file" in (step.reason or "")


def test_what_came_back_from_outside_is_the_same_file(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "f", "one\n")
    edited = edit(app, agent, "f", "two\n")
    (files / "f").unlink()
    create(app, agent, "g", "x\n")
    restore(app, agent, path="f", point=f"s:{edited.seq}", to="after")

    undo(app, agent, entry=f"s:{edited.seq}")

    assert contents(files)["f"] == b"one\n"


@pytest.mark.parametrize("past_hansard", [True, False])
def test_a_clash_names_where_others_have_moved_the_file(
    app: Application, agent: Caller, files: Path, *, past_hansard: bool
) -> None:
    create(app, agent, "a", "one\n")
    done = edit(app, agent, "a", "two\n")
    if past_hansard:
        (files / "a").rename(files / "b")
    else:
        op(app, a_caller(), "move", "a", to="b")
    edit(app, a_caller(), "b", "two\nthree\n")
    (files / "b").rename(files / "c")
    edit(app, a_caller(), "c", "two\nthree\nfour\n")

    [step] = undo(app, agent, entry=f"s:{done.seq}").files
    op(app, a_caller(), "delete", "c")
    [gone] = undo(app, agent, entry=f"s:{done.seq}").files

    assert (step.action, gone.action) == ("clash", "clash")
    assert "c since" in (step.reason or "")
    assert "c since" not in (gone.reason or "")
