"""Snapshots of a project's files before and after a shell command, and their differences.

In a Git work tree Git says what differs from what was committed, and only that is kept: the rest
can be read from Git. The same holds in work trees within it, which Git itself skips: submodules,
other repositories, work trees of its own. Elsewhere the files are listed, and small ones kept. Both
within limits of time, number and size; beyond them nothing is guessed.
"""

import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from hansard.hooks import files

LOOK_S = 1.5
"""A host waits for this: what takes longer is left out."""

LISTED_MAX = 20_000
"""Files that are listed outside Git."""

CHANGED_MAX = 200
"""How many files of one command are recorded; further ones are counted."""

INNER_MAX = 8
"""How many work trees within a work tree are read."""

KEPT_FILE_BYTES_MAX = 1024 * 1024
KEPT_BYTES_MAX = 16 * 1024 * 1024
"""How much one snapshot keeps of files' contents."""

LEFT_OUT = frozenset(
    (
        *(".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache"),
        *(".pytest_cache", ".ruff_cache", ".tox", ".cache", "target", "dist", "build", ".next"),
    )
)
"""Folders that are skipped outside Git."""

Look = dict[str, Any]
"""`git`: by the folder of each work tree the commit that was checked out, empty if none; absent
outside Git. `files`: by path what tells one state of a file from another, and what it holds, if
that is kept; of a file that is gone though it was committed, neither."""


class Tree(NamedTuple):
    """A work tree of Git."""

    folder: str
    """From the project's folder; empty for the one that this is in."""
    head: str
    """The commit that is checked out; empty if there is none."""
    paths: list[str]
    """What is not as committed, from the project's folder."""


class TooManyFilesError(Exception):
    """There is more to read than a host can be kept waiting for."""


def look(root: str, cwd: str | None = None) -> Look:
    """Take a snapshot, before a command that is run in a folder."""
    until = time.monotonic() + LOOK_S
    trees = _trees(root, cwd, until)
    paths = [path for tree in trees for path in tree.paths] if trees else _listed(root, until)
    room = KEPT_BYTES_MAX
    seen: dict[str, Any] = {}
    for path in paths:
        mark = _mark(root, path)
        if mark is None:
            if not os.path.lexists(os.path.join(root, path)):
                seen[path] = [None, None]
            continue
        kept = None
        if mark[1] <= min(KEPT_FILE_BYTES_MAX, room):
            kept = _content(root, path)
            room -= mark[1]
        if time.monotonic() > until:
            raise TooManyFilesError
        seen[path] = [mark, kept]
    return {"files": seen} | ({"git": {one.folder: one.head for one in trees}} if trees else {})


def changes(root: str, before: Look, cwd: str | None = None) -> tuple[list[dict[str, Any]], int]:
    """Say what is other than it was: by file what it holds and held; and how many more there are.

    A file whose `was` is absent held something that nobody kept.
    """
    until = time.monotonic() + LOOK_S
    known: dict[str, Any] = before["files"]
    told = before.get("git", {})
    heads: dict[str, str] = told if isinstance(told, dict) else {"": told}
    trees = _trees(root, cwd, until, known=heads) if heads else []
    listed = [path for tree in trees for path in tree.paths] if trees else _listed(root, until)
    paths = dict.fromkeys([*known, *listed])
    for tree in trees:
        if tree.head != heads.get(tree.folder, tree.head):
            between = _between(root, tree.folder, heads[tree.folder], tree.head, until)
            paths |= dict.fromkeys(between)
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
        if one := _changed(root, path, known, heads, until):
            changed.append(one)
    return changed, more


def _changed(
    root: str, path: str, known: dict[str, Any], heads: dict[str, str], until: float
) -> dict[str, Any] | None:
    """Say what became of one file; `None` if it holds what it held, or cannot be read."""
    try:
        now = files.read(root, path)
    except files.TooLargeError as error:
        return {"path": path, "bytes": error.size}
    except OSError:
        return None
    one: dict[str, Any] = {"path": path, **files.told(now), **mode_before(known, path)}
    if path in known:
        mark, kept = known[path]
        if mark is None or kept is not None:
            one["was"] = kept
    elif (was := _committed(root, heads, path, until)) is not None:
        one["was"] = files.as_content(was[0]) if was else None
    if "was" not in one:
        return one
    return None if one["was"] == one["now"] else one


def mode_before(known: Mapping[str, Any], path: str) -> dict[str, int]:
    """Give the permissions that a file had in a snapshot, if it is in it."""
    mark, *_ = known.get(path, (None,))
    return {"was_mode": mark[3] & files.PERMISSIONS} if mark else {}


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
            raise TooManyFilesError


def _trees(root: str, cwd: str | None, until: float, *, known: Iterable[str] = ()) -> list[Tree]:
    """Read the work tree that a folder is in, and those within it; none outside Git."""
    prefix = _git(root, "", until, "rev-parse", "--show-prefix")
    if prefix is None:
        return []
    own = _tree(root, "", prefix.decode(errors="surrogateescape").rstrip("\n"), until)
    if own is None:
        raise TooManyFilesError
    folders = [*filter(None, known), *_inner(root, own.paths, cwd)]
    places = (place for place in dict.fromkeys(folders) if _is_top(root, place))
    inner = (_tree(root, place, "", until) for place in islice(places, INNER_MAX))
    return [own, *(one for one in inner if one)]


