"""The project of a call that names none: the configured one, else the workspace's own.

A workspace's own is the one its file names; else, in a Git repository, one that was made for that
repository and is found again by it; else `default`. Looking never makes it: the first write does.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from hansard.app.settings import Settings
from hansard.app.workspaces import GIT, ORIGIN, WorkspaceIdentity, look
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.event import Stamp
from hansard.kernel.operation import Home
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import CATALOG, Store
from hansard.sessions import naming, projects
from hansard.sessions.events import WorkspaceKnown
from hansard.sessions.naming import DEFAULT_PROJECT
from hansard.sessions.project_views import NAMES, PROJECTS, WORKSPACES

Say = Callable[[str], None]


class NamedHome:
    """A project by the name that someone gave it."""

    is_settled = True

    def __init__(
        self, called: str, *, must_exist: bool = False, workspace: WorkspaceIdentity | None = None
    ) -> None:
        """Use the project of that name; `workspace` is the one whose file names it."""
        self.must_exist = must_exist
        self.is_chosen = called != DEFAULT_PROJECT
        self._called = called
        self._workspace = workspace
        self._key: str | None = None

    def find(self, store: Store) -> str | None:
        """Give its key. A name never changes hands, so it is looked up once."""
        if self._key is None and (found := projects.find(store, self._called)):
            self._key = found.key
        return self._key

    def name(self, store: Store) -> str:
        """Say what it is called now."""
        found = projects.find(store, self._called)
        return found.row["id"] if found else self._called

    def make(self, store: Store, stamp: Stamp) -> str:
        """Make it, if nobody has."""
        if not naming.is_project_id(self._called):
            raise InvalidInput(
                f"{self._called[:100]!a} cannot be a project's name: {naming.FORM}",
                argument="project",
            )

        def work(tx: WriteTx) -> str:
            if found := projects.find_in(tx, self._called):
                return found.key
            projects.create(store, tx, self._called, stamp)
            if self._workspace:
                folder = str(self._workspace.folder)
                known = WorkspaceKnown(project=self._called, marks=[], folder=folder)
                store.record(tx, known, stamp)
            return self._called

        self._key = store.write(CATALOG, work)
        return self._key


class RepositoryHome:
    """The project that was, or will be, made for a Git repository."""

    is_chosen = must_exist = False

    def __init__(self, workspace: WorkspaceIdentity, say: Say = lambda _: None) -> None:
        """Use the project of a workspace in a repository; `say` tells its user of a new name."""
        assert workspace.name, "only a workspace in a repository has a name"
        self.is_settled = False
        self._workspace = workspace
        self._plain_name = workspace.name
        self._say = say
        self._key: str | None = None
        self._marks: list[str] = []

    def find(self, store: Store) -> str | None:
        """Give the key of the project that was made for this repository."""
        if self._key is None:
            marks = self._known_by(store)
            self._key = store.read(CATALOG, lambda tx: _of_workspace(tx, marks))
            self.is_settled = bool(self._key) and store.read(
                CATALOG, lambda tx: tx.get(WORKSPACES, marks[0]) is not None
            )
        return self._key

    def name(self, store: Store) -> str:
        """Say what it is called, or will be unless somebody takes that name first."""
        if key := self.find(store):
            row = projects.line(store, key)
            assert row is not None, "a workspace's project is not in the directory"
            return str(row["id"])
        return store.read(CATALOG, self._free_name)

    def make(self, store: Store, stamp: Stamp) -> str:
        """Make it under a free name; where it is known by weaker marks only, note the surer."""
        marks, folder = self._known_by(store), str(self._workspace.folder)

        def work(tx: WriteTx) -> tuple[str, bool]:
            project = _of_workspace(tx, marks)
            name = project or self._free_name(tx)
            if project is None:
                projects.create(store, tx, name, stamp)
            if tx.get(WORKSPACES, marks[0]) is None:
                store.record(tx, WorkspaceKnown(project=name, marks=marks, folder=folder), stamp)
            return name, project is None

        self._key, is_new = store.write(CATALOG, work)
        self.is_settled = True
        if is_new:
            self._say(_announcement(self._key, self._plain_name))
        return self._key

    def take_up(self, store: Store, project: str, stamp: Stamp) -> bool:
        """Continue in a project of this repository's name from elsewhere, if it has none."""
        marks, folder = self._known_by(store), str(self._workspace.folder)

        def work(tx: WriteTx) -> bool:
            is_free = _of_workspace(tx, marks) is None
            if project != self._plain_name or not is_free or tx.get(PROJECTS, project) is None:
                return False
            store.record(tx, WorkspaceKnown(project=project, marks=marks, folder=folder), stamp)
            return True

        return store.write(CATALOG, work)

    def _known_by(self, store: Store) -> list[str]:
        """Find the workspace's marks, once: it may take a walk through its history."""
        if not self._marks:
            place = self._workspace.place
            before = store.read(CATALOG, lambda tx: tx.get(WORKSPACES, place))
            self._marks = self._workspace.marks(before["git"] if before else None)
        return self._marks

    def _free_name(self, tx: ReadTx) -> str:
        return naming.free_name(self._plain_name, lambda one: tx.get(NAMES, one) is not None)


