"""Events of projects and sessions."""

from typing import ClassVar

from hansard.kernel.event import Event
from hansard.kernel.session_holder import Holder, LockName


class ProjectCreated(Event):
    """A project was entered in the catalog's directory."""

    kind: ClassVar[str] = "sessions.project_created.v1"

    id: str
    name: str
    description: str | None

    def summary(self) -> str:
        """Name the project."""
        return f"Project {self.id} created: {self.name}"


class ProjectRenamed(Event):
    """A project was renamed; its former names still lead to it."""

    kind: ClassVar[str] = "sessions.project_renamed.v1"

    id: str
    """The key of its journal, which never changes."""
    called: str
    """What people type."""
    name: str
    """What people read."""

    def summary(self) -> str:
        """Name both."""
        return f"Project {self.id} renamed to {self.called}"


class ProjectWasArchived(Event):
    """A project was archived: kept, not listed, and closed to writes."""

    kind: ClassVar[str] = "sessions.project_archived.v1"

    id: str

    def summary(self) -> str:
        """Name the project."""
        return f"Project {self.id} archived"


class ProjectUnarchived(Event):
    """A project was brought back."""

    kind: ClassVar[str] = "sessions.project_unarchived.v1"

    id: str

    def summary(self) -> str:
        """Name the project."""
        return f"Project {self.id} brought back"


class WorkspaceKnown(Event):
    """A project was made for a workspace, or its workspace came to be known by surer marks."""

    kind: ClassVar[str] = "sessions.workspace_known.v1"

    project: str
    marks: list[str]
    """The marks of the workspace, the surest first; none if a person named the project."""
    folder: str
    """Its folder at the time, for people to read."""

    def summary(self) -> str:
        """Name the project."""
        return f"Project {self.project} is of the workspace {self.folder}"


class SessionHomed(Event):
    """An older program noted which project a session of a chosen id belonged to.

    Such an id was unique in the store then; now it is unique in its project, and this has no
    effect.
    """

    kind: ClassVar[str] = "sessions.session_homed.v1"

    id: str
    home: str


class SessionStarted(Event):
    """A session began, or a closed one was started afresh."""

    kind: ClassVar[str] = "sessions.session_started.v1"
    activity: ClassVar[str | None] = "session_started"

    id: str
    holder: Holder | None = None
    """Its holder, as far as that is known."""

    def summary(self) -> str:
        """Name the session."""
        return f"Session {self.id} started"


class SessionJoined(Event):
    """Somebody else came into a session, or came back to one that was left."""

    kind: ClassVar[str] = "sessions.session_joined.v1"

    id: str
    holder: Holder | None = None

    def summary(self) -> str:
        """Name the session, and the program."""
        client = self.holder.client if self.holder else None
        return f"Session {self.id} taken up" + (f" by {client}" if client else "")


class SessionLeft(Event):
    """A process ended in order that had begun the session for itself."""

    kind: ClassVar[str] = "sessions.session_left.v1"

    id: str
    owner: LockName

    def summary(self) -> str:
        """Name the session."""
        return f"Session {self.id} left: its process ended"


class SessionBranched(Event):
    """A session began where another was: with the same records active, in the same versions."""

    kind: ClassVar[str] = "sessions.session_branched.v1"
    activity: ClassVar[str | None] = "session_branched"

    id: str
    parent_session: str

    def summary(self) -> str:
        """Name both."""
        return f"Session {self.id} branched from {self.parent_session}"


class SessionSaved(Event):
    """A session set a named point: what it had changed until then counts as saved."""

    kind: ClassVar[str] = "sessions.session_saved.v1"
    advances_tick: ClassVar[bool] = True
    activity: ClassVar[str | None] = "session_saved"

    id: str
    note: str | None

    def summary(self) -> str:
        """Name the session, and say what its agent said of it."""
        return f"Session {self.id} saved" + (f": {self.note}" if self.note else "")


class SessionSynced(Event):
    """The changes of others were reported to a session, up to a point."""

    kind: ClassVar[str] = "sessions.session_synced.v1"

    id: str
    through_seq: int
    through_tick: int
    bases: dict[str, int]
    """For the active records it was told of: the version it now knows."""


class SessionWasClosed(Event):
    """A session ended; nothing is active in it any more."""

    kind: ClassVar[str] = "sessions.session_closed.v1"
    activity: ClassVar[str | None] = "session_closed"

    id: str
    note: str | None

    def summary(self) -> str:
        """Name the session, and say what its agent said of it."""
        return f"Session {self.id} closed" + (f": {self.note}" if self.note else "")


class Activated(Event):
    """A record was activated in a session, to reason with it."""

    kind: ClassVar[str] = "sessions.activated.v1"
    activity: ClassVar[str | None] = "activation"

    session: str
    record: str
    base: int
    """The version of the record that the session was shown."""
    override: bool
    """Whether it was told that others work on the record, and continues all the same."""

    def summary(self) -> str:
        """Name the record."""
        return f"{self.record} activated"

    def subject(self) -> str:
        """Give the record."""
        return self.record


class Deactivated(Event):
    """A session deactivated a record."""

    kind: ClassVar[str] = "sessions.deactivated.v1"
    activity: ClassVar[str | None] = "deactivation"

    session: str
    record: str

    def summary(self) -> str:
        """Name the record."""
        return f"{self.record} deactivated"

    def subject(self) -> str:
        """Give the record."""
        return self.record


class RecordChange(Event):
    """Base of events by which a session changed the record that is their subject.

    One that advances the tick leaves the record active in its session, as of that tick.
    """


class SessionNaming(Event):
    """Base of events that give the session in which they happen its title."""

    title: str


EVENTS: tuple[type[Event], ...] = (
    ProjectCreated,
    ProjectRenamed,
    ProjectWasArchived,
    ProjectUnarchived,
    WorkspaceKnown,
    SessionHomed,
    SessionStarted,
    SessionJoined,
    SessionLeft,
    SessionBranched,
    SessionSaved,
    SessionSynced,
    SessionWasClosed,
    Activated,
    Deactivated,
)
