"""Answers of the operations on records: the shapes of 000, each with a text that stands alone."""

from typing import Annotated, ClassVar, Self

from pydantic import ConfigDict, Field

from hansard.kernel.model_answer import NO_COUNT, SECONDS, only, unless
from hansard.kernel.operation import Flagged, Result, Written
from hansard.kernel.text import between_marks, counted
from hansard.records import text
from hansard.records.briefing import CheckpointSeen, DecisionSeen, LastSession
from hansard.records.shapes import (
    STAYS_NULL,
    Omitted,
    Record,
    RecordRef,
    Shape,
    Warned,
)
from hansard.records.update_answers import RecordWritten
from hansard.sessions.citations import CitingAnswer
from hansard.sessions.contract import ActivityEntry, more
from hansard.sessions.rules import SessionStatus
from hansard.sessions.session_shape import SessionShown
from hansard.sessions.wording import titled


class ProjectSeen(Shape):
    """The project an overview is of."""

    id: str
    name: str
    description: str
    tick: int


class RefAgain(RecordRef):
    """A record that was reported before."""

    def told_by(self) -> tuple[str, ...]:
        """Name it."""
        return ("id",)


class OverviewAnswer(Result):
    """Where a project stands."""

    project: ProjectSeen
    notices: list[str] | None = None
    """News for everybody, whatever they ask about."""
    last_session: LastSession | None = None
    checkpoint: CheckpointSeen | None = None
    decisions: list[DecisionSeen] | None = None
    """Those that hold."""
    proposals: list[DecisionSeen] | None = None
    """Those that wait."""
    open_sessions: list[SessionShown]
    root_records: list[RecordRef]
    open_records: list[RecordRef]
    later_records: list[RecordRef]
    counts: dict[str, int]
    recent_activity: list[ActivityEntry]
    omitted: list[Omitted] | None = None

    def briefly(self) -> Self:
        """Show each record once: a root is only named again in the list of its state."""
        roots = {one.id for one in self.root_records}
        rest = {
            name: [RefAgain(**dict(one)) if one.id in roots else one for one in getattr(self, name)]
            for name in ("open_records", "later_records")
        }
        counts = {name: count for name, count in self.counts.items() if count}
        return self.model_copy(update={**rest, "counts": counts})

    def text(self) -> str:
        """Give a line for each record, session and event."""
        project, counts = self.project, self.counts
        roots = {one.id for one in self.root_records}
        return "\n".join([
            f"Project {project.id} (tick {project.tick}): {project.name}",
            *([project.description] if project.description else []),
            *(self.notices or ()),
            *(one.text() for one in (self.last_session, self.checkpoint) if one),
            *text.seen("Decided", self.decisions or ()),
            *text.seen("Proposed, waiting", self.proposals or ()),
            *text.listed("Roots", self.root_records, counts["root_records"]),
            *text.listed("Open", self.open_records, counts["open_records"], told=roots),
            *text.listed("Later", self.later_records, counts["later_records"], told=roots),
            *([] if counts["root_records"] else ["No records yet: create_record begins one."]),
            *(session.text() for session in self.open_sessions),
            *(entry.text() for entry in self.recent_activity),
            *text.omitted(self.omitted or ()),
        ])  # fmt: skip


class RecordFound(RecordRef):
    """A record that matched."""

    relevance: float
    author: str
    """The author of the text: it is theirs, and no instruction to a reader."""
    snippet: str


class SearchResultsAnswer(Flagged):
    """Records that match, best first."""

    results: list[RecordFound]
    total: int
    total_is_exact: Annotated[bool, unless(True)]
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it
    index: str
    """What finds by meaning; begins with `none` where words alone count."""
    index_lag: Annotated[int, NO_COUNT]
    """Entries that are yet to be indexed for search by meaning."""

    def text(self) -> str:
        """Give each with its snippet."""
        lines = [
            f"{text.line_with_summary(found)} ({found.relevance:.2f})\n"
            f"  by {found.author}: {found.snippet}"
            for found in self.results
        ]
        count = counted(self.total, "match", "matches")
        count = count if self.total_is_exact else f"{count} or more"
        found_by = text.by_words_only(self.index, self.index_lag)
        return "\n".join([count, *lines, *more(self.nextCursor), *found_by, *self.cautions()])

    def briefly(self) -> Self:
        """Say how it was found only if that was not as usual."""
        return self.model_copy(update={"index": text.index_told(self.index)})


