"""What a shell did in a work tree that lies within the project's own is seen, and goes back."""

import os
from pathlib import Path

import pytest

from hansard.hooks import folder_snapshot
from tests.hooks.hosting import Host
from tests.hooks.test_rewinding import ask, changed, hansard_in, host, shell
from tests.hooks.test_samples import git

__all__ = ["host"]

PLACE = "within"


def committed(folder: Path) -> None:
    """Make a repository with one file."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    (folder / "in.txt").write_text("in\n")
    git(folder, "add", "in.txt")
    git(folder, "commit", "-qm", "first")


def lay(host: Host, kind: str) -> Path:
    """Have another work tree within the project's."""
    committed(host.folder)
    inner = host.folder / PLACE
    if kind == "repository":
        committed(inner)
    elif kind == "submodule":
        source = host.folder.parent / "source"
        committed(source)
        git(
            host.folder,
            *("-c", "protocol.file.allow=always", "submodule", "add", "-q"),
            str(source),
            PLACE,
        )
        git(host.folder, "commit", "-qm", "second")
    else:
        (host.folder / ".gitignore").write_text(f"/{PLACE}\n")
        git(host.folder, "worktree", "add", "-q", PLACE)
    return inner


@pytest.mark.parametrize("kind", ["repository", "submodule", "worktree"])
def test_a_change_in_a_work_tree_within_is_recorded_and_undone(host: Host, kind: str) -> None:
    inner = lay(host, kind)
    root = {"CLAUDE_PROJECT_DIR": str(host.folder)}
    host.environment |= root

    ask(host, "first")
    shell(host, "echo more >> in.txt; echo new > new.txt; git commit -qam x || true", cwd=inner)
    told = changed(host)
    done = hansard_in(host, "undo", "--prompt", "last", "--yes")

    assert sorted(told) == [("file_create", f"{PLACE}/new.txt"), ("file_edit", f"{PLACE}/in.txt")]
    assert done.code == 0, done
    assert (inner / "in.txt").read_text() == "in\n"
    assert not (inner / "new.txt").exists()


def test_a_repository_that_a_command_fetched_is_not_recorded_but_what_it_changed_there_is(
    host: Host,
) -> None:
    committed(host.folder)
    source = host.folder.parent / "source"
    committed(source)

    shell(host, f"git clone -q {source} {PLACE}; echo more >> {PLACE}/in.txt")

    assert changed(host) == [("file_create", f"{PLACE}/in.txt")]


def test_a_repository_within_has_no_program_of_its_own_run_by_a_look(host: Host) -> None:
    inner = lay(host, "repository")
    (inner / ".gitattributes").write_text("* filter=own\n")
    ran = host.folder.parent / "ran"
    for name in ("clean", "smudge"):
        git(inner, "config", f"filter.own.{name}", f"touch {ran}; cat")
    git(inner, "config", "filter.own.required", "true")
    os.utime(inner / "in.txt", (1, 1))

    seen = folder_snapshot.look(str(host.folder), str(inner))
    (inner / "in.txt").write_text("more\n")
    told, _ = folder_snapshot.changes(str(host.folder), seen, str(inner))

    assert not ran.exists()
    assert [one["path"] for one in told] == [f"{PLACE}/in.txt"]
    assert told[0]["was"] == {"text": "in\n"}
