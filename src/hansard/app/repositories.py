"""Finds the Git repository of a folder, and what identifies that repository in every clone.

Git's own files are read here, without a process and without Git's settings: a repository's
configuration can name programs to run, and this must be safe in any folder and quick at every
start. Only finding the first commit unpacks objects, and loads a library for it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

SMALL_FILE_BYTES_MAX = 16 * 1024 * 1024
"""The largest of Git's text files that is read; the list of packed references is the longest, at
some 60 bytes each."""

LINKS_MAX = 5
"""As many symbolic references as Git itself follows."""

MAIN_BRANCHES = (
    "refs/remotes/origin/HEAD",
    "refs/heads/main",
    "refs/heads/master",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "HEAD",
)
"""Where the first commit is looked for: not simply what is checked out, since that may be a branch
with a history of its own, such as one with a site's pages."""

_SHA1 = re.compile(r"[0-9a-f]{40}")
_ORIGIN = re.compile(r'\[remote "origin"\]((?:\n(?!\s*\[).*)*)')
_URL = re.compile(r"^\s*url\s*=\s*(.+?)\s*$", re.MULTILINE)
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://")

_INDEX_MAGIC = b"\xfftOc\x00\x00\x00\x02"
_FANOUT_BYTES = 4 * 256
_OID_BYTES = 20


@dataclass(frozen=True)
class Repository:
    """A Git repository with a working tree."""

    top: Path
    """The uppermost folder of the working tree."""
    common: Path
    """Git's own folder, which all working trees of the repository share."""
    is_linked: bool = False
    """Whether this is a second working tree, whose folder is not the repository's."""

    @property
    def name(self) -> str:
        """The name of the repository's folder, the same in all its working trees."""
        if not self.is_linked:
            return self.top.name
        hidden = self.common.name.startswith(".")
        return self.common.parent.name if hidden else self.common.name.removesuffix(".git")

    @cached_property
    def origin(self) -> str | None:
        """A digest of the address that it was cloned from, however that is spelled."""
        section = _ORIGIN.search(_text(self.common / "config") or "")
        found = _URL.search(section[1]) if section else None
        return sha256(plain_url(found[1]).encode()).hexdigest() if found else None

    def root_commit(self, remembered: str | None = None) -> str | None:
        """Find the commit that its main branch began with, which all its clones share.

        `None` where there is no commit yet, or a shallow clone has not fetched the first. One that
        is `remembered` from before is taken without a walk if the repository still holds it.
        """
        if remembered and holds(self.common / "objects", remembered):
            return remembered
        for branch in MAIN_BRANCHES:
            if commit := self._resolve(branch):
                return None if self._is_shallow else _first_of(self.common / "objects", commit)
        return None

    @property
    def _is_shallow(self) -> bool:
        return (self.common / "shallow").exists()

    def _resolve(self, name: str) -> str | None:
        """Follow a reference to the commit it names."""
        for _ in range(LINKS_MAX):
            text = (_text(self.common / name) or self._packed(name)).strip()
            if not text.startswith("ref: "):
                return text if _SHA1.fullmatch(text) else None
            name = text.removeprefix("ref: ").strip()
            if not re.fullmatch(r"refs/[^\0]+", name) or ".." in name:
                return None
        return None

    def _packed(self, name: str) -> str:
        for line in (_text(self.common / "packed-refs") or "").splitlines():
            commit, _, reference = line.partition(" ")
            if reference == name:
                return commit
        return ""


def find(folder: Path) -> Repository | None:
    """Find the repository whose working tree a folder is in, as Git would from there."""
    for top in (folder, *folder.parents):
        git = _git_folder(top)
        # Another user may be able to put a repository into a folder above ours: /tmp, say.
        if git and (top == folder or _same_owner(top / ".git", folder)):
            linked = _text(git / "commondir")
            common = (git / linked.strip()).resolve() if linked else git
            return Repository(top, common, is_linked=linked is not None)
    return None


def plain_url(url: str) -> str:
    """Write an address as `host/path`, so that ways to reach the same repository are the same."""
    if not _SCHEME.match(url.lower()):
        host, colon, path = url.partition(":")
        url = f"{host}/{path.lstrip('/')}" if colon and "/" not in host else url
    rest = _SCHEME.sub("", url.lower(), count=1)
    host, slash, path = rest.partition("/")
    host = re.sub(r":\d+$", "", host.rpartition("@")[2])
    return (host + slash + path).rstrip("/").removesuffix(".git")


def holds(objects: Path, commit: str) -> bool:
    """Whether a repository has an object, told from Git's files alone; it may be wrong about none.

    Objects that are borrowed from another repository are not looked for.
    """
    if not _SHA1.fullmatch(commit):
        return False
    if (objects / commit[:2] / commit[2:]).is_file():
        return True
    wanted = bytes.fromhex(commit)
    return any(_listed_in(index, wanted) for index in _indexes(objects))


def _indexes(objects: Path) -> Iterator[Path]:
    try:
        yield from sorted((objects / "pack").glob("*.idx"))
    except OSError:
        return


def _listed_in(index: Path, wanted: bytes) -> bool:
    """Look an object up in the index of a pack: a table of first bytes, then the sorted names."""
    try:
        with index.open("rb") as file:
            if file.read(len(_INDEX_MAGIC)) != _INDEX_MAGIC:
                return False
            ends = file.read(_FANOUT_BYTES)
            if len(ends) < _FANOUT_BYTES:
                return False
            first = int.from_bytes(ends[4 * wanted[0] - 4 : 4 * wanted[0]]) if wanted[0] else 0
            after = int.from_bytes(ends[4 * wanted[0] : 4 * wanted[0] + 4])
            file.seek(len(_INDEX_MAGIC) + _FANOUT_BYTES + first * _OID_BYTES)
            names = file.read(max(0, after - first) * _OID_BYTES)
    except OSError:
        return False
    return any(
        names[at : at + _OID_BYTES] == wanted
        for at in range(0, len(names) - _OID_BYTES + 1, _OID_BYTES)
    )


def _first_of(objects: Path, commit: str) -> str | None:
    """Walk from a commit to the first, along first parents: what was merged is not followed."""
    import pygit2

    try:
        store = pygit2.Odb(str(objects))
        while True:
            _, content = store.read(commit)
            header = content.partition(b"\n\n")[0]
            parent = re.search(rb"^parent ([0-9a-f]{40})$", header, re.MULTILINE)
            if parent is None:
                return commit
            commit = parent[1].decode()
    except (KeyError, ValueError, OSError, pygit2.GitError):
        return None


def _git_folder(top: Path) -> Path | None:
    """Give the folder that Git keeps for a working tree, if this is the top of one."""
    link = top / ".git"
    if (link / "HEAD").is_file():
        return link.resolve()
    text = _text(link)
    if text is None or not text.startswith("gitdir:"):
        return None
    folder = (top / text.removeprefix("gitdir:").strip()).resolve()
    return folder if (folder / "HEAD").is_file() else None


def _same_owner(one: Path, other: Path) -> bool:
    try:
        return one.lstat().st_uid == other.stat().st_uid
    except OSError:
        return False


def _text(path: Path) -> str | None:
    """Read one of Git's text files; `None` if there is none to read."""
    try:
        if not path.is_file() or path.stat().st_size > SMALL_FILE_BYTES_MAX:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
