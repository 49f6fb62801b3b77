"""Answers of the recorder: structured content, each with a text that stands alone."""

from typing import Annotated, Any, Literal

from hansard.kernel.model import AnswerPart
from hansard.kernel.model_answer import KEPT, PROOF, SECONDS, SHORT, SHORT_DIGITS, UNTOLD, unless
from hansard.kernel.operation import Result, Written
from hansard.kernel.text import between_marks, counted, one_line
from hansard.recorder.events import Action, StepOver, step_name
from hansard.sessions.citations import CitingAnswer
from hansard.sessions.contract import more
from hansard.sessions.rules import SessionStatus
from hansard.sessions.wording import titled

Source = Literal["executed", "reported", "external", "restored", "found"]
Status = Literal["open", "done", "recovered", "aborted", "conflict", "refused"]


class SessionStartedAnswer(Written):
    """A session with its title."""

    session_id: str
    title: Annotated[str, UNTOLD]

    def text(self) -> str:
        """Name it: the caller knows its title."""
        return f"Session {self.session_id} started"


class PlanRecordedAnswer(Written):
    """A plan, or what was added to it, and the current step."""

    session_id: str
    plan_revision: int
    steps: int
    """How many there are."""
    index: int
    step: Annotated[str, UNTOLD]
    """Its text, as the caller has just sent it."""

    def text(self) -> str:
        """Say how many steps there are now, and where one is."""
        plan = f"Plan {self.plan_revision}: {counted(self.steps, 'step')}"
        return f"{plan}. {at_step(self.index)}"


class StepCurrentAnswer(Written):
    """The current step, if there is one."""

    session_id: str
    plan_revision: Annotated[int, UNTOLD]
    steps: Annotated[int, UNTOLD]
    index: int | None = None
    step: str | None = None
    over: int | None = None
    """The step that was ended, and how."""
    status: StepOver | None = None

    def text(self) -> str:
        """Name it."""
        name = "" if self.over is None else step_name(self.over).capitalize()
        ended = f"{name} is {self.status}. " if name else ""
        if self.index is None:
            return f"{ended}No step is current: record_step begins one"
        return ended + at_step(self.index, self.step or "")


class NotedAnswer(CitingAnswer):
    """Something that was put on the timeline."""

    session_id: str
    seq: int | None = None
    """The entry, to be cited."""
    step: int | None = None

    def text(self) -> str:
        """Say where."""
        under = "" if self.step is None else f" under {step_name(self.step)}"
        place = f" as s:{self.seq}" if self.seq else ""
        return f"Recorded{place}{under}"


class GovernedBy(AnswerPart):
    """An active decision about a file."""

    id: str
    title: str
    enforcement: str

    def text(self) -> str:
        """Name it, and say whether it only advises."""
        return f"{self.id} ({self.enforcement}): {self.title}"


class ChangeBefore(AnswerPart):
    """What another session had last done to a file."""

    by: str
    session_id: str
    entry: str

    def text(self) -> str:
        """Name the entry, and whose it is."""
        return f"{self.entry} by {self.by}"


class FileChangedAnswer(AnswerPart):
    """How one operation on a file went."""

    path: str
    action: Action
    status: Status
    to: str | None = None
    code: str | None = None
    """Why it was not done."""
    sha256: Annotated[str | None, SHORT] = None
    """The digest of what the file holds now; absent if it is gone."""
    size: Annotated[int | None, UNTOLD] = None
    revision: int | None = None
    added: int | None = None
    removed: int | None = None
    redacted: list[str] | None = None
    """The rules by which its content is a secret and was not recorded as it is."""
    irreversible: bool | None = None
    """Whether what it held before is gone for good."""
    external_change: bool | None = None
    """Whether someone had changed the file without Hansard; what they left is recorded."""
    over: ChangeBefore | None = None
    """The change before this one, if another session made it: who has not seen it may lose it."""
    governed_by: list[GovernedBy] | None = None
    """The active decisions about the file."""
    seq: int

    def text(self) -> str:
        """Give one line."""
        where = f"{self.path} -> {self.to}" if self.to else self.path
        if self.status not in ("done", "recovered"):
            return f"{self.action} {where}: {self.status.upper()} ({self.code}), s:{self.seq}"
        notes = [f"s:{self.seq}"]
        notes += [f"+{self.added or 0} -{self.removed or 0}"] if self.added or self.removed else []
        notes += [f"revision {self.revision}"] if self.revision else []
        notes += [f"sha256 {short(self.sha256)}"] if self.sha256 else []
        notes += ["after a change from outside, which was recorded"] if self.external_change else []
        notes += [f"over {self.over.text()}: get_evolution shows it"] if self.over else []
        if self.redacted:
            notes.append(f"recorded without its content ({', '.join(self.redacted)})")
        notes += ["cannot be undone: what it held is gone"] if self.irreversible else []
        notes += [f"governed by {one.text()}" for one in self.governed_by or ()]
        return f"{self.action} {where}: {self.status}, {', '.join(notes)}"


