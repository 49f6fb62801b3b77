"""undo: what was asked is taken back, whoever came after; what clashes is shown and left."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.kernel.limits import FILE_BYTES_MAX
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from hansard.recorder import limits
from hansard.recorder.going_back.answers import WentBackAnswer
from hansard.recorder.problems import FileNotFound, Irreversible
from tests.conftest import OpenApp, SteppingClock, a_caller
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
    undo,
)

LINES = "1\n2\n3\n4\n5\n"


def actions(answer: WentBackAnswer) -> dict[str, str]:
    return {step.path: step.action for step in answer.files}


def session_of(app: Application, caller: Caller) -> str:
    answer = app.call("audit_event", {"type": "note", "description": "x"}, caller)
    return str(answer.model_dump()["session_id"])


@pytest.mark.holds("FIL-undo-1")
def test_an_entry_is_undone_and_what_another_session_did_stays(
    app: Application, agent: Caller, files: Path
) -> None:
    other = a_caller()
    create(app, agent, "f", LINES)
    seq = edit(app, agent, "f", LINES.replace("1", "one")).seq
    edit(app, other, "f", LINES.replace("1", "one").replace("5", "five"))

    answer = undo(app, agent, entry=f"s:{seq}")

    assert contents(files) == {"f": b"1\n2\n3\n4\nfive\n"}
    [step] = answer.files
    assert [(one.by, one.count) for one in step.keeps or []] == [("agent:test-agent", 1)]


@pytest.mark.holds("FIL-undo-1")
@pytest.mark.parametrize("which", [0, 1, 2, "receipt"])
def test_a_batch_is_undone_as_a_whole_by_whatever_names_it(
    app: Application, agent: Caller, files: Path, which: int | str
) -> None:
    create(app, agent, "b", "b1\n")
    create(app, agent, "c", "c1\n")
    ops = [
        {"path": "a", "action": "create", "content": "a1\n"},
        {"path": "b", "action": "edit", "content": "b2\n"},
        {"path": "c", "action": "move", "to": "d"},
    ]
    answer = app.call("file_op", {"ops": ops}, agent).model_dump()
    seq = answer["receipt"]["seq"] if which == "receipt" else answer["results"][which]["seq"]

    undone = undo(app, agent, entry=f"s:{seq}")

    assert contents(files) == {"b": b"b1\n", "c": b"c1\n"}
    assert undone.counts == {"delete": 1, "edit": 1, "move": 1}


@pytest.mark.holds("FIL-undo-1")
def test_a_restore_is_undone_as_a_whole_by_its_receipt(
    app: Application, agent: Caller, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "OPS_MAX", 2)
    for path in "abcde":
        create(app, agent, path, f"{path}\n")
    before = contents(files)

    receipt = restore(app, agent).receipt
    assert receipt is not None
    undo(app, agent, entry=f"s:{receipt.seq}")

    assert contents(files) == before


@pytest.mark.holds("FIL-undo-1", "FIL-restore-9")
def test_a_step_alone_is_undone_and_a_restore_to_it_takes_all_that_came_after(
    app: Application, agent: Caller, files: Path
) -> None:
    app.call("record_plan", {"steps": ["one", "two", "three"]}, agent)
    app.call("record_step", {"index": 0}, agent)
    create(app, agent, "a", LINES)
    app.call("record_step", {"index": 1}, agent)
    edit(app, agent, "a", LINES.replace("1", "one"))
    create(app, agent, "b", "b\n")
    app.call("record_step", {"index": 2}, agent)
    edit(app, agent, "a", LINES.replace("1", "one").replace("5", "five"))
    create(app, agent, "c", "c\n")

    only = restore(app, agent, only_step=1)
    assert contents(files) == {"a": b"1\n2\n3\n4\nfive\n", "c": b"c\n"}
    named(app, agent, only.undo)
    session = session_of(app, agent)
    undo(app, agent, step=1, of_session=session)
    assert contents(files) == {"a": b"1\n2\n3\n4\nfive\n", "c": b"c\n"}
    restore(app, agent, step=1)

    assert contents(files) == {"a": LINES.encode()}


@pytest.mark.holds("FIL-undo-1")
def test_a_session_is_undone_and_the_lines_of_others_stay(
    app: Application, agent: Caller, files: Path
) -> None:
    other = a_caller()
    create(app, other, "f", LINES)
    edit(app, agent, "f", LINES.replace("1", "one"))
    (files / "f").write_text("one\n2\nof a person\n4\n5\n")
    edit(app, agent, "f", "one\n2\nof a person\n4\nfive\n")
    create(app, agent, "g", "g\n")

    undo(app, other, of_session=session_of(app, agent))

    assert contents(files) == {"f": b"1\n2\nof a person\n4\n5\n"}


@pytest.mark.holds("FIL-undo-2")
def test_a_clash_changes_nothing_and_is_shown_as_lines(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "f", LINES)
    create(app, agent, "g", "g\n")
    seq = batch(
        app, agent,
        {"path": "f", "action": "edit", "content": LINES.replace("2", "two")},
        {"path": "g", "action": "edit", "content": "G\n"},
    )[0].seq  # fmt: skip
    (files / "f").write_text(LINES.replace("2", "of a person"))

    answer = undo(app, agent, entry=f"s:{seq}")

    assert actions(answer) == {"f": "clash", "g": "edit"}
    assert answer.counts == {"clash": 1, "edit": 1}
    [hunk] = answer.files[0].hunks or []
    assert hunk.model_dump() == {
        "line": 2, "base": "two\n", "mine": "of a person\n", "theirs": "2\n",
    }  # fmt: skip
    assert contents(files) == {"f": b"1\nof a person\n3\n4\n5\n", "g": b"g\n"}


@pytest.mark.holds("FIL-undo-2")
@pytest.mark.parametrize(
    ("take", "left"),
    [("mine", b"of a person\n2\nTHREE\n"), ("theirs", b"1\n2\nTHREE\n")],
)
def test_whoever_decides_takes_a_side_of_the_clashing_lines_only(
    app: Application, agent: Caller, files: Path, take: str, left: bytes
) -> None:
    create(app, agent, "f", "1\n2\n3\n")
    seq = edit(app, agent, "f", "one\n2\n3\n").seq
    (files / "f").write_text("of a person\n2\nTHREE\n")

    [clash] = undo(app, agent, entry=f"s:{seq}", preview=True).files
    undo(app, agent, entry=f"s:{seq}", take={"f": take}, expected={"f": clash.now})

    assert contents(files) == {"f": left}


@pytest.mark.holds("FIL-undo-2")
def test_nobody_decides_against_what_he_has_not_seen(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "f", "1\n")
    seq = edit(app, agent, "f", "one\n").seq
    (files / "f").write_text("first\n")
    [clash] = undo(app, agent, entry=f"s:{seq}").files
    (files / "f").write_text("second\n")

    decided = {"take": "theirs", "expected": {"f": clash.now}}
    [again] = undo(app, agent, entry=f"s:{seq}", **decided).files

    assert again.action == "clash"
    assert contents(files) == {"f": b"second\n"}
    undo(app, agent, entry=f"s:{seq}", take="theirs", expected={"f": again.now})
    assert contents(files) == {"f": b"1\n"}


@pytest.mark.holds("FIL-undo-2")
@pytest.mark.parametrize("change", ["edit", "chmod"])
def test_a_created_file_that_somebody_changed_is_not_deleted(
    app: Application, agent: Caller, files: Path, change: str
) -> None:
    seq = create(app, agent, "f", "1\n").seq
    if change == "edit":
        (files / "f").write_text("1\nof a person\n")
    else:
        (files / "f").chmod(0o700)

    [clash] = undo(app, agent, entry=f"s:{seq}").files
    assert (clash.action, (files / "f").exists()) == ("clash", True)
    undo(app, agent, entry=f"s:{seq}", take="theirs", expected={"f": clash.now})
    assert contents(files) == {}


def test_what_is_no_text_comes_back_only_if_nobody_changed_it(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "b").write_bytes(b"\0one")
    seq = edit(app, agent, "b", "AHR3bw==", encoding="base64").seq
    (files / "b").write_bytes(b"\0three")

    assert actions(undo(app, agent, entry=f"s:{seq}")) == {"b": "clash"}
    (files / "b").write_bytes(b"\0two")
    assert actions(undo(app, agent, entry=f"s:{seq}")) == {"b": "edit"}
    assert contents(files) == {"b": b"\0one"}


@pytest.mark.holds("FIL-undo-3")
def test_an_undo_is_undone_and_that_too_as_often_as_one_likes(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "f", "1\n")
    seq = edit(app, agent, "f", "2\n").seq
    answer: WentBackAnswer = undo(app, agent, entry=f"s:{seq}")

    for text in (b"2\n", b"1\n", b"2\n", b"1\n"):
        result = named(app, agent, answer.undo)
        assert isinstance(result, WentBackAnswer)
        answer = result
        assert contents(files) == {"f": text}


@pytest.mark.holds("FIL-undo-3")
def test_what_is_undone_already_is_said_to_be_though_others_went_on(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "f", "1\n")
    seq = edit(app, agent, "f", "2\n").seq
    first = undo(app, agent, entry=f"s:{seq}")
    edit(app, agent, "f", "3\n")

    again = undo(app, agent, entry=f"s:{seq}")

    assert contents(files) == {"f": b"3\n"}
    assert again.counts == {"unchanged": 1}
    assert first.files[0].undoes == [seq]
    [item] = [item for item in timeline(app, agent, path="f") if item.seq == seq]
    assert f"s:{item.undone_by}" in (again.files[0].reason or "")


@pytest.mark.holds("FIL-undo-3")
def test_what_a_restore_took_away_stands_again_when_the_restore_is_undone(
    app: Application, agent: Caller, files: Path
) -> None:
    seq = create(app, agent, "f", "1\n").seq
    later = [edit(app, agent, "f", f"{number}\n").seq for number in (2, 3)]

    def undone() -> list[bool]:
        items = {item.seq: item.undone_by for item in timeline(app, agent, path="f")}
        return [items[one] is not None for one in later]

    answer = restore(app, agent, path="f", to="after", point=f"s:{seq}")
    assert undone() == [True, True]
    named(app, agent, answer.undo)

    assert undone() == [False, False]
    assert contents(files) == {"f": b"3\n"}


@pytest.mark.holds("FIL-undo-4")
def test_a_move_is_undone_with_what_was_written_since(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "1\n2\n3\n")
    seq = op(app, agent, "move", "a", to="d/e/b").seq
    (files / "d/e/b").write_text("1\n2\nof a person\n")

    answer = undo(app, agent, entry=f"s:{seq}")

    assert contents(files) == {"a": b"1\n2\nof a person\n"}
    assert not (files / "d").exists()
    assert answer.counts == {"move": 1}
    named(app, agent, answer.undo)
    assert contents(files) == {"d/e/b": b"1\n2\nof a person\n"}


@pytest.mark.holds("FIL-undo-4")
def test_a_move_onto_whose_old_name_somebody_put_a_file_clashes(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "1\n")
    seq = op(app, agent, "move", "a", to="b").seq
    (files / "a").write_text("of a person\n")

    answer = undo(app, agent, entry=f"s:{seq}", take="theirs")

    assert actions(answer) == {"a": "clash", "b": "skip"}
    assert contents(files) == {"a": b"of a person\n", "b": b"1\n"}


@pytest.mark.holds("FIL-undo-4")
def test_a_session_that_moved_and_edited_is_undone(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "a").write_text("1\n2\n")
    (files / "a").chmod(0o640)
    op(app, agent, "move", "a", to="b")
    edit(app, agent, "b", "1\ntwo\n")
    op(app, agent, "move", "b", to="c")

    undo(app, agent, of_session=session_of(app, agent))

    assert contents(files) == {"a": b"1\n2\n"}
    assert (files / "a").stat().st_mode & 0o777 == 0o640


@pytest.mark.holds("FIL-undo-4")
def test_permissions_that_somebody_set_since_stay_and_those_of_a_restore_go(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "run", "1\n")
    seq = edit(app, agent, "run", "2\n").seq
    (files / "run").chmod(0o755)

    undo(app, agent, entry=f"s:{seq}")

    assert contents(files) == {"run": b"1\n"}
    assert (files / "run").stat().st_mode & 0o777 == 0o755
    assert "external" in sources(app, agent, "run")


@pytest.mark.holds("FIL-undo-4", "FIL-restore-7")
def test_a_restore_brings_back_permissions_alone(
    app: Application, agent: Caller, files: Path
) -> None:
    seq = create(app, agent, "run", "1\n").seq
    mode = (files / "run").stat().st_mode & 0o777
    (files / "run").chmod(0o755)

    answer = restore(app, agent, path="run", to="after", point=f"s:{seq}")

    assert (files / "run").stat().st_mode & 0o777 == mode
    named(app, agent, answer.undo)
    assert (files / "run").stat().st_mode & 0o777 == 0o755


@pytest.mark.holds("FIL-undo-4")
def test_folders_made_on_the_way_go_and_those_of_a_person_stay(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "theirs").mkdir()
    create(app, agent, "ours/deep/a", "1\n")
    create(app, agent, "ours/deep/b", "1\n")
    create(app, agent, "theirs/c", "1\n")
    create(app, agent, "mixed/d", "1\n")
    (files / "mixed" / "of a person").touch()

    undo(app, agent, of_session=session_of(app, agent))

    assert sorted(path.name for path in files.iterdir()) == ["mixed", "theirs"]


@pytest.mark.holds("FIL-restore-7")
def test_all_that_is_about_to_go_is_recorded_before_a_restore_begins(
    app: Application, agent: Caller, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "OPS_MAX", 2)
    for path in "abcde":
        create(app, agent, path, "1\n")
        (files / path).write_text("of a person\n")

    restore(app, agent)

    kinds = [item.kind for item in timeline(app, agent)][6:]
    assert kinds == ["external_change"] * 5 + ["restore"] + ["file_delete"] * 5


@pytest.mark.holds("FIL-restore-8")
def test_a_restore_that_keeps_others_takes_back_only_what_is_its_own(
    app: Application, agent: Caller, files: Path
) -> None:
    other = a_caller()
    point = create(app, agent, "f", LINES).seq
    edit(app, agent, "f", LINES.replace("1", "one"))
    edit(app, other, "f", LINES.replace("1", "one").replace("5", "five"))
    wanted = {"to": "after", "point": f"s:{point}"}

    [shown] = restore(app, agent, **wanted, preview=True).files
    restore(app, agent, **wanted, keep_others=True)

    assert [one.count for one in shown.takes_away or []] == [1]
    assert contents(files) == {"f": b"1\n2\n3\n4\nfive\n"}


@pytest.mark.holds("FIL-restore-8")
def test_what_a_person_wrote_before_the_point_stood_then_though_nobody_had_noticed(
    app: Application, agent: Caller, files: Path, clock: SteppingClock
) -> None:
    create(app, agent, "f", "1\n")
    (files / "f").write_text("of a person\n")
    clock.now = datetime.now(UTC) + timedelta(hours=1)
    point = create(app, agent, "g", "1\n").seq
    edit(app, agent, "g", "2\n")

    restore(app, agent, to="after", point=f"s:{point}")

    assert contents(files) == {"f": b"of a person\n", "g": b"1\n"}


@pytest.mark.holds("FIL-restore-10")
@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (("restore", {"path": "typo", "point": "s:1"}), FileNotFound),
        (("restore", {"step": 9}), InvalidInput),
        (("restore", {"step": 1}), InvalidInput),
        (("restore", {"only_step": 9}), InvalidInput),
        (("restore", {"point": "s:999"}), InvalidInput),
        (("restore", {"step": 0, "point": "s:1"}), InvalidInput),
        (("undo", {"step": 9}), InvalidInput),
        (("undo", {"entry": "s:999"}), InvalidInput),
        (("undo", {"entry": "s:1"}), InvalidInput),
        (("undo", {}), InvalidInput),
    ],
)
def test_what_is_not_there_is_refused_by_name(
    app: Application,
    agent: Caller,
    files: Path,
    call: tuple[str, dict[str, object]],
    problem: type[Exception],
) -> None:
    app.call("record_plan", {"steps": ["one", "two"]}, agent)
    app.call("record_step", {"index": 0}, agent)
    create(app, agent, "a", "1\n")

    with pytest.raises(problem):
        app.call(*call, agent)

    assert contents(files) == {"a": b"1\n"}


@pytest.mark.holds("FIL-restore-10")
def test_a_preview_is_whole_in_pages(app: Application, agent: Caller, files: Path) -> None:
    for number in range(7):
        create(app, agent, f"f{number}", "1\n")

    shown, cursor = [], None
    while True:
        page = restore(app, agent, preview=True, limit=3, cursor=cursor)
        shown += [step.path for step in page.files]
        assert page.counts == {"delete": 7}
        if (cursor := page.nextCursor) is None:
            break

    assert shown == [f"f{number}" for number in range(7)]


LARGE = bytes(FILE_BYTES_MAX) + b"one more"


@pytest.mark.holds("FIL-large-1")
@pytest.mark.parametrize("open_engine", ["memory", "sqlite"], indirect=True)
def test_a_file_over_the_limit_is_moved_and_deleted_and_comes_back(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "large").write_bytes(LARGE)

    moved = op(app, agent, "move", "large", to="d/large")
    gone = op(app, agent, "delete", "d/large")
    assert contents(files) == {}
    undo(app, agent, entry=f"s:{gone.seq}")
    undo(app, agent, entry=f"s:{moved.seq}")

    assert contents(files) == {"large": LARGE}


@pytest.mark.holds("FIL-large-1", "FIL-secret-7")
def test_what_is_too_large_to_be_kept_is_refused_by_name(
    open_app: OpenApp, agent: Caller, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "KEPT_BYTES_MAX", 100)
    app = open_app()
    (files / "large").write_bytes(bytes(101))

    with pytest.raises(Irreversible):
        op(app, agent, "delete", "large")
    done = op(app, agent, "delete", "large", irreversible=True)

    assert (done.irreversible, contents(files)) == (True, {})
    [step] = undo(app, agent, entry=f"s:{done.seq}").files
    assert (step.action, "too large" in (step.reason or "")) == ("skip", True)
