"""What comes back from the recorder: structured content, and a text that suffices alone."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from hansard.kernel.operation import Result, Written
from hansard.recorder.events import Action
from hansard.sessions.contract import more
from hansard.sessions.rules import SessionStatus
from hansard.sessions.wording import titled

Source = Literal["executed", "reported", "external", "restored", "found"]
Status = Literal["open", "done", "recovered", "aborted", "conflict", "refused"]


class Shape(BaseModel):
    """Part of an answer."""

    model_config = ConfigDict(extra="forbid")


class SessionStarted(Written):
    """A session with its title."""

    session_id: str
    title: str

    def text(self) -> str:
        """Name it."""
        return f"Session {self.session_id}: {self.title}"


class PlanRecorded(Written):
    """A plan, or what was added to it."""

    session_id: str
    revision: int
    steps: int

    def text(self) -> str:
        """Say how many steps there are now."""
        return f"Plan {self.revision}: {self.steps} steps, numbered from 0"


class StepCurrent(Written):
    """The step that what follows belongs to."""

    session_id: str
    revision: int
    index: int

    def text(self) -> str:
        """Name it."""
        return f"Now at step {self.index} of plan {self.revision}"


class Noted(Written):
    """Something that was put on the timeline."""

    session_id: str
    step: int | None = None

    def text(self) -> str:
        """Say where."""
        seq = f" as s:{self.receipt.seq}" if self.receipt else ""
        return f"Recorded{seq}" + ("" if self.step is None else f" under step {self.step}")


class GovernedBy(Shape):
    """An active decision about a file."""

    id: str
    title: str
    enforcement: str


class FileChanged(Shape):
    """How one operation on a file went."""

    path: str
    action: Action
    status: Status
    to: str | None = None
    code: str | None = None
    """Why it was not done."""
    sha256: str | None = None
    """Of what the file holds now; absent if it is gone."""
    size: int | None = None
    revision: int | None = None
    added: int | None = None
    removed: int | None = None
    redacted: list[str] | None = None
    """The rules by which its content is a secret and was not recorded as it is."""
    irreversible: bool | None = None
    """Whether what it held before is gone for good."""
    external_change: bool | None = None
    """Whether someone had changed the file past Hansard; what they left is recorded."""
    governed_by: list[GovernedBy] | None = None
    """The active decisions about the file."""
    seq: int

    def text(self) -> str:
        """Give one line."""
        where = f"{self.path} -> {self.to}" if self.to else self.path
        if self.status not in ("done", "recovered"):
            return f"{self.action} {where}: {self.status.upper()} ({self.code})"
        notes = [f"+{self.added} -{self.removed}"] if self.added or self.removed else []
        notes += [f"revision {self.revision}"] if self.revision else []
        notes += [f"sha256 {self.sha256}"] if self.sha256 else []
        notes += ["after a change from outside, which was recorded"] if self.external_change else []
        if self.redacted:
            notes.append(f"recorded without its content ({', '.join(self.redacted)})")
        notes += ["cannot be undone: what it held is gone"] if self.irreversible else []
        notes += [f"governed by {one.id}: {one.title}" for one in self.governed_by or ()]
        return f"{self.action} {where}: {self.status}, {', '.join(notes)}"


class FilesChanged(Written):
    """How each operation of a call went."""

    session_id: str
    results: list[FileChanged]

    def text(self) -> str:
        """Give a line each."""
        return "\n".join(result.text() for result in self.results)


class FileShown(Result):
    """A file as it is on disk."""

    path: str
    content: str
    encoding: Literal["utf-8", "base64"]
    sha256: str
    size: int
    mode: str

    def text(self) -> str:
        """Give the content under a line that says what it is."""
        about = f"{self.size} bytes, {self.encoding}, mode {self.mode}, sha256 {self.sha256}"
        return f"{self.path} ({about})\n{self.content}"


class FileNoted(Written):
    """A change that was reported to have been made."""

    session_id: str
    path: str
    action: Action
    revision: int
    sha256: str | None = None
    before_unknown: bool | None = None
    """Whether nobody knows what it held before, so that it cannot be undone."""

    def text(self) -> str:
        """Say so."""
        unknown = "; what it held before is not known" if self.before_unknown else ""
        return f"{self.action} {self.path}: recorded as reported, revision {self.revision}{unknown}"


class TimelineItem(Shape):
    """One thing that happened in a session."""

    seq: int
    at: str
    kind: str
    actor: str
    summary: str
    path: str | None = None
    to: str | None = None
    status: Status | None = None
    code: str | None = None
    reported: bool | None = None
    irreversible: bool | None = None
    """Whether what the file held before is gone for good."""
    before_unknown: bool | None = None
    undone_by: int | None = None
    """The seq of what took it back."""
    before: str | None = None
    after: str | None = None
    """SHA-256 of the content; get_evolution gives the content itself."""
    added: int | None = None
    removed: int | None = None
    revision: int | None = None
    """Of the plan."""
    index: int | None = None
    """Of the plan step that it is, or that it belongs to."""
    step: str | None = None
    title: str | None = None
    content: str | None = None
    cites: list[str] | None = None
    restore: int | None = None

    def text(self) -> str:
        """Give one line."""
        status = f" [{self.status}]" if self.status not in (None, "done") else ""
        under = f" (step {self.index})" if self.index is not None and self.path else ""
        under += " (cannot be undone)" if self.irreversible else ""
        under += f" (undone by s:{self.undone_by})" if self.undone_by else ""
        return f"s:{self.seq} {self.at[:19]} {self.actor} {self.summary}{status}{under}"


class Timeline(Result):
    """What happened in a session, newest first."""

    session_id: str
    timeline: list[TimelineItem]
    omitted: int | None = None
    """Items of this page that the budget left no room for; the cursor goes on with them."""
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it

    def text(self) -> str:
        """Give a line each."""
        lines = [item.text() for item in self.timeline]
        lines += [f"Left out for the budget: {self.omitted}"] if self.omitted else []
        return "\n".join([f"Session {self.session_id}", *lines, *more(self.nextCursor)])


class RevisionShown(Shape):
    """What a file was from some point on."""

    revision: int
    seq: int
    at: str
    actor: str
    session_id: str | None = None
    action: Action
    source: Source
    index: int | None = None
    """Of the plan step."""
    added: int | None = None
    removed: int | None = None
    """Absent if nobody knows what it held before."""
    before_unknown: bool | None = None
    sha256: str | None = None
    """Absent if the file was gone."""
    size: int | None = None
    mode: str | None = None
    other: str | None = None
    """The other path of a move."""
    redacted: list[str] | None = None
    decisions: list[str] | None = None
    """What the session that made it cited."""

    def text(self) -> str:
        """Give one line."""
        lines = "+? -?" if self.before_unknown else f"+{self.added} -{self.removed}"
        about = f"{self.source} {self.action}, {lines}"
        gone = "" if self.sha256 else ", no file"
        kept = ", content not recorded" if self.redacted else ""
        head = f"revision {self.revision} s:{self.seq} {self.at[:19]} {self.actor}"
        under = f", under {', '.join(self.decisions)}" if self.decisions else ""
        return f"{head} {about}{gone}{kept}{under}"


class FileEvolved(Shape):
    """A file in a list: how far it has come."""

    path: str
    revisions: int
    seq: int
    sha256: str | None = None
    size: int | None = None

    def text(self) -> str:
        """Give one line."""
        state = f"{self.size} bytes" if self.sha256 else "deleted"
        return f"{self.path}: {self.revisions} revisions, {state}, last s:{self.seq}"


class Evolution(Result):
    """Files, or the revisions of one, or one revision's content, or a diff of two."""

    path: str | None = None
    files: list[FileEvolved] | None = None
    revisions: list[RevisionShown] | None = None
    content: str | None = None
    encoding: Literal["utf-8", "base64"] | None = None
    diff: str | None = None
    total: int | None = None
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it

    def text(self) -> str:
        """Give a line each, then the content or the diff."""
        lines: list[str] = [self.path] if self.path else []
        lines += [file.text() for file in self.files or ()]
        lines += [revision.text() for revision in self.revisions or ()]
        if self.content is not None:
            lines += ["--- content ---", self.content, "--- end of content ---"]
        lines += [self.diff or "No difference"] if self.diff is not None else []
        return "\n".join([*(lines or ["No files"]), *more(self.nextCursor)])