class FilesChangedAnswer(CitingAnswer):
    """How each operation of a call went."""

    session_id: str
    results: list[FileChangedAnswer]

    def text(self) -> str:
        """Give a line each."""
        return "\n".join(result.text() for result in self.results)


class FileShownAnswer(Result):
    """A file as it is on disk."""

    path: str
    content: str
    encoding: Literal["utf-8", "base64"]
    sha256: Annotated[str, SHORT]
    size: int
    mode: str

    def text(self) -> str:
        """Give the content under a line that says what it is."""
        about = f"{self.size} bytes, {self.encoding}, mode {self.mode}, sha256 {short(self.sha256)}"
        return f"{self.path} ({about})\n{self.content}"


class FileNotedAnswer(CitingAnswer):
    """A change that was reported to have been made."""

    session_id: str
    path: str
    action: Action
    revision: int
    sha256: Annotated[str | None, PROOF] = None
    before_unknown: bool | None = None
    """Whether nobody knows what it held before, so that it cannot be undone."""

    def text(self) -> str:
        """Say so."""
        unknown = "; what it held before is not known" if self.before_unknown else ""
        return f"{self.action} {self.path}: recorded as reported, revision {self.revision}{unknown}"


class TimelineItem(AnswerPart):
    """One thing that happened in a session, or a row of changes to one file."""

    seq: int
    at: Annotated[str, SECONDS]
    happened: Annotated[str | None, SECONDS] = None
    """When it happened, where it was taken over from another program later."""
    kind: Annotated[str, UNTOLD]
    actor: str
    summary: str
    subject: Annotated[str | None, UNTOLD] = None
    """The record, decision or other thing that it is about."""
    session_id: str | None = None
    """If the timeline shows more than one."""
    count: Annotated[int | None, UNTOLD] = None
    """How many changes to the file this is, one after the other;"""
    first_seq: Annotated[int | None, UNTOLD] = None
    """the first of them."""
    path: Annotated[str | None, UNTOLD] = None
    to: Annotated[str | None, UNTOLD] = None
    status: Annotated[Status | None, unless("done")] = None
    code: Annotated[str | None, UNTOLD] = None
    reported: Annotated[bool | None, UNTOLD] = None
    irreversible: bool | None = None
    """Whether what the file held before is gone for good."""
    before_unknown: Annotated[bool | None, UNTOLD] = None
    undone_by: int | None = None
    """The seq of what took it back."""
    before: Annotated[str | None, PROOF] = None
    after: Annotated[str | None, PROOF] = None
    """SHA-256 of the content; get_evolution gives the content itself."""
    added: Annotated[int | None, UNTOLD] = None
    removed: Annotated[int | None, UNTOLD] = None
    revision: Annotated[int | None, UNTOLD] = None
    """Of the file."""
    plan_revision: Annotated[int | None, UNTOLD] = None
    index: int | None = None
    """Of the plan step that it is, or that it belongs to."""
    step: Annotated[str | None, UNTOLD] = None
    title: Annotated[str | None, UNTOLD] = None
    content: str | None = None
    cites: Annotated[list[str] | None, UNTOLD] = None
    restore: Annotated[int | None, UNTOLD] = None

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


