"""Requests, answers and refusals about projects and sessions."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from hansard.kernel import limits
from hansard.kernel.model import Model
from hansard.kernel.model_answer import SECONDS, UNTOLD
from hansard.kernel.operation import Request, Result, TimedRequest, Written
from hansard.kernel.problem import Problem
from hansard.kernel.text import (
    Cursor,
    Description,
    Id,
    Label,
    Limit,
    Point,
    Summary,
    Title,
    counted,
    one_line,
)
from hansard.sessions import naming


class ProjectNotFound(Problem):
    """No project has that id."""

    code, http_status = "PROJECT_NOT_FOUND", 404
    hint = "list_projects, or `hansard projects`, shows those there are"


class ProjectArchived(Problem):
    """The project was archived, and takes no writes."""

    code, http_status = "PROJECT_ARCHIVED", 409
    hint = "`hansard projects unarchive` brings it back"


class ProjectExists(Problem):
    """A project already has that id."""

    code, http_status = "PROJECT_EXISTS", 409
    hint = "Choose another id, or use the project that is there"


class RecordNotFound(Problem):
    """No record of this project has that id."""

    code, http_status = "RECORD_NOT_FOUND", 404
    hint = "Check the id's spelling; search_records and list_records show what there is"


class SessionNotFound(Problem):
    """No session has that id here, or none was named where one is needed."""

    code, http_status = "SESSION_NOT_FOUND", 404
    hint = "Pass the session_id that `activate` returned, or start a new session"


class SessionClosed(Problem):
    """The session has ended."""

    code, http_status = "SESSION_CLOSED", 409
    hint = "`activate` a record to start it afresh, or use another session"


def _project_id(text: str) -> str:
    if not naming.is_project_id(text):
        raise ValueError(naming.FORM)
    return text


def _as_id(arguments: object) -> object:
    """Take the name that other operations use for the same thing."""
    if isinstance(arguments, Mapping) and "project_id" in arguments and "id" not in arguments:
        return {"id" if key == "project_id" else key: arguments[key] for key in arguments}
    return arguments


class CreateProject(Request):
    """Arguments of create_project."""

    id: Annotated[str, AfterValidator(_project_id)] | None = None
    name: Title
    description: Description | None = None

    @model_validator(mode="before")
    @classmethod
    def _accept_project_id(cls, arguments: object) -> object:
        return _as_id(arguments)


class ListProjects(Request):
    """Arguments of list_projects."""

    limit: Limit = limits.LIST_LIMIT_DEFAULT
    cursor: Cursor | None = None


class GetProject(Request):
    """Arguments of get_project."""

    id: Id | None = None

    @model_validator(mode="before")
    @classmethod
    def _accept_project_id(cls, arguments: object) -> object:
        arguments = _as_id(arguments)
        if isinstance(arguments, Mapping) and "id" in arguments:
            return {"project_id": arguments["id"], **arguments}
        return arguments


class CloseSession(Request):
    """Arguments of close_session."""

    summary: Summary | None = None


class SaveSession(Request):
    """Arguments of save_session."""

    summary: Summary | None = None


class GetRecentActivity(TimedRequest):
    """Arguments of get_recent_activity."""

    limit: Limit = limits.LIST_LIMIT_DEFAULT
    cursor: Cursor | None = None
    since: Point | None = None
    types: list[Label] | None = Field(default=None, max_length=limits.FILTER_VALUES_MAX)
    record_id: Id | None = None


class ProjectShownAnswer(Result):
    """A project."""

    id: str
    name: str
    description: str | None = None
    created: Annotated[str | None, UNTOLD] = None
    """Absent if it does not exist yet: it is shown as empty, and the first write creates it."""
    tick: int

    def text(self) -> str:
        """Name it, with its clock."""
        line = f"Project {self.id} (tick {self.tick}): {self.name}"
        return f"{line}\n{self.description}" if self.description else line


class ProjectMadeAnswer(ProjectShownAnswer, Written):
    """A project that was just created."""

    name: Annotated[str, UNTOLD]
    description: Annotated[str | None, UNTOLD] = None

    def text(self) -> str:
        """Name it: the caller knows what it is called."""
        return f"Project {self.id} (tick {self.tick}) created"


class ProjectListed(Model):
    """A project in a list."""

    id: str
    name: str
    description: str | None = None
    tick: int
    open_sessions: int
    open_records: int
    unavailable: str | None = None
    """Why nothing in it can be read now; what is open is not known then, and counted as 0."""

    def text(self) -> str:
        """Give one line."""
        counts = f"{self.open_records} open records, {self.open_sessions} open sessions"
        line = f"[{self.id}] (tick {self.tick}, {self.unavailable or counts}) {self.name}"
        return one_line(f"{line}: {self.description}" if self.description else line)


class ProjectListAnswer(Result):
    """Some projects, in the order of their ids."""

    projects: list[ProjectListed]
    total: int
    nextCursor: str | None = None

    def text(self) -> str:
        """Give a line each."""
        lines = [project.text() for project in self.projects]
        return "\n".join([counted(self.total, "project"), *lines, *more(self.nextCursor)])


class SessionEndedAnswer(Written):
    """How a session closed."""

    session_id: str
    success: bool = True
    deactivated_records: list[str]
    unsaved_warning: str | None = None

    def text(self) -> str:
        """Say what is no longer active."""
        records = ", ".join(self.deactivated_records) or "nothing"
        line = f"Session {self.session_id} closed; {records} deactivated."
        return f"{line} {self.unsaved_warning}" if self.unsaved_warning else line


class SessionSavedAnswer(Written):
    """A named point that a session set."""

    session_id: str
    success: bool = True
    saved_records: list[str]
    last_save: Annotated[str, UNTOLD]
    last_save_tick: int

    def text(self) -> str:
        """Say what was changed since the point before."""
        records = ", ".join(self.saved_records) or "nothing"
        return f"Session {self.session_id} saved at t:{self.last_save_tick}; changed: {records}."


class ActivityEntry(Model):
    """One thing that happened in a project."""

    seq: int
    timestamp: Annotated[str, SECONDS]
    type: str
    session_id: str | None = None
    record_id: Annotated[str | None, UNTOLD] = None
    """The one that the summary names."""
    author: str
    summary: str

    def text(self) -> str:
        """Give one line."""
        said = f"{self.author} {self.type}: {one_line(self.summary)}"
        who = f" (session {self.session_id})" if self.session_id else ""
        return f"s:{self.seq} {self.timestamp[:16]} {said}{who}"


class ActivityListAnswer(Result):
    """What happened, newest first."""

    activity: list[ActivityEntry]
    total: int
    nextCursor: str | None = None

    def text(self) -> str:
        """Give a line each."""
        lines = [entry.text() for entry in self.activity]
        return "\n".join([counted(self.total, "entry", "entries"), *lines, *more(self.nextCursor)])


def said_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give what is shown of a project's line in the directory."""
    return {name: row[name] for name in ("id", "name", "description", "created")}


def more(cursor: str | None) -> list[str]:
    """Say how to get the rest of a list, if there is one."""
    return [f"More: cursor={cursor}"] if cursor else []
