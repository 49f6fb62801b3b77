"""What comes back from the recorder: structured content, and a text that suffices alone."""

from typing import Any, Literal

from pydantic import ConfigDict

from hansard.kernel.model import Model
from hansard.kernel.operation import Result, Written
from hansard.kernel.text import between_marks, one_line
from hansard.recorder.events import Action, StepOver, step_name
from hansard.sessions.contract import more
from hansard.sessions.rules import SessionStatus
from hansard.sessions.wording import titled

Source = Literal["executed", "reported", "external", "restored", "found"]
Status = Literal["open", "done", "recovered", "aborted", "conflict", "refused"]


class Shape(Model):
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
    """A plan, or what was added to it, and the step that what follows belongs to."""

    session_id: str
    plan_revision: int
    steps: int
    """How many there are."""
    index: int
    step: str

    def text(self) -> str:
        """Say how many steps there are now, and where one is."""
        plan = f"Plan {self.plan_revision}: {counted(self.steps, 'step')}"
        return f"{plan}. {at_step(self.index, self.step)}"


class StepCurrent(Written):
    """The step that what follows belongs to, if one is current."""

    session_id: str
    plan_revision: int
    steps: int
    index: int | None = None
    step: str | None = None
    over: int | None = None
    """The step that was said to be over, and how."""
    status: StepOver | None = None

    def text(self) -> str:
        """Name it."""
        name = "" if self.over is None else step_name(self.over).capitalize()
        ended = f"{name} of plan {self.plan_revision} is {self.status}. " if name else ""
        if self.index is None:
            return f"{ended}No step is current: record_step begins one"
        return ended + at_step(self.index, self.step or "")


class Noted(Written):
    """Something that was put on the timeline."""

    session_id: str
    step: int | None = None

    def text(self) -> str:
        """Say where."""
        seq = f" as s:{self.receipt.seq}" if self.receipt else ""
        return f"Recorded{seq}" + ("" if self.step is None else f" under {step_name(self.step)}")


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
    """One thing that happened in a session, or a row of changes to one file."""

    seq: int
    at: str
    happened: str | None = None
    """When it happened, where it was taken over from another program later."""
    kind: str
    actor: str
    summary: str
    subject: str | None = None
    """The record, decision or other thing that it is about."""
    session_id: str | None = None
    """Where the timeline is of more than one."""
    count: int | None = None
    """How many changes to the file this is, one after the other;"""
    first_seq: int | None = None
    """the first of them."""
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
    """Of the file."""
    plan_revision: int | None = None
    index: int | None = None
    """Of the plan step that it is, or that it belongs to."""
    step: str | None = None
    title: str | None = None
    content: str | None = None
    cites: list[str] | None = None
    restore: int | None = None

    @property
    def when(self) -> str:
        """Say when it happened, wherever that was."""
        return self.happened or self.at

    def text(self, sessions: dict[str, str] | None = None) -> str:
        """Give one line."""
        status = f" [{self.status}]" if self.status not in (None, "done") else ""
        under = f" ({step_name(self.index)})" if self.index is not None and self.path else ""
        undone = " (cannot be undone)" if self.irreversible else ""
        undone += f" (undone by s:{self.undone_by})" if self.undone_by else ""
        where = (sessions or {}).get(self.session_id or "", self.session_id)
        place = f" in {where}" if where else ""
        asked = ""
        if self.kind == "session_titled" and self.content:
            asked = f', asked: "{" ".join(self.content.split())}"'
        head = f"s:{self.seq} {self.when[:19]} {self.actor}{place} {self.summary}"
        return one_line(f"{head}{asked}{status}{under}{undone}")


class Timeline(Result):
    """What happened in a session, or in a project, newest first."""

    session_id: str | None = None
    """Absent if it is of the whole project."""
    timeline: list[TimelineItem]
    sessions: dict[str, str] | None = None
    """The titles of the sessions that items name."""
    omitted: int | None = None
    """Items of this page that the budget left no room for; the cursor goes on with them."""
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it

    def text(self) -> str:
        """Give a line each."""
        lines = [item.text(self.sessions) for item in self.timeline]
        lines += [f"Left out for the budget: {self.omitted}"] if self.omitted else []
        head = f"Session {self.session_id}" if self.session_id else "All sessions of the project"
        return "\n".join([head, *lines, *more(self.nextCursor)])


class RevisionShown(Shape):
    """What a file was from some point on."""

    revision: int
    seq: int
    at: str
    happened: str | None = None
    """When it happened, where it was taken over from another program later."""
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
    """The path that it was moved from."""
    path: str | None = None
    """The name it then had, if another than now."""
    redacted: list[str] | None = None
    decisions: list[str] | None = None
    """What the session that made it cited."""

    def text(self) -> str:
        """Give one line."""
        lines = "+? -?" if self.before_unknown else f"+{self.added} -{self.removed}"
        about = f"{self.source} {self.action}, {lines}"
        gone = "" if self.sha256 else ", no file"
        kept = ", content not recorded" if self.redacted else ""
        named = f" from {self.other}" if self.other else ""
        named += f" as {self.path}" if self.path else ""
        when = (self.happened or self.at)[:19]
        head = f"revision {self.revision} s:{self.seq} {when} {self.actor}"
        under = f", under {', '.join(self.decisions)}" if self.decisions else ""
        return f"{head} {about}{named}{gone}{kept}{under}"


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
    """The name that the file has now, or had at the point that is asked about."""
    asked_as: str | None = None
    """The name that it was asked by, if it has moved on."""
    files: list[FileEvolved] | None = None
    revisions: list[RevisionShown] | None = None
    content: str | None = None
    encoding: Literal["utf-8", "base64"] | None = None
    diff: str | None = None
    note: str | None = None
    """Where files are recorded, if not here."""
    earlier: str | None = None
    """Until this point another file had its name: as_of shows that one."""
    total: int | None = None
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it

    def text(self) -> str:
        """Give a line each, then the content or the diff."""
        was = f" (asked as {self.asked_as}, from where it was moved)" if self.asked_as else ""
        lines: list[str] = [self.path + was] if self.path else []
        lines += [file.text() for file in self.files or ()]
        lines += [revision.text() for revision in self.revisions or ()]
        if self.content is not None:
            lines.append(between_marks("content", self.content, "end of content"))
        lines += [self.diff or "No difference"] if self.diff is not None else []
        if self.earlier:
            lines.append(f"Until {self.earlier} another file had this name: ask with as_of")
        lines += [self.note] if self.note else []
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


def at_step(index: int, step: str) -> str:
    """Say which step is current, by the number that people and the one that programs count."""
    return f"Now at {step_name(index)} (index {index}): {step}"


def counted(number: int, noun: str) -> str:
    """Say how many."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def whole(fields: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is empty, so that an answer says only what there is to say."""
    return {name: value for name, value in fields.items() if value not in (None, [], {}, 0, "")}
