"""restore: files come back byte for byte, one operation each, and go back again."""

import random
import re
import subprocess
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from hansard.recorder import limits
from hansard.recorder.problems import FileNotFound
from hansard.recorder.workspace.files import Workspace
from hansard.sessions.contract import SessionNotFound
from tests.conftest import OpenApp, a_caller
from tests.depth import deep
from tests.recorder.asking import (
    batch,
    contents,
    create,
    edit,
    evolution,
    op,
    restore,
    sources,
    timeline,
    told,
)


def seq_of(app: Application, caller: Caller) -> int:
    """Give the journal's end."""
    return app.store.read(app.default_project, lambda tx: tx.head().seq)


@pytest.mark.holds("FIL-restore-1", "FIL-restore-2")
def test_a_file_goes_back_to_before_and_after_any_point(
    app: Application, agent: Caller, files: Path
) -> None:
    seqs = [create(app, agent, "a", "0\n").seq]
    seqs += [edit(app, agent, "a", f"{number}\n").seq for number in (1, 2, 3)]

    for number, seq in enumerate(seqs):
        restore(app, agent, path="a", to="after", point=f"s:{seq}")
        assert contents(files) == {"a": f"{number}\n".encode()}
    for number, seq in enumerate(seqs[1:]):
        restore(app, agent, path="a", to="before", point=f"s:{seq}")
        assert contents(files) == {"a": f"{number}\n".encode()}
    restore(app, agent, path="a", to="before", point=f"s:{seqs[0]}")
    assert contents(files) == {}


