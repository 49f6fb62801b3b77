"""Deciding what an undo clashes with: hunk by hunk, with one side, the other, or both."""

from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from hansard.recorder.contents.merging import Decisions, merge
from hansard.recorder.going_back.answers import BackStep
from tests.recorder.asking import contents, create, edit, op, restore, sha256, undo

WAS = "1\n2\n3\n4\n5\n"
NOW = "of a person\n2\n3\n4\nof a person, too\n"


@pytest.fixture
def seq(app: Application, agent: Caller, files: Path) -> int:
    """An edit whose two lines somebody has changed since."""
    create(app, agent, "f", WAS)
    found = edit(app, agent, "f", WAS.replace("1", "one").replace("5", "five")).seq
    (files / "f").write_text(NOW)
    return found


def clash(app: Application, agent: Caller, seq: int, **decided: object) -> BackStep:
    [step] = undo(app, agent, entry=f"s:{seq}", preview=True, **decided).files
    return step


@pytest.mark.holds("FIL-undo-2")
@pytest.mark.parametrize(
    "case",
    [
        (["mine", "theirs"], "of a person\n2\n3\n4\n5\n"),
        (["theirs", "mine"], "1\n2\n3\n4\nof a person, too\n"),
        (["both", "mine"], "of a person\n1\n2\n3\n4\nof a person, too\n"),
        ("both", "of a person\n1\n2\n3\n4\nof a person, too\n5\n"),
    ],
    ids=["mine-theirs", "theirs-mine", "both-mine", "both"],
)
def test_each_hunk_is_decided_for_itself(
    app: Application, agent: Caller, files: Path, seq: int, case: tuple[object, str]
) -> None:
    take, left = case
    shown = clash(app, agent, seq)
    assert shown.sides == ["mine", "theirs", "both"]
    assert [hunk.line for hunk in shown.hunks or []] == [1, 5]

    undo(app, agent, entry=f"s:{seq}", take={"f": take}, expected={"f": shown.now})

    assert contents(files) == {"f": left.encode()}


@pytest.mark.holds("FIL-undo-2")
def test_what_is_not_decided_yet_is_shown_and_nothing_changes(
    app: Application, agent: Caller, files: Path, seq: int
) -> None:
    [step] = undo(app, agent, entry=f"s:{seq}", take={"f": ["theirs"]}).files

    assert step.action == "clash"
    assert [hunk.line for hunk in step.hunks or []] == [5]
    assert contents(files) == {"f": NOW.encode()}


@pytest.mark.holds("FIL-undo-2")
def test_more_decisions_than_clashes_change_nothing(
    app: Application, agent: Caller, files: Path, seq: int
) -> None:
    [step] = undo(app, agent, entry=f"s:{seq}", take={"f": ["mine", "mine", "mine"]}).files

    assert step.action == "clash"
    assert contents(files) == {"f": NOW.encode()}


@pytest.mark.holds("FIL-undo-2")
def test_two_changes_of_one_file_clash_one_after_the_other(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "f", WAS)
    session = str(app.call("audit_event", _NOTE, agent).model_dump()["session_id"])
    edit(app, agent, "f", WAS.replace("1", "one"))
    (files / "f").write_text(WAS.replace("1", "one").replace("3", "three"))
    edit(app, agent, "f", WAS.replace("1", "one").replace("3", "three").replace("5", "five"))
    (files / "f").write_text("uno\n2\nthree\n4\ncinque\n")
    asked = {"of_session": session, "preview": True}

    [first] = undo(app, agent, **asked).files
    [second] = undo(app, agent, **asked, take={"f": ["theirs"]}).files
    [decided] = undo(app, agent, **asked, take={"f": ["theirs", "mine"]}).files

    assert [hunk.mine for hunk in first.hunks or []] == ["cinque\n"]
    assert (second.action, second.sides) == ("clash", ["mine", "theirs"])
    assert second.now == first.now
    assert (decided.action, decided.sha256) == ("edit", sha256("uno\n2\nthree\n4\n5\n"))


_NOTE = {"type": "note", "description": "x"}


@pytest.mark.holds("FIL-undo-2")
def test_both_cannot_be_had_of_permissions(app: Application, agent: Caller, files: Path) -> None:
    create(app, agent, "f", WAS)
    (files / "f").chmod(0o600)
    edit(app, agent, "f", WAS + "6\n")
    (files / "f").chmod(0o640)
    seq = op(app, agent, "delete", "f").seq
    (files / "f").write_text("another\n")

    shown = clash(app, agent, seq, take="both")

    assert (shown.action, shown.sides) == ("clash", ["mine", "theirs"])
    assert contents(files) == {"f": b"another\n"}


@pytest.mark.holds("FIL-undo-2")
@pytest.mark.parametrize("take", ["theirs", "both", {"f": ["mine", "theirs"]}])
def test_what_nobody_says_to_have_seen_is_shown_instead_of_decided(
    app: Application, agent: Caller, files: Path, seq: int, take: object
) -> None:
    answer = undo(app, agent, entry=f"s:{seq}", take=take)

    [step] = answer.files
    assert answer.text().startswith(f"Undid nothing of what s:{seq} changed: 1 clash")
    assert (step.action, step.now) == ("clash", sha256(NOW))
    assert [hunk.line for hunk in step.hunks or []] == [1, 5]
    assert "expected" in (step.reason or "")
    assert contents(files) == {"f": NOW.encode()}


