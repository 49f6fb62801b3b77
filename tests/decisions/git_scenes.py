"""Repositories of decisions in tests: making them, looking at them with git, being killed."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from hansard.app import start
from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.decisions import capability as decisions
from hansard.decisions.git import decision_log
from hansard.decisions.secret import KeptSecret
from hansard.kernel.clock import Clock, utc_now
from hansard.kernel.engine import Engine, Schema
from hansard.kernel.follow import NotNow, catch_up
from hansard.sessions import capability as sessions
from tests.crash.stage import Stage
from tests.decisions.known import SECRET
from tests.decisions.parties import Party, a_party, on_one_engine

STORE = "store"
PROJECT = "default"

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Git:
    """The real git, at one repository, with no configuration but the repository's own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *self._where(), *arguments],
            env={
                "PATH": os.environ["PATH"],
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_CONFIG_NOSYSTEM": "1",
                "LC_ALL": "C.UTF-8",
            },
            capture_output=True,
            check=False,
            text=True,
        )
        assert done.returncode == 0, f"git {arguments}: {done.stderr}"
        assert "warning" not in done.stderr, done.stderr
        return done.stdout

    def ids(self, branch: str = "main") -> list[str]:
        """Name the commits, the latest first."""
        return self("rev-list", branch).split()

    def check(self) -> None:
        """Have git look for anything amiss; it says nothing where there is nothing."""
        said = self("fsck", "--strict", "--full")
        assert not [line for line in said.splitlines() if not line.startswith("dangling")], said

    def commit(self, message: str) -> str:
        """Commit in a clone, as a person would; returns the commit's id."""
        who = ("-c", "user.name=A Person", "-c", "user.email=person@example.invalid")
        self(*who, "commit", "--quiet", "--allow-empty", "--message", message)
        return self("rev-parse", "HEAD").strip()

    def _where(self) -> list[str]:
        is_bare = (self.path / "objects").exists()
        return ["--git-dir", str(self.path)] if is_bare else ["-C", str(self.path)]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Some decisions, and where they are published."""

    app: Application
    bot: Party
    space: Path

    @property
    def folder(self) -> Path:
        return self.space / "git"

    @property
    def git(self) -> Git:
        return Git(decision_log.repository_in(self.folder, PROJECT))

    def publish(self, until: int | None = None) -> int:
        return decision_log.publish(self.app.store, self.folder, PROJECT, until=until)

    def afresh(self) -> list[str]:
        """Name the commits of a repository that is made anew from the journal."""
        folder = Path(tempfile.mkdtemp(dir=self.space))
        decision_log.publish(self.app.store, folder, PROJECT)
        return Git(decision_log.repository_in(folder, PROJECT)).ids()

    def follow(self, folder: Path | None = None) -> None:
        """Let the follower work off what there is."""
        [follower] = decision_log.followers(folder or self.folder)(self.app.store)
        while catch_up(self.app.store, follower, PROJECT):
            pass


@contextmanager
def a_ledger(space: Path, clock: Clock) -> Iterator[Ledger]:
    """Open a store that is quick to write to, with three decisions in it."""
    app = open_application("memory:", on_one_engine(), clock)
    yield Ledger(app, decide(app), space)
    app.close()


def known() -> Catalog:
    """List what these tests need."""
    own = decisions.capability(secret=KeptSecret(SECRET), review_window_s=0)
    return Catalog([sessions.capability(), own])


def open_application(
    location: str | Path,
    opener: Callable[[str, Schema], Engine] = start.open_engine,
    clock: Clock = utc_now,
) -> Application:
    """Open a store whose decisions can be published."""
    return start.start(Settings(store=str(location)), opener, clock=clock, known=known())


def decide(app: Application, count: int = 3) -> Party:
    """Record decisions, the second of which supersedes the first."""
    bot = a_party(app, "agent")
    first = bot.record(target="database")
    bot.supersede(first, target="database")
    for number in range(2, count):
        bot.record(target=f"target {number}")
    return bot


def leftovers(folder: Path) -> list[str]:
    """Find what a killed process left and nobody removed."""
    patterns = ("*.lock", "tmp_object*", "*.new", "*damaged*")
    return [str(path) for pattern in patterns for path in folder.rglob(pattern)]


def decide_and_publish(stage: Stage) -> None:
    """Make a store and a repository, each in a folder that may be a disk of its own."""
    app = open_application(stage.folder / STORE)
    bot = decide(app, 2)
    decision_log.publish(app.store, stage.folder / decision_log.FOLDER, PROJECT)
    bot.supersede("D002", target="database", title="Use both")
    stage.gate("publish")
    publish_or_not_now(app, stage.folder / decision_log.FOLDER)
    stage.gate("close")
    app.close()


def publish_or_not_now(app: Application, folder: Path) -> None:
    """Publish, unless that is impossible: then it is done later, by whoever follows."""
    with suppress(NotNow):
        decision_log.publish(app.store, folder, PROJECT)


def publish(stage: Stage) -> None:
    """Bring the repository of a store up to date."""
    app = open_application(stage.folder / STORE)
    stage.gate("publish")
    publish_or_not_now(app, stage.folder / STORE / decision_log.FOLDER)
    stage.gate("close")
    app.close()