def test_the_seq_of_a_receipt_names_the_same_operation(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    edit(app, agent, "a", "two\n")

    restore(app, agent, path="a", to="before", point=f"s:{seq_of(app, agent)}")

    assert contents(files) == {"a": b"one\n"}


@pytest.mark.holds("FIL-restore-1")
def test_a_session_is_undone_as_a_whole(app: Application, agent: Caller, files: Path) -> None:
    (files / "kept").write_text("as it was\n")
    (files / "moved").write_text("here\n")
    edit(app, agent, "kept", "changed\n")
    create(app, agent, "new", "x\n")
    op(app, agent, "move", "moved", to="elsewhere")
    op(app, agent, "delete", "elsewhere")

    answer = restore(app, agent)

    assert contents(files) == {"kept": b"as it was\n", "moved": b"here\n"}
    assert answer.counts == {"create": 1, "delete": 1, "edit": 1, "unchanged": 1}


@pytest.mark.holds("FIL-restore-1")
def test_a_plan_step_is_undone_and_the_rest_stays(
    app: Application, agent: Caller, files: Path
) -> None:
    app.call("record_plan", {"steps": ["one", "two"]}, agent)
    app.call("record_step", {"index": 0}, agent)
    create(app, agent, "a", "1\n")
    create(app, agent, "b", "1\n")
    app.call("record_step", {"index": 1}, agent)
    edit(app, agent, "b", "2\n")

    restore(app, agent, step=1)

    assert contents(files) == {"a": b"1\n", "b": b"1\n"}


@pytest.mark.holds("FIL-restore-1")
def test_a_single_operation_is_undone(app: Application, agent: Caller, files: Path) -> None:
    create(app, agent, "a", "1\n")
    seq = edit(app, agent, "a", "2\n").seq
    create(app, agent, "b", "1\n")

    restore(app, agent, entry=f"s:{seq}")

    assert contents(files) == {"a": b"1\n", "b": b"1\n"}


def test_another_session_is_undone_though_it_has_ended(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "1\n")
    ended = app.call("record_session_end", {}, agent).model_dump()["session_id"]
    later = a_caller()

    restore(app, later, of_session=ended)

    assert contents(files) == {}
    assert [kind for kind, _ in told(app, later)] == ["file_delete"]


@pytest.mark.holds("FIL-restore-3")
def test_a_preview_says_what_would_be_and_changes_nothing(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "1\n")
    create(app, agent, "b", "1\n")
    before, seq = contents(files), seq_of(app, agent)

    answer = restore(app, agent, preview=True)

    assert [(one.path, one.action) for one in answer.files] == [("a", "delete"), ("b", "delete")]
    assert (contents(files), seq_of(app, agent)) == (before, seq)
    assert answer.preview


@pytest.mark.holds("FIL-restore-5")
def test_a_restore_is_undone_by_a_restore(app: Application, agent: Caller, files: Path) -> None:
    create(app, agent, "a", "1\n")
    edit(app, agent, "a", "2\n")
    create(app, agent, "b", "1\n")
    before = contents(files)
    answer = restore(app, agent)
    assert contents(files) == {}
    [begun] = timeline(app, agent, kinds=["restore"])

    undone = restore(app, agent, entry=f"s:{begun.seq}")

    assert contents(files) == before
    assert answer.undo is not None
    assert f"s:{begun.seq}" in answer.undo
    assert undone.receipt is not None
    assert sources(app, agent, "a") == ["executed", "executed", "restored", "restored"]


@pytest.mark.holds("FIL-restore-4")
def test_one_file_that_cannot_be_restored_keeps_no_other_from_it(
    app: Application, agent: Caller, files: Path
) -> None:
    for path in "abc":
        create(app, agent, path, "1\n")
    (files / "b").unlink()
    (files / "b").mkdir()

    answer = restore(app, agent)

    assert {one.path: one.action for one in answer.files} == {
        "a": "delete", "b": "skip", "c": "delete",
    }  # fmt: skip
    assert contents(files) == {}


@pytest.mark.holds("FIL-restore-4")
def test_a_refusal_of_the_disk_is_told_of_that_file_alone(
    app: Application, agent: Caller, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in "abc":
        create(app, agent, path, "1\n")
    delete = Workspace.delete

    def deleting(workspace: Workspace, path: object, **rest: object) -> None:
        if str(path) == "b":
            (files / "b").write_text("a person's\n")
        delete(workspace, path, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Workspace, "delete", deleting)
    answer = restore(app, agent)

    assert {one.path: one.status for one in answer.files} == {
        "a": "done", "b": "aborted", "c": "done",
    }  # fmt: skip
    assert contents(files) == {"b": b"a person's\n"}


def test_what_came_from_outside_is_recorded_before_it_is_restored(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "1\n")
    (files / "a").write_text("a person's\n")

    restore(app, agent)

    assert contents(files) == {}
    assert sources(app, agent, "a") == ["executed", "external", "restored"]
    assert evolution(app, agent, path="a", revision=2).content == "a person's\n"


def test_the_mode_comes_back_with_the_content(app: Application, agent: Caller, files: Path) -> None:
    (files / "run").write_text("#!/bin/sh\n")
    (files / "run").chmod(0o755)
    op(app, agent, "delete", "run")

    restore(app, agent)

    assert (files / "run").stat().st_mode & 0o777 == 0o755


@pytest.mark.holds("FIL-workspace-2")
def test_files_of_another_workspace_are_left_alone(
    open_app: OpenApp, agent: Caller, files: Path, tmp_path: Path
) -> None:
    here = open_app()
    create(here, agent, "a", "1\n")
    (tmp_path / "elsewhere").mkdir()
    there = open_app(workspace=str(tmp_path / "elsewhere"))

    answer = restore(there, agent)

    assert [one.action for one in answer.files] == ["skip"]
    assert contents(files) == {"a": b"1\n"}


@pytest.mark.holds("FIL-restore-6")
def test_git_is_never_touched(app: Application, agent: Caller, human: Caller, files: Path) -> None:
    subprocess.run(["git", "init", "-q", files], check=True)
    create(app, agent, "a", "1\n")
    subprocess.run(["git", "-C", files, "add", "a"], check=True)
    edit(app, human, ".git/description", "a person's\n")
    before = {path: data for path, data in contents(files).items() if path.startswith(".git/")}

    for caller in (agent, human):
        restore(app, caller)

    after = {path: data for path, data in contents(files).items() if path.startswith(".git/")}
    assert after == before
    assert "a" not in contents(files)


@pytest.mark.parametrize(
    "arguments",
    [{"path": "a"}, {"path": "a", "step": 1, "point": "s:1"}, {"entry": "s:1"}, {"entry": "s:99"}],
)
def test_a_restore_must_say_what_and_to_where(
    app: Application, agent: Caller, arguments: dict[str, object]
) -> None:
    app.call("audit_event", {"type": "note", "description": "x"}, agent)

    with pytest.raises(InvalidInput):
        app.call("restore", arguments, agent)


def test_a_session_that_touched_nothing_has_nothing_to_restore(
    app: Application, agent: Caller
) -> None:
    app.call("audit_event", {"type": "note", "description": "x"}, agent)

    assert restore(app, agent).files == []


def test_more_files_than_are_locked_at_once_are_restored(
    app: Application, agent: Caller, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "OPS_MAX", 3)
    for number in range(8):
        create(app, agent, f"f{number}", "1\n")

    answer = restore(app, agent)

    assert (answer.counts, contents(files)) == ({"delete": 8}, {})
    [begun] = timeline(app, agent, kinds=["restore"])
    restore(app, agent, entry=f"s:{begun.seq}")
    assert len(contents(files)) == 8


class Author:
    """Makes random edits and remembers what every file held after each of them."""

    def __init__(self, app: Application, caller: Caller, folder: Path, seed: int) -> None:
        self.app = app
        self.caller = caller
        self.folder = folder
        self.chance = random.Random(seed)
        self.states: list[tuple[int, dict[str, str]]] = []
        self.now: dict[str, str] = {}

    def write(self, edits: int, paths: int) -> None:
        """Do that many things to that many files."""
        for number in range(edits):
            self._write_one(number, f"src/f{self.chance.randrange(paths)}.txt")

    def _write_one(self, number: int, path: str) -> None:
        text = self.now.get(path)
        if text is None:
            text = "".join(f"line {self.chance.random()}\n" for _ in range(20))
            seq = create(self.app, self.caller, path, text).seq
        elif self.chance.random() < 0.05:
            seq = op(self.app, self.caller, "delete", path).seq
            text = None
        else:
            lines = text.splitlines(keepends=True)
            lines[self.chance.randrange(len(lines))] = f"edit {number}\n"
            text = "".join(lines)
            seq = edit(self.app, self.caller, path, text).seq
        self.now = {p: t for p, t in {**self.now, path: text}.items() if t is not None}
        self.states.append((seq, self.now))

    def check(self, points: int) -> None:
        """Go to some random points and compare every byte."""
        for seq, state in self.chance.sample(self.states, points):
            restore(self.app, self.caller, to="after", point=f"s:{seq}")
            found = {path: data.decode() for path, data in contents(self.folder).items()}
            assert found == state, f"after s:{seq}"


@pytest.mark.holds("FIL-restore-2")
@pytest.mark.parametrize("open_engine", ["sqlite"], indirect=True)
def test_three_hundred_edits_come_back_at_any_point(
    app: Application, agent: Caller, files: Path
) -> None:
    author = Author(app, agent, files, seed=1)

    author.write(300, 20)

    author.check(5)


@pytest.mark.slow("makes a thousand durable edits; ten thousand with HANSARD_FAULTS=all")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("open_engine", ["sqlite"], indirect=True)
def test_thousands_of_edits_come_back_at_any_point(
    app: Application, agent: Caller, files: Path
) -> None:
    author = Author(app, agent, files, seed=2)

    author.write(deep(1_000, 10_000), 200)

    author.check(5)


def test_a_batch_is_undone_together(app: Application, agent: Caller, files: Path) -> None:
    ops = [{"path": path, "action": "create", "content": "1\n"} for path in "abc"]
    first = batch(app, agent, *ops)[0].seq

    restore(app, agent, to="before", point=f"s:{first}")

    assert contents(files) == {}


def test_the_session_of_nobody_is_not_found(app: Application, agent: Caller) -> None:
    create(app, agent, "a")

    with pytest.raises(SessionNotFound):
        restore(app, agent, of_session="nobody's")


def test_a_session_that_touched_no_file_brings_nothing_back(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a")
    app.call("audit_event", {"type": "note", "description": "Hm"}, other := a_caller())

    done = restore(app, other, preview=True)

    assert (done.counts, done.files, done.point) == ({}, [], "s:0")


def test_the_whole_workspace_goes_back_to_a_moment_whoever_changed_it(
    app: Application, agent: Caller, files: Path
) -> None:
    (files / "found").write_text("from before\n")
    create(app, agent, "src/a", "one\n")
    op(app, agent, "move", "src/a", to="src/b")
    then = seq_of(app, agent)
    before = contents(files)
    edit(app, agent, "found", "changed\n")
    other = a_caller()
    edit(app, other, "src/b", "two\n")
    op(app, other, "move", "src/b", to="lib/b")
    create(app, other, "new", "x\n")

    looked = restore(app, agent, path=".", point=f"s:{then}", to="after", preview=True)
    answer = restore(app, agent, path=".", point=f"s:{then}", to="after")

    assert {one.path for one in looked.files} == {"found", "src/b", "lib/b", "new"}
    assert {one.by for file in looked.files for one in file.takes_away or ()} == {
        "agent:test-agent"
    }
    assert contents(files) == before
    [begun] = re.findall(r"s:\d+", answer.undo or "")[:1]
    restore(app, agent, entry=begun)
    assert contents(files) == {"found": b"changed\n", "lib/b": b"two\n", "new": b"x\n"}


def test_a_folder_goes_back_and_nothing_beside_it(
    app: Application, agent: Caller, files: Path
) -> None:
    for path in ("src/a", "src/deep/b", "srcs", "other"):
        create(app, agent, path, "one\n")
    then = seq_of(app, agent)
    for path in ("src/a", "src/deep/b", "srcs", "other"):
        edit(app, agent, path, "two\n")

    restore(app, agent, path="src/", point=f"s:{then}", to="after")

    assert contents(files) == {
        "src/a": b"one\n", "src/deep/b": b"one\n", "srcs": b"two\n", "other": b"two\n",
    }  # fmt: skip
    assert restore(app, agent, path="src/", point=f"s:{seq_of(app, agent)}", to="after").files == []
    with pytest.raises(FileNotFound):
        restore(app, agent, path="nowhere/", point=f"s:{then}")
    with pytest.raises(InvalidInput):
        restore(app, agent, path=".")