@pytest.mark.holds("FIL-undo-2")
def test_what_stays_as_it_is_needs_not_be_seen(
    app: Application, agent: Caller, files: Path, seq: int
) -> None:
    undo(app, agent, entry=f"s:{seq}", take="mine")

    assert contents(files) == {"f": NOW.encode()}


@pytest.mark.holds("FIL-undo-2")
def test_a_preview_of_what_was_decided_says_what_would_be_lost(
    app: Application, agent: Caller, files: Path, seq: int
) -> None:
    shown = clash(app, agent, seq, take="theirs")
    undo(app, agent, entry=f"s:{seq}", take="theirs", expected={"f": shown.now})

    assert (shown.action, shown.now) == ("edit", sha256(NOW))
    assert contents(files) == {"f": WAS.encode()}


@pytest.mark.holds("FIL-undo-2")
@pytest.mark.parametrize(("take", "goes"), [("theirs", True), ("both", False)])
def test_what_is_decided_to_go_is_not_said_to_stay(
    app: Application, agent: Caller, seq: int, take: str, goes: bool
) -> None:
    [step] = undo(app, agent, entry=f"s:{seq}", take=take, preview=True).files

    away, kept = [[one.count for one in said or ()] for said in (step.takes_away, step.keeps)]
    assert (away, kept) == (([1], []) if goes else ([], [1]))


def test_a_file_that_goes_names_who_changed_it_since(
    app: Application, agent: Caller, files: Path
) -> None:
    seq = create(app, agent, "f", WAS).seq
    (files / "f").write_text(NOW)

    [step] = undo(app, agent, entry=f"s:{seq}", take="theirs", preview=True).files

    assert step.action == "delete"
    assert [one.by for one in step.takes_away or ()] == ["outside"]


@pytest.mark.holds("FIL-undo-2")
def test_what_lies_under_another_name_by_now_is_seen_there(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", WAS)
    session = str(app.call("audit_event", _NOTE, agent).model_dump()["session_id"])
    edit(app, agent, "a", WAS.replace("1", "one"))
    op(app, agent, "move", "a", to="b")
    (files / "b").write_text(NOW)
    asked = {"of_session": session, "take": "theirs"}

    [unseen] = [one for one in undo(app, agent, **asked).files if one.action == "clash"]
    (files / "b").write_text(NOW + "more\n")
    late = undo(app, agent, **asked, expected={"a": unseen.now})
    kept = contents(files)
    [again] = [one for one in late.files if one.action == "clash"]
    undo(app, agent, **asked, expected={"a": again.now})

    assert (unseen.path, unseen.now) == ("a", sha256(NOW))
    assert kept == {"b": f"{NOW}more\n".encode()}
    assert "b" not in contents(files)


def test_a_file_that_is_gone_can_come_back_unseen(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "f", WAS)
    seq = edit(app, agent, "f", NOW).seq
    (files / "f").unlink()

    undo(app, agent, entry=f"s:{seq}", take="theirs")

    assert contents(files) == {"f": WAS.encode()}


def test_a_restore_leaves_what_has_changed_since_it_was_shown(
    app: Application, agent: Caller, files: Path
) -> None:
    seq = create(app, agent, "f", WAS).seq
    edit(app, agent, "f", NOW)
    asked = {"path": "f", "point": f"s:{seq}", "to": "after"}
    [shown] = restore(app, agent, **asked, preview=True).files
    (files / "f").write_text("of a person\n")

    [left] = restore(app, agent, **asked, expected={"f": shown.now}).files
    kept = contents(files)
    answer = restore(app, agent, **asked, expected={"f": left.now})

    [done] = answer.files
    assert answer.text().startswith(f"Restored to after s:{seq}: 1 edit")
    assert (left.action, left.now) == ("clash", sha256("of a person\n"))
    assert kept == {"f": b"of a person\n"}
    assert (done.action, done.now) == ("edit", None)
    assert contents(files) == {"f": WAS.encode()}


@pytest.mark.holds("FIL-undo-4")
def test_a_move_that_cannot_be_taken_back_can_only_be_left(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "1\n")
    seq = op(app, agent, "move", "a", to="b").seq
    (files / "a").write_text("of a person\n")

    [shown, _] = undo(app, agent, entry=f"s:{seq}", preview=True).files
    left = undo(app, agent, entry=f"s:{seq}", take={"a": ["mine"]})

    assert shown.sides == ["mine"]
    assert left.counts == {"unchanged": 2}
    assert contents(files) == {"a": b"of a person\n", "b": b"1\n"}


@pytest.mark.holds("FIL-undo-4")
def test_a_side_that_is_taken_does_not_keep_a_move_that_clashes_with_nothing(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "1\n")
    seq = op(app, agent, "move", "a", to="b").seq

    undo(app, agent, entry=f"s:{seq}", take="mine")

    assert contents(files) == {"a": b"1\n"}


def test_an_unknown_side_is_refused(app: Application, agent: Caller, seq: int) -> None:
    for take in ({"f": ["neither"]}, {"f": "neither"}, "neither"):
        with pytest.raises(InvalidInput):
            undo(app, agent, entry=f"s:{seq}", take=take)


def test_both_put_apart_what_ends_without_a_line_end() -> None:
    merged = merge(b"1\n2", b"1\nmine", b"1\ntheirs", Decisions("both"))

    assert merged.content == b"1\nmine\ntheirs"
