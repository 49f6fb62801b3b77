"""A look at a project's files before a shell command and after it, and what is different.

In a Git work tree Git says what differs from what was committed, and only that is kept: what is as
committed can be had from Git. Elsewhere the files are listed, and small ones kept. Both within
limits of time, number and size; beyond them nothing is guessed.
"""

import os
import stat
import time
from collections.abc import Iterator
from typing import Any

from hansard.hooks import files

LOOK_S = 1.5
"""A host waits for this: whatever takes longer is not looked at."""

LISTED_MAX = 20_000
"""Files that are listed outside Git."""

CHANGED_MAX = 200
"""Files of one command that are recorded; of more it is said how many."""

KEPT_FILE_BYTES_MAX = 1024 * 1024
KEPT_BYTES_MAX = 16 * 1024 * 1024
"""What one look keeps of what files hold."""

LEFT_OUT = frozenset(
    (
        *(".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache"),
        *(".pytest_cache", ".ruff_cache", ".tox", ".cache", "target", "dist", "build", ".next"),
    )
)
"""Folders that are not looked into outside Git."""

Look = dict[str, Any]
"""`git`: the commit that was checked out, empty if none, absent outside Git. `files`: by path what
tells one state of a file from another, and what it holds, if that is kept."""


class TooMuchError(Exception):
    """There is more to look at than a host can be kept waiting for."""


def look(root: str) -> Look:
    """Look at what there is, before a command."""
    until = time.monotonic() + LOOK_S
    found = _git_state(root, until)
    head, paths = found or (None, list(_listed(root, until)))
    room = KEPT_BYTES_MAX
    seen: dict[str, Any] = {}
    for path in paths:
        mark = _mark(root, path)
        if mark is None:
            continue
        kept = None
        if mark[1] <= min(KEPT_FILE_BYTES_MAX, room):
            kept = _content(root, path)
            room -= mark[1]
        if time.monotonic() > until:
            raise TooMuchError
        seen[path] = [mark, kept]
    return {"files": seen} | ({} if head is None else {"git": head})


def changes(root: str, before: Look) -> tuple[list[dict[str, Any]], int]:
    """Say what is other than it was: by file what it holds and held; and how many more there are.

    A file whose `was` is absent held something that nobody kept.
    """
    until = time.monotonic() + LOOK_S
    known: dict[str, Any] = before["files"]
    found = _git_state(root, until) if "git" in before else None
    listed = found[1] if found else _listed(root, until)
    paths = dict.fromkeys([*known, *listed])
    if found and found[0] != before["git"]:
        paths |= dict.fromkeys(_between(root, before["git"], found[0], until))
    changed: list[dict[str, Any]] = []
    more = 0
    for path in paths:
        # Outside Git, what was not listed was not there; in Git, it was as committed.
        is_same = "git" not in before and _mark(root, path) is None
        if path in known:
            is_same = _mark(root, path) == known[path][0]
        if is_same:
            continue
        if len(changed) == CHANGED_MAX:
            more += 1
            continue
        if one := _changed(root, path, known, before.get("git"), until):
            changed.append(one)
    return changed, more


def _changed(
    root: str, path: str, known: dict[str, Any], head: str | None, until: float
) -> dict[str, Any] | None:
    """Say what became of one file; `None` if it holds what it held, or cannot be read."""
    try:
        now = files.read(root, path)
    except OSError:
        return None
    one: dict[str, Any] = {"path": path, "now": files.as_content(now[0]) if now else None}
    if path in known:
        if known[path][1] is not None:
            one["was"] = known[path][1]
    elif head is None:
        one["was"] = None
    elif (was := _committed(root, head, path, until)) is not None:
        one["was"] = files.as_content(was[0]) if was else None
    if "was" not in one:
        return one
    return None if one["was"] == one["now"] else one


def _content(root: str, path: str) -> files.Content | None:
    try:
        found = files.read(root, path)
    except OSError:
        return None
    return files.as_content(found[0]) if found else None


def _mark(root: str, path: str) -> list[int] | None:
    """Give what tells one state of a file from another; `None` if there is no plain file."""
    try:
        found = os.lstat(os.path.join(root, path))
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return [found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode]


def _listed(root: str, until: float) -> Iterator[str]:
    """List the plain files of a folder that is in no Git work tree."""
    count = 0
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(os.path.join(root, folder)), key=lambda one: one.name)
        except OSError:
            continue
        for entry in entries:
            path = os.path.join(folder, entry.name)
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in LEFT_OUT:
                    waiting.append(path)
            elif entry.is_file(follow_symlinks=False):
                count += 1
                yield path
        if count > LISTED_MAX or time.monotonic() > until:
            raise TooMuchError


def _git_state(root: str, until: float) -> tuple[str, list[str]] | None:
    """Give the commit that is checked out and the files that are not as committed."""
    prefix = _git(root, until, "rev-parse", "--show-prefix")
    if prefix is None:
        return None
    below = prefix.decode(errors="surrogateescape").rstrip("\n")
    said = _git(
        *(root, until, "status", "--porcelain=v2", "--branch", "-z", "--no-renames"),
        *("--untracked-files=all", "--ignore-submodules=all", "--", "."),
    )
    if said is None:
        raise TooMuchError
    head, paths = "", []
    for line in said.decode(errors="surrogateescape").split("\0"):
        if line.startswith("# branch.oid "):
            oid = line.removeprefix("# branch.oid ")
            head = "" if oid == "(initial)" else oid
        elif path := _status_path(line):
            paths.append(path.removeprefix(below))
        if len(paths) > LISTED_MAX:
            raise TooMuchError
    return head, paths


def _status_path(line: str) -> str | None:
    """Give the path of a line of Git's status, if it has one."""
    fields = {"1": 8, "u": 10, "?": 1}.get(line[:1])
    parts = line.split(" ", fields) if fields else []
    return parts[-1] if fields and len(parts) > fields else None


def _between(root: str, old: str, new: str, until: float) -> list[str]:
    """List the files that differ between two commits."""
    if not old or not new:
        return []
    said = _git(
        *(root, until, "diff", "--name-only", "--relative", "--no-renames", "-z"),
        *("--no-ext-diff", "--no-textconv", old, new),
    )
    return [] if said is None else said.decode(errors="surrogateescape").split("\0")[:-1]


def _committed(root: str, head: str, path: str, until: float) -> tuple[bytes, ...] | None:
    """Give what a commit has of a file as it lies in the work tree: empty if it has none."""
    if not head:
        return ()
    if time.monotonic() > until:
        return None
    data = _git(root, until, "cat-file", "--filters", f"{head}:./{path}")
    if data is not None:
        return (data,)
    listed = _git(root, until, "ls-tree", "--name-only", "-z", head, "--", f"./{path}")
    return () if listed == b"" else None


def _git(root: str, until: float, *arguments: str) -> bytes | None:
    """Ask Git; `None` if it is not there or refuses."""
    # Loaded here, since most hooks run nothing.
    import subprocess

    command = ["git", "-C", root, "--no-optional-locks"]
    # Looking runs no program that the repository names.
    for setting in ("core.fsmonitor=false", f"core.hooksPath={os.devnull}"):
        command += ["-c", setting]
    try:
        done = subprocess.run(
            [*command, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=max(until - time.monotonic(), 0.05),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TooMuchError from None
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