def _inner(root: str, listed: list[str], cwd: str | None) -> Iterator[str]:
    """Name the folders in which another work tree may begin: the command's own first."""
    folder = files.within(root, cwd) if cwd else None
    while folder:
        yield folder
        folder = os.path.dirname(folder)
    # Git lists another repository as a folder, and a submodule not at all.
    yield from (path.rstrip("/") for path in listed if path.endswith("/"))
    try:
        with open(os.path.join(root, ".gitmodules"), encoding="utf-8") as file:
            for line in file:
                name, _, value = line.partition("=")
                if name.strip() == "path":
                    yield value.strip()
    except (OSError, UnicodeDecodeError):
        return


def _is_top(root: str, folder: str) -> bool:
    """Whether a work tree begins in a folder of the project."""
    is_inside = files.within(root, folder) == folder
    return is_inside and os.path.lexists(os.path.join(root, folder, ".git"))


def _tree(root: str, folder: str, below: str, until: float) -> Tree | None:
    """Give the commit that is checked out and the files that are not as committed."""
    said = _git(
        *(root, folder, until, "status", "--porcelain=v2", "--branch", "-z", "--no-renames"),
        *("--untracked-files=all", "--ignore-submodules=all", "--", "."),
    )
    if said is None:
        return None
    head, paths = "", []
    for line in said.decode(errors="surrogateescape").split("\0"):
        if line.startswith("# branch.oid "):
            oid = line.removeprefix("# branch.oid ")
            head = "" if oid == "(initial)" else oid
        elif path := _status_path(line):
            paths.append(os.path.join(folder, path.removeprefix(below)))
        if len(paths) > LISTED_MAX:
            raise TooManyFilesError
    return Tree(folder, head, paths)


def _status_path(line: str) -> str | None:
    """Give the path of a line of Git's status, if it has one."""
    fields = {"1": 8, "u": 10, "?": 1}.get(line[:1])
    parts = line.split(" ", fields) if fields else []
    return parts[-1] if fields and len(parts) > fields else None


def _between(root: str, folder: str, old: str, new: str, until: float) -> list[str]:
    """List the files that differ between two commits."""
    if not old or not new:
        return []
    said = _git(
        *(root, folder, until, "diff", "--name-only", "--relative", "--no-renames", "-z"),
        *("--no-ext-diff", "--no-textconv", old, new),
    )
    paths = [] if said is None else said.decode(errors="surrogateescape").split("\0")[:-1]
    return [os.path.join(folder, path) for path in paths]


def _committed(
    root: str, heads: dict[str, str], path: str, until: float
) -> tuple[bytes, ...] | None:
    """Give what a file held as it was committed in its work tree: empty if it was not there."""
    around = [folder for folder in heads if not folder or path.startswith(folder + os.sep)]
    folder = max(around, key=len, default="")
    if not (head := heads.get(folder, "")) or _is_in_new_tree(root, folder, path):
        return ()
    if time.monotonic() > until:
        return None
    inside = os.path.relpath(path, folder) if folder else path
    data = _git(root, folder, until, "cat-file", "--filters", f"{head}:./{inside}")
    if data is not None:
        return (data,)
    listed = _git(root, folder, until, "ls-tree", "--name-only", "-z", head, "--", f"./{inside}")
    return () if listed == b"" else None


def _is_in_new_tree(root: str, folder: str, path: str) -> bool:
    """Whether a work tree lies between a known one and a file: the command itself has made it."""
    above = os.path.dirname(path)
    while len(above) > len(folder):
        if os.path.lexists(os.path.join(root, above, ".git")):
            return True
        above = os.path.dirname(above)
    return False


def _git(root: str, folder: str, until: float, *arguments: str) -> bytes | None:
    """Ask Git about the work tree in a folder; `None` if it is not there or refuses."""
    # This runs no program that the repository names. Nobody chose to work in those within it, so
    # their filters are ignored as well.
    settings = ["core.fsmonitor=false", f"core.hooksPath={os.devnull}"]
    if folder:
        settings += _without_filters(root, folder, until)
    return _ask_git(os.path.join(root, folder), settings, until, *arguments)


def _without_filters(root: str, folder: str, until: float) -> list[str]:
    """Give the settings that disable the programs through which a repository filters files."""
    asked = ("config", "--name-only", "-z", "--get-regexp", r"^filter\.")
    named = _ask_git(os.path.join(root, folder), [], until, *asked) or b""
    names = named.decode(errors="surrogateescape").split("\0")[:-1]
    return [f"{name}={'false' if name.endswith('required') else ''}" for name in names]


def _ask_git(place: str, settings: list[str], until: float, *arguments: str) -> bytes | None:
    # Loaded here, since most hooks run nothing.
    import subprocess

    command = ["git", "-C", place, "--no-optional-locks"]
    for setting in settings:
        command += ["-c", setting]
    try:
        done = subprocess.run(
            [*command, *arguments],
            # Nothing is fetched for a snapshot, wherever a repository points.
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=max(until - time.monotonic(), 0.05),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TooManyFilesError from None
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
