"""Lists what is in a decisions repository that Hansard did not write.

Git's own files are read here as text, through no library: planted files may be aimed at anyone who
opens the repository. None of it is ever run by Hansard, which has no need of the `git` program; but
people log, clone and push the repository by it, and would run it or believe it.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from hansard.decisions.git.refs import BRANCH, FOREIGN, OWN

HEAD = f"ref: {BRANCH}"

FILE_BYTES_MAX = 16 << 20
"""Of Git's text files; the list of packed references is the longest, at some 60 bytes each."""

REDIRECTING = {
    "objects/info/alternates": "takes objects from another repository",
    "objects/info/http-alternates": "takes objects from another repository",
    "info/grafts": "gives commits other parents than they have",
    "shallow": "gives commits other parents than they have",
    "commondir": "has its objects and references elsewhere",
    "config.worktree": "has a second configuration",
}
"""Files that make Git show something other than the repository's contents, and how."""

HARMLESS = re.compile(
    r"core\.(repositoryformatversion|filemode|bare|ignorecase|precomposeunicode|logallrefupdates)"
    r"|core\.fsyncobjectfiles|remote\..+\.(url|pushurl|fetch|push|mirror|prune|tagopt)"
    r"|branch\..+\.(remote|merge|rebase)|user\.(name|email)"
    r"|gc\.(auto|autodetach|autopacklimit|pruneexpire|reflogexpire|reflogexpireunreachable)"
)
"""Settings that run nothing and hide nothing: our own, and what pushing a copy elsewhere needs."""

_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)')
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:[=#;].*)?$")
_FOREIGN = re.compile(re.escape(FOREIGN) + "[1-9][0-9]*")


def planted(path: Path) -> Iterator[str]:
    """Say, a sentence each, what somebody else has put into a repository."""
    remedy = "if that was nobody here, delete the repository: it is made again from the journal"
    for what in _found(path):
        yield f"{path.name} {what}; {remedy}"


def _found(path: Path) -> Iterator[str]:
    yield from _links(path)
    if _text(path / "HEAD").strip() != HEAD:
        yield f"has a HEAD that is not on {BRANCH}"
    yield from (what for name, what in REDIRECTING.items() if os.path.lexists(path / name))
    for name in _references(path):
        if name.startswith("refs/replace/"):
            yield f"shows another object in the place of {name.removeprefix('refs/replace/')[:40]}"
        elif name.startswith(("refs/heads/", "refs/hansard/")) and not _is_ours(name):
            yield f"has a branch that Hansard did not make: {name}"
    for hook in _listed(path / "hooks"):
        if hook.suffix != ".sample":
            yield f"has a hook, which Git runs: {hook.name}"
    for name in ("config", "hansard.config"):
        yield from (f"has a setting that it does not need: {one}" for one in _odd(path / name))


def _is_ours(name: str) -> bool:
    return name in (BRANCH, OWN) or _FOREIGN.fullmatch(name) is not None


def _links(path: Path) -> Iterator[str]:
    """Find what lies elsewhere; the repository as a whole may, where space is short."""
    for folder, folders, files in os.walk(path):
        for name in (*folders, *files):
            if (one := Path(folder, name)).is_symlink():
                yield f"has a link in the place of {one.relative_to(path)}"


def _references(path: Path) -> Iterator[str]:
    """Name all references, those in files of their own and those in a list."""
    loose = (one for one in sorted((path / "refs").rglob("*")) if one.is_file())
    names = [str(one.relative_to(path)) for one in loose]
    for line in _text(path / "packed-refs").splitlines():
        _, _, name = line.partition(" ")
        if name.startswith("refs/") and not line.startswith(("#", "^")):
            names.append(name)
    # A lock is Git's own, or was left by a process that died: it names nothing.
    yield from dict.fromkeys(name for name in names if not name.endswith(".lock"))


def _odd(path: Path) -> Iterator[str]:
    """Name the settings of a file that are neither ours nor known to do no harm."""
    section = ""
    for line in re.sub(r"\\\n", "", _text(path)).splitlines():
        rest = line.strip()
        if found := _SECTION.match(rest):
            section = ".".join(part for part in (found[1].lower(), found[2]) if part)
            rest = found[3].strip()
        if not rest or rest.startswith(("#", ";")):
            continue
        setting = _SETTING.match(rest)
        name = f"{section}.{setting[1].lower()}" if setting else section or "a line without one"
        if not (setting and HARMLESS.fullmatch(name)):
            yield name[:100]


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _text(path: Path) -> str:
    """Read one of Git's text files; empty where there is none to read."""
    try:
        if not path.is_file() or path.stat().st_size > FILE_BYTES_MAX:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
