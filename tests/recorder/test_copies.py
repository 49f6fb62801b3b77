"""A workspace is the project's, not a path's: copies go on from one another, and stay apart."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.recorder.gateway import Gateway
from hansard.recorder.history import copy_operations
from hansard.recorder.problems import FileNotFound
from tests.conftest import OpenApp, a_caller
from tests.recorder.asking import contents, create, edit, evolution, restore


def git_init(folder: Path, message: str = "first") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["commit", "-q", "--allow-empty", "-m", message],
    ):
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True)


def revisions(app: Application, caller: Caller, path: str) -> list[tuple[int, str]]:
    shown = (evolution(app, caller, path=path).revisions or [])[::-1]
    return [(one.revision, one.source) for one in shown]


def people(open_app: OpenApp, folder: Path) -> Application:
    """Open a folder with what `hansard workspace` asks."""
    asking = copy_operations.capability(Gateway(folder, store=None, redact=True))
    return open_app(workspace=str(folder), also=[asking])


@pytest.fixture
def repository(files: Path) -> Path:
    git_init(files)
    return files


@pytest.mark.holds("FIL-copy-1")
def test_a_copied_repository_goes_on_with_the_history(
    open_app: OpenApp, repository: Path, tmp_path: Path
) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", "1\n")
    edit(first, agent, "a", "1\n2\n")
    shutil.copytree(repository, tmp_path / "copy")

    second, other = open_app(workspace=str(tmp_path / "copy")), a_caller()
    changed = edit(second, other, "a", "1\n2\n3\n")

    assert revisions(second, other, "a") == [
        (1, "executed"), (2, "executed"), (3, "found"), (4, "executed"),
    ]  # fmt: skip
    assert changed.revision == 4
    why: Any = second.call("why", {"path": "a", "line": 1, "end_line": 3}, other)
    assert [one.revision for one in why.lines] == [1, 2, 4]


@pytest.mark.holds("FIL-copy-2")
def test_two_copies_in_use_are_told_apart(
    open_app: OpenApp, repository: Path, tmp_path: Path
) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", "1\n")
    shutil.copytree(repository, tmp_path / "copy")
    second, other = open_app(workspace=str(tmp_path / "copy")), a_caller()
    edit(second, other, "a", "theirs\n")
    edit(first, agent, "a", "ours\n")

    restore(second, other)

    assert contents(repository)["a"] == b"ours\n"
    assert contents(tmp_path / "copy")["a"] == b"1\n"
    assert revisions(first, agent, "a") == [(1, "executed"), (2, "executed")]


@pytest.mark.holds("FIL-copy-3")
def test_a_plain_folder_is_joined_by_command(
    open_app: OpenApp, files: Path, tmp_path: Path
) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", "1\n")
    shutil.copytree(files, tmp_path / "copy")
    second = people(open_app, tmp_path / "copy")
    looking = a_caller(seat=False)

    note = evolution(second, looking).note
    with pytest.raises(FileNotFound) as refused:
        evolution(second, looking, path="a")
    [listed] = second.call("list_workspaces", {}, looking).model_dump()["copies"]
    second.call("join_workspace", {"copy_id": listed["id"][:8]}, looking)

    command = f"hansard workspace join {listed['id'][:8]}"
    assert command in (note or "")
    assert command in refused.value.as_dict()["recovery_hint"]
    assert revisions(second, looking, "a") == [(1, "executed"), (2, "found")]


def test_another_repository_is_no_copy(open_app: OpenApp, repository: Path, tmp_path: Path) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", "1\n")
    git_init(tmp_path / "other", "another")
    (tmp_path / "other" / "a").write_text("another\n")
    second, other = open_app(workspace=str(tmp_path / "other")), a_caller()

    edit(second, other, "a", "2\n")

    assert revisions(second, other, "a") == [(1, "found"), (2, "executed")]


def test_copies_told_again_are_the_same(
    open_app: OpenApp, repository: Path, tmp_path: Path
) -> None:
    first, agent = open_app(), a_caller()
    create(first, agent, "a", "1\n")
    shutil.copytree(repository, tmp_path / "copy")
    second, other = open_app(workspace=str(tmp_path / "copy")), a_caller()
    edit(second, other, "a", "2\n")
    before = evolution(second, other, path="a").model_dump()

    second.store.rebuild(second.default_project)

    assert evolution(second, other, path="a").model_dump() == before