class WorkspaceHome:
    """A workspace's own project. The workspace is looked at when first asked for."""

    must_exist = False

    def __init__(self, folder: Path, say: Say = lambda _: None) -> None:
        """Use the project of a folder."""
        self._folder = folder
        self._say = say

    @cached_property
    def workspace(self) -> WorkspaceIdentity:
        """The folder, as far as it is known without a store."""
        return look(self._folder)

    @cached_property
    def _own(self) -> NamedHome | RepositoryHome:
        if self.workspace.project:
            return NamedHome(self.workspace.project, workspace=self.workspace)
        if self.workspace.repository is None:
            return NamedHome(DEFAULT_PROJECT)
        return RepositoryHome(self.workspace, self._say)

    @property
    def is_settled(self) -> bool:
        """Whether nothing more needs to be noted about it."""
        return self._own.is_settled

    @property
    def is_chosen(self) -> bool:
        """Whether the workspace's file names it."""
        return self._own.is_chosen

    def find(self, store: Store) -> str | None:
        """Give its key; `None` if it is yet to be made."""
        return self._own.find(store)

    def name(self, store: Store) -> str:
        """Say what it is called, or would be."""
        return self._own.name(store)

    def make(self, store: Store, stamp: Stamp) -> str:
        """Make it if nobody has; gives its key."""
        return self._own.make(store, stamp)

    def take_up(self, store: Store, project: str, stamp: Stamp) -> bool:
        """Continue in a project that came from elsewhere; says whether this workspace had none."""
        own = self._own
        return isinstance(own, RepositoryHome) and own.take_up(store, project, stamp)


def choose(settings: Settings, *, must_exist: bool = False, say: Say = lambda _: None) -> Home:
    """Choose the home: the configured project, if there is one, else the workspace's own.

    `must_exist` refuses to look at a configured one that is not there; `say` tells a new name.
    """
    if settings.project:
        return NamedHome(settings.project, must_exist=must_exist)
    return WorkspaceHome(Path(settings.workspace), say)


def believed(
    marks: Sequence[str], known: Mapping[str, Row], with_git: Callable[[str], bool]
) -> str | None:
    """Decide which project a workspace with these marks belongs to. Pure.

    The surest mark that leads somewhere counts; but a weaker one is not believed against a surer:
    neither where it was cloned from nor where it lies makes a repository the same if another first
    commit is known of the one that the project was made for.
    """
    has_git = marks[0].startswith(GIT)
    for mark in marks:
        project: str | None = known[mark]["project"] if mark in known else None
        is_sure = mark.startswith(GIT) or (mark.startswith(ORIGIN) and not has_git)
        if project and (is_sure or not with_git(project)):
            return project
    return None


def _of_workspace(tx: ReadTx, marks: Sequence[str]) -> str | None:
    rows = {mark: row for mark in marks if (row := tx.get(WORKSPACES, mark))}

    def with_git(project: str) -> bool:
        row = tx.get(PROJECTS, project)
        assert row is not None, "a workspace leads to a project that is not there"
        return bool(row["has_git"])

    return believed(marks, rows, with_git)


def _announcement(name: str, plain: str) -> str:
    said = f"Made the project {name} for this workspace"
    if name == plain:
        return f"{said}."
    return f"{said}; {plain} is another's. `hansard projects rename {name} …` calls it otherwise."
