"""Commits of the user's own repository as evidence."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pygit2
import pytest
from pygit2.enums import FileMode

from hansard.app import start
from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.decisions.git import history
from hansard.decisions.git.commits import PATHS_MAX
from hansard.decisions.git.history import COMMIT_WORDS, COMMITS
from hansard.kernel.engine import Row
from hansard.kernel.operation import Capability
from hansard.kernel.problem import InvalidInput
from hansard.sessions import capability as sessions
from tests.conftest import SteppingClock, a_caller
from tests.decisions.git_scenes import PROJECT, Git, needs_git
from tests.decisions.parties import OpenEngine, on_one_engine
from tests.records.chats import Chat, Json

pytestmark = needs_git


@contextmanager
def opened(opener: OpenEngine, clock: SteppingClock, files: Path) -> Iterator[Application]:
    """Open a Hansard that knows how to read the repositories in a workspace."""
    capability = Capability(
        "history",
        history.operations(files),
        (history.CommitsIndexed,),
        (history.VIEW,),
    )
    known = Catalog([sessions.capability(), capability])
    app = start.start(Settings(), opener, clock=clock, known=known)
    yield app
    app.close()


@pytest.fixture
def app(clock: SteppingClock, files: Path) -> Iterator[Application]:
    with opened(on_one_engine(), clock, files) as app:
        yield app


@pytest.fixture
def chat(app: Application) -> Chat:
    return Chat(app, a_caller())


@pytest.fixture
def work(files: Path) -> Git:
    """A repository in the workspace, with three commits."""
    repository = files / "project"
    repository.mkdir()
    git = Git(repository)
    git("init", "--quiet", "--initial-branch", "main")
    for number, message in enumerate(["Begin", "Add the ledger\n\nAs decided.", "Fix rounding"]):
        write(git, f"src/file{number}.py", message)
        git.commit(message)
    return git


def write(git: Git, name: str, text: str) -> None:
    path = git.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    git("add", "--all")


def sync(chat: Chat, path: str = "project", **more: object) -> Json:
    answer = chat.ask("sync_git_history", repo_path=path, **more)
    answer.pop("session_id", None)
    answer.pop("receipt", None)
    return answer


def rows(app: Application) -> dict[str, Row]:
    found = app.store.read(PROJECT, lambda tx: tx.scan(COMMITS, order="at", limit=1_000))
    return {one.key: one.row for one in found}


def found(app: Application, query: str) -> list[str]:
    return [
        hit.key
        for hit in app.store.read(PROJECT, lambda tx: tx.search(COMMIT_WORDS, query, limit=9))
    ]


def test_commits_are_indexed_with_what_they_touched(
    app: Application, chat: Chat, work: Git
) -> None:
    ids = work.ids("HEAD")

    assert sync(chat) == {"indexed": 3, "known": 0, "head": ids[0]}

    row = rows(app)[ids[1]]
    assert (row["subject"], row["author"], row["paths"]) == (
        "Add the ledger", "A Person", ["src/file1.py"],
    )  # fmt: skip
    assert rows(app)[ids[2]]["paths"] == ["src/file0.py"]
    assert row["repository"] == "project"
    assert found(app, "ledger") == [ids[1]]
    assert found(app, "file2") == [ids[0]]


def test_a_second_sync_adds_only_what_is_new(app: Application, chat: Chat, work: Git) -> None:
    sync(chat)
    before = app.store.engine.heads()[PROJECT].seq
    assert sync(chat)["indexed"] == 0
    assert app.store.engine.heads()[PROJECT].seq == before

    newest = work.commit("One more")

    assert sync(chat) == {"indexed": 1, "known": 3, "head": newest}
    assert len(rows(app)) == 4


def test_the_limit_counts_from_the_latest(app: Application, chat: Chat, work: Git) -> None:
    ids = work.ids("HEAD")

    assert sync(chat, limit=2)["indexed"] == 2
    assert set(rows(app)) == set(ids[:2])


def test_commits_are_found_on_every_engine_and_rebuilt_as_they_were(
    open_engine: OpenEngine, clock: SteppingClock, files: Path, work: Git
) -> None:
    with opened(open_engine, clock, files) as app:
        sync(Chat(app, a_caller()))
        before = rows(app)

        app.store.rebuild(PROJECT)

        assert rows(app) == before
        assert found(app, "ledger") == [work.ids("HEAD")[1]]


def test_merges_moves_deletions_and_many_files(app: Application, chat: Chat, work: Git) -> None:
    work("checkout", "--quiet", "-b", "side", "HEAD~1")
    work("rm", "--quiet", "src/file0.py")
    gone = work.commit("Remove it")
    work("checkout", "--quiet", "main")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.invalid")
    work(*who, "merge", "--quiet", "--no-ff", "side", "--message", "Merge")
    for number in range(PATHS_MAX + 5):
        write(work, f"many/{number:03d}", "x")
    many = work.commit("Many")

    sync(chat)

    kept = rows(app)
    assert kept[gone]["paths"] == ["src/file0.py"]
    assert kept[work.ids("HEAD")[1]]["paths"] == []
    assert (len(kept[many]["paths"]), kept[many]["has_more_paths"]) == (PATHS_MAX, True)


def test_a_bare_and_a_shallow_and_an_empty_repository_can_be_read(
    chat: Chat, work: Git, files: Path
) -> None:
    work("clone", "--quiet", "--bare", str(work.path), str(files / "bare.git"))
    work("clone", "--quiet", "--depth", "1", f"file://{work.path}", str(files / "shallow"))
    work("init", "--quiet", str(files / "empty"))

    assert sync(chat, "shallow")["indexed"] == 1
    assert sync(chat, "bare.git") == {"indexed": 2, "known": 1, "head": work.ids("HEAD")[0]}
    assert sync(chat, "empty") == {"indexed": 0, "known": 0}
    assert sync(chat, str(files / "project"))["known"] == 3


def test_what_is_outside_the_workspace_is_not_read(
    chat: Chat, work: Git, files: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    work("clone", "--quiet", str(work.path), str(outside))
    Git(outside)("worktree", "add", "--quiet", str(files / "worktree"), "-b", "other")
    work("clone", "--quiet", "--shared", str(outside), str(files / "shared"))
    (files / "link").symlink_to(outside)
    (files / "inside").mkdir()
    (files / "inside" / ".git").write_text(f"gitdir: {outside}/.git\n")

    for path in ("../outside", str(outside), "link", "inside", "worktree", "shared"):
        with pytest.raises(InvalidInput) as refused:
            sync(chat, path)
        assert str(tmp_path) not in refused.value.message


@pytest.mark.parametrize(
    "path", ["nowhere", "project/src", "", "x" * 1_000, "a\nb", "project/.git/x"]
)
def test_what_is_no_repository_is_refused(path: str, chat: Chat, work: Git) -> None:
    with pytest.raises(InvalidInput):
        sync(chat, path)


@pytest.mark.parametrize("keep", [0, 3, 20, -4])
@pytest.mark.parametrize("name", ["HEAD", "HEAD~1", "HEAD~1^{tree}", "HEAD~1:src"])
def test_a_damaged_repository_is_refused_and_holds_nobody_up(
    name: str, keep: int, chat: Chat, work: Git
) -> None:
    found = work("rev-parse", name).strip()
    path = work.path / ".git" / "objects" / found[:2] / found[2:]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:keep])

    with pytest.raises(InvalidInput):
        sync(chat)


def test_nothing_that_a_repository_configures_is_run(
    chat: Chat, work: Git, files: Path, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {trap}\n")
    script.chmod(0o755)
    for name in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "filter.x.clean",
        "core.sshCommand",
    ):
        work("config", name, str(script))
    (work.path / ".gitattributes").write_text("* filter=x diff=x\n")
    for hook in ("post-checkout", "pre-commit", "reference-transaction"):
        os.link(script, work.path / ".git" / "hooks" / hook)

    assert sync(chat)["indexed"] == 3
    assert not trap.exists()


def test_trees_without_end_hold_nobody_up(app: Application, chat: Chat, files: Path) -> None:
    repo = pygit2.init_repository(str(files / "bomb"), bare=True)
    tree = repo.TreeBuilder().write()
    for _ in range(50):
        builder = repo.TreeBuilder()
        for number in range(10):
            builder.insert(str(number), tree, FileMode.TREE)
        tree = builder.write()
    who = pygit2.Signature("x", "x", 1, 0)
    head = repo.create_commit("HEAD", who, who, "Bomb", tree, [])

    assert sync(chat, "bomb")["indexed"] == 1
    assert rows(app)[str(head)]["paths"] == []


def test_hostile_commits_are_kept_as_text(app: Application, chat: Chat, work: Git) -> None:
    who = ("-c", "user.email=x", "-c", "i18n.commitEncoding=latin1")
    message = '--amend AND "OR" <script>\n---\nSigned-off-by: é'
    late = ("--date", "@99999999999 +0000")
    work(*who, "-c", "user.name=<b>né", "commit", "--quiet", "--allow-empty", *late, "-m", message)
    head = work.ids("HEAD")[0]

    sync(chat)

    row = rows(app)[head]
    assert row["subject"] == '--amend AND "OR" <script>'
    assert row["author"].startswith("bn") or row["author"].startswith("b>n")
    assert found(app, "script") == [head]
