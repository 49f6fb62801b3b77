"""Going back in a copy: to before it was one, and never into what another copy has done since."""

import shutil
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from hansard.recorder.going_back.answers import WentBackAnswer
from hansard.recorder.problems import FileNotFound
from tests.conftest import OpenApp, a_caller
from tests.recorder.asking import contents, create, edit, named, restore, undo
from tests.recorder.test_copies import git_init


class Copied:
    """A repository in which an agent worked, and a copy of it that nobody has written in yet."""

    def __init__(self, open_app: OpenApp, files: Path, copy: Path) -> None:
        self.first, self.agent = open_app(), a_caller()
        self.created = create(self.first, self.agent, "a", "1\n2\n3\n").seq
        self.edited = edit(self.first, self.agent, "a", "one\n2\n3\n").seq
        self.by_another = edit(self.first, a_caller(), "a", "one\n2\nthree\n").seq
        self.folder = copy
        shutil.copytree(files, copy)
        self.second, self.other = open_app(workspace=str(copy)), a_caller()

    def entries(self) -> int:
        """Count what is recorded in the project."""
        project = self.second.default_project
        return self.second.store.engine.heads()[project].seq

    def held(self) -> bytes:
        """Read the file in the copy."""
        return contents(self.folder)["a"]


@pytest.fixture
def copied(open_app: OpenApp, files: Path, tmp_path: Path) -> Copied:
    git_init(files)
    return Copied(open_app, files, tmp_path / "copy")


def by_whom(answer: WentBackAnswer) -> list[tuple[str, int]]:
    return [
        (one.by, one.count)
        for step in answer.files
        for one in (*(step.takes_away or ()), *(step.keeps or ()))
    ]


@pytest.mark.holds("FIL-copy-4")
@pytest.mark.parametrize("has_written", [False, True], ids=["at-once", "later"])
def test_a_copy_goes_back_to_before_it_was_one(copied: Copied, *, has_written: bool) -> None:
    if has_written:
        edit(copied.second, copied.other, "a", "one\n2\nthree\n4\n")
    asked = {"path": "a", "point": f"s:{copied.created}", "to": "after"}

    shown = restore(copied.second, copied.other, **asked, preview=True)
    done = restore(copied.second, copied.other, **asked)
    back = copied.held()
    named(copied.second, copied.other, done.undo)

    assert by_whom(shown) == by_whom(done) == [("agent:test-agent", 1)] * 2
    assert back == b"1\n2\n3\n"
    assert copied.held() == b"one\n2\nthree\n" + (b"4\n" if has_written else b"")


@pytest.mark.holds("FIL-copy-4")
def test_what_was_changed_before_there_was_a_copy_is_undone_in_it(copied: Copied) -> None:
    answer = undo(copied.second, copied.other, entry=f"s:{copied.edited}")

    assert copied.held() == b"1\n2\nthree\n"
    assert by_whom(answer) == [("agent:test-agent", 1)]
    again = undo(copied.second, copied.other, entry=f"s:{copied.edited}")
    assert again.counts == {"unchanged": 1}
    assert undo(copied.first, copied.agent, entry=f"s:{copied.edited}").counts == {"edit": 1}


@pytest.mark.holds("FIL-copy-4")
def test_a_session_from_before_there_was_a_copy_goes_back_in_it(copied: Copied) -> None:
    session = copied.first.call("audit_event", NOTE, copied.agent).model_dump()["session_id"]

    restore(copied.second, copied.other, of_session=session)

    assert contents(copied.folder).get("a") is None


NOTE = {"type": "note", "description": "x"}


@pytest.mark.holds("FIL-copy-4")
def test_what_was_taken_back_before_there_was_a_copy_is_not_taken_back_again(
    open_app: OpenApp, files: Path, tmp_path: Path
) -> None:
    git_init(files)
    first, agent = open_app(), a_caller()
    create(first, agent, "a", "1\n")
    seq = edit(first, agent, "a", "one\n").seq
    undo(first, agent, entry=f"s:{seq}")
    shutil.copytree(files, tmp_path / "copy")
    second = open_app(workspace=str(tmp_path / "copy"))

    answer = undo(second, a_caller(), entry=f"s:{seq}", preview=True)

    [step] = answer.files
    assert (step.action, answer.counts) == ("none", {"unchanged": 1})
    assert step.reason


@pytest.mark.holds("FIL-copy-2")
def test_what_another_copy_has_done_since_is_left_to_it(copied: Copied) -> None:
    edit(copied.second, copied.other, "a", "one\n2\nthree\n4\n")
    later = edit(copied.first, copied.agent, "a", "one\ntwo\nthree\n").seq

    undone = undo(copied.second, copied.other, entry=f"s:{later}")
    restored = restore(copied.second, copied.other, entry=f"s:{later}")

    assert undone.counts == restored.counts == {"skipped": 1}
    assert copied.held() == b"one\n2\nthree\n4\n"


@pytest.mark.holds("FIL-copy-5")
def test_a_look_and_a_refusal_leave_nothing_in_a_copy(copied: Copied) -> None:
    app, other = copied.second, a_caller(seat=False)
    before = copied.entries()

    undo(app, other, entry=f"s:{copied.edited}", preview=True)
    restore(app, other, path="a", point=f"s:{copied.created}", preview=True)
    for ask, asked in (
        (undo, {"entry": "s:9999"}),
        (undo, {"entry": f"s:{copied.edited}", "paths": ["b"]}),
        (restore, {"entry": "s:9999"}),
        (restore, {"path": "b", "point": "s:1"}),
    ):
        with pytest.raises((InvalidInput, FileNotFound)):
            ask(app, other, **asked)

    assert copied.entries() == before


@pytest.mark.holds("FIL-copy-4")
def test_a_copy_of_a_copy_goes_back_to_the_first(
    copied: Copied, open_app: OpenApp, tmp_path: Path
) -> None:
    edit(copied.second, copied.other, "a", "one\n2\nthree\n4\n")
    shutil.copytree(copied.folder, tmp_path / "third")
    third, agent = open_app(workspace=str(tmp_path / "third")), a_caller()
    edit(third, agent, "a", "of the third\n")

    restore(third, agent, path="a", point=f"s:{copied.edited}", to="after")

    assert contents(tmp_path / "third")["a"] == b"one\n2\n3\n"


def test_a_refused_first_undo_leaves_nothing(app: Application, agent: Caller, files: Path) -> None:
    git_init(files)
    app.call("audit_event", NOTE, agent)
    before = app.store.engine.heads()

    for asked in ({"entry": "s:1"}, {"step": 0}, {"of_session": "nobody"}):
        with pytest.raises(Exception) as refused:  # noqa: PT011 - each has a code of its own
            undo(app, agent, **asked)
        assert getattr(refused.value, "code", None)

    assert app.store.engine.heads() == before
