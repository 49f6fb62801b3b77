"""Identifies a workspace wherever it lies: its name, and the marks by which it is recognized.

A workspace is the folder that agents work in (`--workspace`). Most are in a Git repository, and
what is kept of them should follow the repository: into another clone, another folder, another
machine. So a workspace has **marks**, the surest first:

- `git:…`, the first commit of the repository's main branch. All clones and working trees share it.
- `origin:…`, the address it was cloned from, for a shallow clone, which lacks that commit.
- `place:…`, the machine and the folder, for a repository without commits and for a plain folder.

`look(folder)` costs a few small reads; `Workspace.marks()` may walk a history once, and is told
what was found before so that it need not. `Workspace.identity()` is the surest mark alone, and
`Workspace.within` the way from the repository's top down to the workspace: both together name the
same folder in every clone.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hansard.app import repositories
from hansard.app.repositories import Repository
from hansard.kernel.folder_identity import DIGEST_CHARS, folder_identity
from hansard.kernel.problem import InvalidInput
from hansard.sessions.naming import is_project_id, project_slug

FILE = ".hansard.toml"
"""What people commit to say which project their workspace belongs to."""

KEYS = ("project",)
FILE_BYTES_MAX = 64 * 1024

GIT, ORIGIN, PLACE = "git:", "origin:", "place:"


@dataclass(frozen=True)
class WorkspaceIdentity:
    """A folder that agents work in, and what is known of it without a store."""

    folder: Path
    repository: Repository | None
    project: str | None
    """What its file says; `None` where it has none, or the file names no project."""

    @property
    def name(self) -> str | None:
        """A project's name made of the repository's folder; `None` outside any repository."""
        return project_slug(self.repository.name) if self.repository else None

    @property
    def within(self) -> str:
        """The way down from the repository's top to this folder; empty at the top."""
        if self.repository is None or self.folder == self.repository.top:
            return ""
        return self.folder.relative_to(self.repository.top).as_posix()

    @property
    def place(self) -> str:
        """Where it lies: of all working trees of one repository, the same."""
        return PLACE + folder_identity(self.repository.common if self.repository else self.folder)

    def marks(self, remembered: str | None = None) -> list[str]:
        """List what it is known by, the surest first.

        `remembered` is the `git:` mark that this place had before, if one is known.
        """
        if self.repository is None:
            return [self.place]
        root = self.repository.root_commit((remembered or "").removeprefix(GIT) or None)
        origin = self.repository.origin
        return [
            *([GIT + root] if root else []),
            *([ORIGIN + origin[:DIGEST_CHARS]] if origin else []),
            self.place,
        ]

    def identity(self, remembered: str | None = None) -> str:
        """Give the surest of its marks."""
        return self.marks(remembered)[0]


def look(folder: Path) -> WorkspaceIdentity:
    """Look at a workspace; refuses a file of its that cannot be understood."""
    folder = folder.expanduser().resolve()
    repository = repositories.find(folder)
    return WorkspaceIdentity(folder, repository, _project_said(folder, repository))


def top_of(folder: Path) -> Path:
    """Give the top of the repository that a folder is in; of none, the folder itself."""
    folder = folder.expanduser().resolve()
    repository = repositories.find(folder)
    return repository.top if repository else folder


def _project_said(folder: Path, repository: Repository | None) -> str | None:
    """Read the nearest file from the workspace up to the repository's top."""
    top = repository.top if repository else folder
    for place in (folder, *folder.parents):
        if (place / FILE).is_file():
            return _project_in(_read(place / FILE))
        if place == top:
            break
    return None


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise _malformed(f"is larger than {FILE_BYTES_MAX} bytes")
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _malformed(f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise _malformed(f"is not TOML: {error}") from error


def _project_in(read: dict[str, Any]) -> str | None:
    for key in read:
        if key not in KEYS:
            raise _malformed(f"sets {key!r}, which is not known; it may set: {', '.join(KEYS)}")
    project = read.get("project")
    if project is not None and not (isinstance(project, str) and is_project_id(project)):
        raise _malformed("names no possible project: letters, digits, - and _ make a name")
    return project


def _malformed(why: str) -> InvalidInput:
    return InvalidInput(
        f"{FILE} in the workspace {why}",
        hint='Mend it, such as `project = "shop"`, or name a project with --project',
        argument="project",
    )