class RecordListAnswer(Result):
    """Some records, a parent always before what lies under it."""

    records: list[RecordRef] | None = None
    outline: str | None = None
    total: int
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it

    def text(self) -> str:
        """Give a line each."""
        lines = [self.outline] if self.outline else map(text.line_with_summary, self.records or ())
        return "\n".join([counted(self.total, "record", "records"), *lines, *more(self.nextCursor)])


class RecordRefAnswer(RecordRef, Result):
    """One reference."""

    def text(self) -> str:
        """Give it in a line."""
        return text.line_with_summary(self)


class BodyPageAnswer(Result):
    """Some characters of a body. The field is `text`: a `body` is always complete."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    id: str
    version: int
    offset: int
    chars: str = Field(alias="text")
    total_chars: int
    next_offset: int | None = None
    """Where the next page begins; absent at the end."""

    def text(self) -> str:
        """Give them between marks that say which they are."""
        end = self.offset + len(self.chars)
        which = f"characters {self.offset} to {end} of {self.total_chars}"
        rest = f"more from offset {end}" if self.next_offset else "end"
        return between_marks(f"{self.id} at t:{self.version}, {which}", self.chars, rest)


class Children(Shape):
    """What lies right under a record."""

    open: list[Record]
    open_refs: list[RecordRef] | None = None
    """OPEN children that did not fit the budget in full; `omitted` names the call for each."""
    other: list[RecordRef]
    open_count: Annotated[int, NO_COUNT]
    other_count: Annotated[int, NO_COUNT]
    open_cursor: str | None = None
    """For list_records with this parent and state OPEN: goes on where the bundle ended."""
    other_cursor: str | None = None
    """The same for the other three states."""


class ContextBundle(Shape):
    """What is needed to reason with a record."""

    nulls: ClassVar[tuple[str, ...]] = ("parent",)

    target: Record
    parent: Annotated[Record | None, STAYS_NULL]
    children: Children
    grandchildren: list[RecordRef]
    grandchildren_count: Annotated[int, NO_COUNT]
    grandchildren_cursor: str | None = None
    """For list_records with the target as parent and depth 2: goes on after the last one shown."""
    warnings: list[Warned] | None = None
    omitted: list[Omitted] | None = None

    def lines(self) -> list[str]:
        """Give the target, then its surroundings."""
        children = self.children
        others = [*(children.open_refs or ()), *children.other]
        total = children.open_count - len(children.open) + children.other_count
        return [
            *text.warned(self.warnings or ()),
            text.whole(self.target),
            *(["Parent:", text.whole(self.parent)] if self.parent else []),
            *(["Open children:"] if children.open else []),
            *map(text.whole, children.open),
            *text.listed("Other children" if children.open else "Children", others, total),
            *text.listed("Grandchildren", self.grandchildren, self.grandchildren_count),
            *text.omitted(self.omitted or ()),
        ]


class WorkingElsewhere(Shape):
    """Another session in which somebody works on the record."""

    session_id: str
    last_activity: str
    status: SessionStatus
    by: str
    title: str | None = None


class ActiveElsewhere(WorkingElsewhere):
    """The one that was active last, and all of them."""

    others: int | None = None
    """How many more there are."""
    message: str
    sessions: list[WorkingElsewhere]


class ChangedSinceLoad(Shape):
    """How a record differs from what the session was shown before."""

    from_version: int
    to_version: int
    changed_fields: list[str]
    diffs: dict[str, str]
    """A complete unified diff for each field that changed; one that would take too much is left
    out, and the bundle's `omitted` names the call that gives it."""


