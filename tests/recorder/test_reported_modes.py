"""Permissions of files that others change: only what was seen of them is ever given back."""

from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.blob import digest_of
from hansard.kernel.operation import Caller
from hansard.kernel.problem import StorageUnavailable
from hansard.recorder.events import FileReported
from hansard.recorder.workspace.files import Workspace
from tests.conftest import a_caller
from tests.recorder.asking import contents, create, edit, evolution, sha256, told, undo


def call(app: Application, caller: Caller, name: str, **asked: Any) -> Any:
    return app.call(name, asked, caller)


def mode(files: Path, name: str) -> str:
    return f"{(files / name).stat().st_mode & 0o777:04o}"


def moved(app: Application, agent: Caller, files: Path, then: int = 0o755, **asked: Any) -> str:
    """Move `a` to `b` with permissions of its own, and report that; names the entry."""
    (files / "a").rename(files / "b")
    (files / "b").chmod(then)
    answer = call(app, agent, "record_file_move", path="a", to="b", old_content="one\n", **asked)
    return f"s:{answer.receipt.seq}"


def test_a_move_that_gave_other_permissions_is_undone_as_a_move(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    entry = moved(app, agent, files, old_mode="0644", mode="0755")
    others = edit(app, a_caller(), "b", "one\nby another\n")

    [step] = undo(app, agent, entry=entry).files

    assert (step.action, step.to, step.mode) == ("move", "a", "0644")
    assert contents(files) == {"a": b"one\nby another\n"}
    assert mode(files, "a") == "0644"
    seen = evolution(app, agent, path="a").revisions or []
    assert [one.action for one in seen][::-1] == ["create", "move", "edit", "move"]
    why = call(app, agent, "why", path="a", line=2)
    assert [one.seq for one in why.lines] == [others.seq]


def test_the_undo_of_such_a_move_can_itself_be_undone(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    back = undo(app, agent, entry=moved(app, agent, files, old_mode="0644", mode="0755"))

    undo(app, agent, entry=f"s:{back.receipt.seq if back.receipt else 0}")

    assert contents(files) == {"b": b"one\n"}
    assert mode(files, "b") == "0755"


@pytest.mark.parametrize("there", ["0600", "0755"])
def test_a_move_leaves_permissions_that_nobody_saw_before_it(
    app: Application, agent: Caller, files: Path, there: str
) -> None:
    """As it is told by older programs too: what was last recorded is not what was there."""
    create(app, agent, "a", "one\n")
    entry = moved(app, agent, files, int(there, 8))

    undo(app, agent, entry=entry)

    assert contents(files) == {"a": b"one\n"}
    assert mode(files, "a") == there


def test_permissions_that_a_person_gave_before_a_move_come_back_and_are_theirs(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    entry = moved(app, agent, files, old_mode="0600", mode="0755")

    undo(app, agent, entry=entry)

    assert mode(files, "a") == "0600"
    assert [kind for kind, _ in told(app, agent)][:3] == [
        "file_create",
        "external_change",
        "file_move",
    ]


def test_permissions_that_a_person_gives_after_a_move_are_not_the_moves(
    app: Application, agent: Caller, files: Path
) -> None:
    """Though they are there already when the move is told."""
    create(app, agent, "a", "one\n")
    (files / "a").rename(files / "b")
    (files / "b").chmod(0o600)
    asked = {"path": "a", "to": "b", "old_mode": "0644", "mode": "0644"}
    moved = call(app, agent, "record_file_move", **asked)

    undo(app, agent, entry=f"s:{moved.receipt.seq}")

    assert mode(files, "a") == "0600"


def test_an_edit_leaves_permissions_that_nobody_saw_before_it(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    (files / "a").chmod(0o600)
    (files / "a").write_text("two\n")
    asked = {"path": "a", "content": "two\n", "old_content": "one\n"}
    reported = call(app, agent, "record_file_edit", **asked)

    undo(app, agent, entry=f"s:{reported.receipt.seq}")

    assert contents(files) == {"a": b"one\n"}
    assert mode(files, "a") == "0600"


def test_an_edit_gives_back_permissions_that_were_seen_before_it(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "one\n")
    (files / "a").write_text("two\n")
    (files / "a").chmod(0o755)
    asked = {"path": "a", "content": "two\n", "old_mode": "0640", "mode": "0755"}
    reported = call(app, agent, "record_file_edit", **asked)

    undo(app, agent, entry=f"s:{reported.receipt.seq}")

    assert contents(files) == {"a": b"one\n"}
    assert mode(files, "a") == "0640"


@pytest.mark.parametrize("is_known", [True, False])
def test_a_deleted_file_comes_back_with_the_permissions_that_were_seen(
    app: Application, agent: Caller, files: Path, is_known: bool
) -> None:
    if is_known:
        create(app, agent, "a", "one\n")
        (files / "a").unlink()
    asked = {"path": "a", "old_content": "one\n", "old_mode": "0600"}
    reported = call(app, agent, "record_file_delete", **asked)

    undo(app, agent, entry=f"s:{reported.receipt.seq}")

    assert contents(files) == {"a": b"one\n"}
    assert mode(files, "a") == "0600"


def test_a_report_that_says_nothing_of_permissions_reads_as_it_always_did() -> None:
    ref = {"blob": sha256("one\n"), "size": 4, "mode": 0o644}
    told: dict[str, Any] = {
        "workspace": "w",
        "path": "a",
        "action": "move",
        "before": ref,
        "after": ref,
    }
    told |= {"added": 0, "removed": 0, "revision": None, "step": None, "cites": [], "to": "b"}

    assert FileReported.model_validate(told).model_dump(mode="json") == told


def test_a_move_that_is_not_made_leaves_the_permissions(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("one\n")
    (tmp_path / "b").chmod(0o755)

    def refuse() -> None:
        assert (tmp_path / "b").stat().st_mode & 0o777 == 0o644
        raise StorageUnavailable("not now")

    with Workspace(tmp_path, owner="me") as workspace:
        path, to = (workspace.resolve(one, for_agent=True) for one in "ba")
        with pytest.raises(StorageUnavailable):
            workspace.move(path, to, expect=digest_of(b"one\n"), mode=0o644, may=refuse)

    assert contents(tmp_path) == {"b": b"one\n"}
    assert mode(tmp_path, "b") == "0755"