class SessionListed(Shape):
    """A session in a list: all of 000's object, and what was done to files in it."""

    session_id: str
    project_id: str
    title: str | None = None
    by: str
    client: str | None = None
    """The program, and its version, as it calls itself."""
    status: SessionStatus
    stale: bool | None = None
    created: str
    last_activity: str
    last_sync_tick: int
    tick_gap: int
    active_records: list[str]
    more_active: bool | None = None
    parent_session: str | None = None
    edits: int
    files: int
    timeline: str
    story: str
    evolution: str
    """URIs of its resources."""

    def text(self) -> str:
        """Give one line."""
        title = f": {titled(self.title)}" if self.title else ""
        more = "+" if self.more_active else ""
        active = f", {len(self.active_records)}{more} active" if self.active_records else ""
        about = f"{self.by}, {self.status}, {self.edits} edits in {self.files} files{active}"
        return f"[{self.session_id}] ({about}, since {self.created[:19]}){title}"


class SessionList(Result):
    """Sessions, the latest first."""

    sessions: list[SessionListed]
    total: int
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it

    def text(self) -> str:
        """Give a line each."""
        lines = [session.text() for session in self.sessions]
        return "\n".join([f"{self.total} sessions", *lines, *more(self.nextCursor)])


def whole(fields: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is empty, so that an answer says only what there is to say."""
    return {name: value for name, value in fields.items() if value not in (None, [], {}, 0, "")}