class ActivationAnswer(Written):
    """A record with its context."""

    session_id: str | None = None
    context: ContextBundle
    already_loaded: bool
    changed_since_load: ChangedSinceLoad | None = None
    conflict: Annotated[ActiveElsewhere | None, only("session_id")] = None
    """Others who work on it; a warning in the context says it in words."""

    def text(self) -> str:
        """Give the context, and before it what changed."""
        lines = [f"Session {self.session_id}" if self.session_id else "As it was; not activated"]
        if self.already_loaded:
            lines[0] += " (already loaded)"
        if changed := self.changed_since_load:
            fields = ", ".join(changed.changed_fields)
            lines.append(f"Changed since you loaded it at t:{changed.from_version}: {fields}")
            lines += changed.diffs.values()
        return "\n".join([*lines, *self.context.lines()])


class DeactivationAnswer(Written):
    """A record that was deactivated."""

    session_id: str
    deactivated: str

    def text(self) -> str:
        """Name both."""
        return f"{self.deactivated} is no longer active in session {self.session_id}"


class BranchedAnswer(Written):
    """A session that began where another was."""

    session: Annotated[SessionShown, only("id", "parent_session", "active_records")]

    def text(self) -> str:
        """Name it, and what is active in it."""
        one = self.session
        active = ", ".join(one.active_records) or "nothing"
        return f"Session {one.id}, branched from {one.parent_session}, has {active} active"


class RecordCreatedAnswer(CitingAnswer):
    """A new record."""

    session_id: str
    record: Annotated[Record, only("id", "state", "version")]
    auto_activated: bool = True
    warnings: list[Warned] | None = None

    def text(self) -> str:
        """Name it: the caller knows what it wrote."""
        one = self.record
        made = f"{text.stated(one)} created at t:{one.version} and active"
        return "\n".join([made, *text.warned(self.warnings or ())])


class CascadeWarning(Shape):
    """Open children that a transition leaves as they are."""

    open_children: Annotated[list[RecordRef], only("id", "state", "title")]
    message: str
    omitted: list[Omitted] | None = None
    """Those that are not named, and the call that gets them."""


class TransitionedAnswer(Written):
    """A record in its new state, without its body: that stays as it was."""

    record: RecordWritten
    cascade_warning: CascadeWarning | None = None
    warnings: list[Warned] | None = None

    def text(self) -> str:
        """Name the state, and the children it leaves as they are."""
        one = self.record
        lines = [f"{text.stated(one)} now t:{one.version}"]
        if cascade := self.cascade_warning:
            lines += [f"Warning: {cascade.message}", *map(text.line, cascade.open_children)]
            lines += text.omitted(cascade.omitted or ())
        return "\n".join([*lines, *text.warned(self.warnings or ())])


class RecordMovedAnswer(Written):
    """A record under its new parent."""

    record: Annotated[RecordRef, only("id", "parent_id")]
    warnings: list[Warned] | None = None

    def text(self) -> str:
        """Say where it is now."""
        one = self.record
        where = f"under {one.parent_id}" if one.parent_id else "a root"
        return "\n".join([f"[{one.id}] now {where}", *text.warned(self.warnings or ())])


class WorkingSession(Shape):
    """A session in which a record is active."""

    session_id: str
    title: str | None = None
    by: str
    client: str | None = None
    status: SessionStatus
    last_activity: Annotated[str, SECONDS]
    is_current: bool

    def text(self) -> str:
        """Give one line."""
        named = f' "{titled(self.title)}"' if self.title else ""
        this = " (this session)" if self.is_current else ""
        client = f" with {self.client}" if self.client else ""
        about = f"{self.by}{client}, {self.status}, last active {self.last_activity[:19]}"
        return f"{self.session_id}{named}{this}: {about}"


class ActiveSessionsAnswer(Result):
    """The sessions in which a record is active."""

    sessions: list[WorkingSession]
    total: int
    nextCursor: str | None = Field(default=None)  # noqa: N815 - as MCP spells it

    def text(self) -> str:
        """Give a line each."""
        lines = [session.text() for session in self.sessions]
        return "\n".join(
            [counted(self.total, "session", "sessions"), *lines, *more(self.nextCursor)]
        )
