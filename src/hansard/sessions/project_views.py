"""The directory of projects in the catalog: names and owners.

A project's key names its journal and never changes. The name that people type may change: a project
has one name at a time, and each it ever had leads to it, so no name ever changes hands.
"""

from hansard.kernel.engine import Row, Table
from hansard.kernel.view import Derivation, View
from hansard.sessions.events import (
    ProjectCreated,
    ProjectRenamed,
    ProjectUnarchived,
    ProjectWasArchived,
    WorkspaceKnown,
)

VERSION = 1

PROJECTS = Table(
    "project_directory",
    {"id": "text", "is_archived": "boolean"},
    (("is_archived", "id"), ("id",)),
    version=VERSION,
)
"""Every project by its key; `id` is what people type."""

NAMES = Table("project_names", version=VERSION)
"""By each name that a project has or had: its key."""

WORKSPACES = Table("project_workspaces", version=VERSION)
"""By each mark of a workspace: the key of its project, and the workspace's `git:` mark if any."""

FOLDERS_MAX = 10
"""How many of the folders of a project's workspaces are remembered, the latest, for people to
read."""

GIT = "git:"
"""The prefix of the surest kind of mark."""


def _created(event: ProjectCreated, derivation: Derivation) -> None:
    row: Row = {
        "id": event.id,
        "name": event.name,
        "description": event.description,
        "created": derivation.entry.at,
        "is_archived": False,
        "former": [],
        "folders": [],
        "has_git": False,
    }
    derivation.put(PROJECTS, event.id, row)
    derivation.put(NAMES, event.id, {"project": event.id})


def _renamed(event: ProjectRenamed, derivation: Derivation) -> None:
    row = _line(derivation, event.id)
    former = [one for one in (*row["former"], row["id"]) if one != event.called]
    changed = {"id": event.called, "name": event.name, "former": list(dict.fromkeys(former))}
    derivation.put(PROJECTS, event.id, row | changed)
    derivation.put(NAMES, event.called, {"project": event.id})


def _archived(event: ProjectWasArchived, derivation: Derivation) -> None:
    _update(derivation, event.id, {"is_archived": True})


def _unarchived(event: ProjectUnarchived, derivation: Derivation) -> None:
    _update(derivation, event.id, {"is_archived": False})


def _known(event: WorkspaceKnown, derivation: Derivation) -> None:
    row = _line(derivation, event.project)
    git = next((mark for mark in event.marks if mark.startswith(GIT)), None)
    folders = [*(one for one in row["folders"] if one != event.folder), event.folder]
    folders = folders[-FOLDERS_MAX:]
    derivation.put(
        PROJECTS,
        event.project,
        row | {"folders": folders, "has_git": row["has_git"] or git is not None},
    )
    for mark in event.marks:
        derivation.put(WORKSPACES, mark, {"project": event.project, "git": git})


def _update(derivation: Derivation, project: str, changes: Row) -> None:
    derivation.put(PROJECTS, project, _line(derivation, project) | changes)


def _line(derivation: Derivation, project: str) -> Row:
    row = derivation.get(PROJECTS, project)
    assert row is not None, f"something happened to the project {project}, which was never made"
    return row


VIEW = View(
    "projects",
    VERSION,
    (PROJECTS, NAMES, WORKSPACES),
    on={
        ProjectCreated: _created,
        ProjectRenamed: _renamed,
        ProjectWasArchived: _archived,
        ProjectUnarchived: _unarchived,
        WorkspaceKnown: _known,
    },
)