class TimelineAnswer(Result):
    """What happened in a session, or in a project, newest first."""

    session_id: str | None = None
    """Absent if it is of the whole project."""
    timeline: Annotated[list[TimelineItem], KEPT]
    sessions: dict[str, str] | None = None
    """The titles of the sessions that items name."""
    omitted: int | None = None
    """Items of this page that did not fit the budget; the cursor continues with them."""
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it

    def text(self) -> str:
        """Give a line each."""
        lines = [item.text(self.sessions) for item in self.timeline]
        lines += [f"Left out for the budget: {self.omitted}"] if self.omitted else []
        head = f"Session {self.session_id}" if self.session_id else "All sessions of the project"
        return "\n".join([head, *lines, *more(self.nextCursor)])


class RevisionShown(AnswerPart):
    """A file's state from some point on."""

    revision: int
    seq: int
    at: Annotated[str, SECONDS]
    happened: Annotated[str | None, SECONDS] = None
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
    sha256: Annotated[str | None, PROOF] = None
    """Absent if the file was gone."""
    size: Annotated[int | None, UNTOLD] = None
    mode: Annotated[str | None, UNTOLD] = None
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
        head += f" in {self.session_id}" if self.session_id else ""
        head += f" ({step_name(self.index)})" if self.index is not None else ""
        under = f", under {', '.join(self.decisions)}" if self.decisions else ""
        return f"{head} {about}{named}{gone}{kept}{under}"


class FileEvolved(AnswerPart):
    """A file in a list: how far it has come."""

    path: str
    revisions: int
    seq: int
    sha256: Annotated[str | None, PROOF] = None
    size: int | None = None

    def text(self) -> str:
        """Give one line."""
        state = f"{self.size} bytes" if self.sha256 else "deleted"
        return f"{self.path}: {counted(self.revisions, 'revision')}, {state}, last s:{self.seq}"


class EvolutionAnswer(Result):
    """Files, or the revisions of one, or one revision's content, or a diff of two."""

    path: str | None = None
    """The name that the file has now, or had at the point asked about."""
    asked_as: str | None = None
    """The name in the request, if the file has moved since."""
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


class SessionListed(AnswerPart):
    """A session in a list: all of 000's object, and what was done to files in it."""

    session_id: str
    project_id: Annotated[str, UNTOLD]
    title: str | None = None
    by: str
    client: str | None = None
    """The program, and its version, as it calls itself."""
    status: SessionStatus
    stale: bool | None = None
    created: Annotated[str, SECONDS]
    last_activity: Annotated[str, UNTOLD]
    last_sync_tick: Annotated[int, UNTOLD]
    tick_gap: Annotated[int, UNTOLD]
    active_records: list[str]
    more_active: bool | None = None
    parent_session: str | None = None
    edits: int
    files: int
    timeline: Annotated[str, UNTOLD]
    story: Annotated[str, UNTOLD]
    evolution: Annotated[str, UNTOLD]
    """URIs of its resources."""

    def text(self) -> str:
        """Give one line."""
        title = f": {titled(self.title)}" if self.title else ""
        named = ", ".join(self.active_records) + (" and more" if self.more_active else "")
        notes = [
            f"{self.by} with {self.client}" if self.client else self.by,
            self.status,
            *(["stale"] if self.stale else []),
            f"{self.edits} edits in {self.files} files",
            *([f"{named} active"] if named else []),
            *([f"branched from {self.parent_session}"] if self.parent_session else []),
            f"since {self.created[:19]}",
        ]
        return f"[{self.session_id}] ({', '.join(notes)}){title}"


class SessionListAnswer(Result):
    """Sessions, the latest first."""

    sessions: list[SessionListed]
    total: int
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it

    def text(self) -> str:
        """Give a line each."""
        lines = [session.text() for session in self.sessions]
        return "\n".join([counted(self.total, "session"), *lines, *more(self.nextCursor)])


def at_step(index: int, step: str = "") -> str:
    """Say which step is current, by people's number and by programs' index."""
    return f"Now at {step_name(index)} (index {index})" + (f": {step}" if step else "")


def short(digest: str) -> str:
    """Give as much of a digest as a later call needs to name it."""
    return digest[:SHORT_DIGITS]


def whole(fields: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is empty."""
    return {name: value for name, value in fields.items() if value not in (None, [], {}, 0, "")}
