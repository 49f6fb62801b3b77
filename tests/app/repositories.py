"""Real Git repositories for tests: made, committed to and cloned by Git itself."""

import os
import subprocess
from itertools import count
from pathlib import Path

_NUMBER = count(1)

ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_ALLOW_PROTOCOL": "file",
}


def git(folder: Path, *arguments: str) -> str:
    """Run Git in a folder, whatever the machine's own settings are."""
    environment = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
    done = subprocess.run(
        ["git", "-c", "init.defaultBranch=main", *arguments],
        cwd=folder,
        env=environment | ENVIRONMENT,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def commit(folder: Path, message: str = "Go on") -> str:
    """Commit something new; gives the commit's id."""
    git(folder, "commit", "--quiet", "--allow-empty", "-m", f"{message} {next(_NUMBER)}")
    return git(folder, "rev-parse", "HEAD")


def repository(folder: Path, *, commits: int = 1) -> Path:
    """Make a repository, unlike any other once it has a commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    for _ in range(commits):
        commit(folder, str(folder))
    return folder


def clone(source: Path, target: Path, *options: str) -> Path:
    """Clone a repository as over a network."""
    git(source, "clone", "--quiet", *options, source.as_uri(), str(target))
    return target
