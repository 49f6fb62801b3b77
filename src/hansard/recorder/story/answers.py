"""The story as an answer: chapters and beats as data, and as Markdown."""

from typing import Annotated, Literal, Self

from hansard.kernel.model import AnswerPart
from hansard.kernel.model_answer import LINES, NO_COUNT
from hansard.kernel.operation import Result
from hansard.kernel.text import counted, one_line
from hansard.recorder.events import step_name
from hansard.recorder.story.plans import StepStatus
from hansard.sessions.contract import more

_VERBS = {"create": "created", "edit": "edited", "delete": "deleted", "move": "moved"}
_STATUSES: dict[str, str] = {"begun": "in progress"}
_COUNTS_FROM_ZERO = "(Steps are numbered from 1 here; arguments count them from 0.)"


class Beat(AnswerPart):
    """Something a session did, however many calls it took."""

    type: Literal["file", "folder", "outside", "note", "event", "restore"]
    """`folder`: many files shown as one. `outside`: what others did, as it was noticed."""
    first_seq: int
    last_seq: int
    first_at: str
    last_at: str
    path: str | None = None
    files: int | None = None
    """Of a folder, how many were changed in it."""
    actions: dict[str, int] | None = None
    moved_from: str | None = None
    edits: int | None = None
    added: int | None = None
    removed: int | None = None
    failed: int | None = None
    codes: list[str] | None = None
    """Why some failed."""
    external: int | None = None
    reported: int | None = None
    irreversible: int | None = None
    """Changes that cannot be undone: what the file held is gone for good."""
    undone: int | None = None
    """How many of its changes were taken back since,"""
    undone_by: int | None = None
    """and the entry that did so last."""
    label: str | None = None
    text: str | None = None
    author: str | None = None
    activity: str | None = None
    count: int | None = None
    texts: list[str] | None = None
    """The first few of a run of like events, in words."""
    scope: str | None = None
    point: int | None = None
    is_undo: bool | None = None

    def line(self) -> str:
        """Tell it in a line of Markdown."""
        match self.type:
            case "note":
                return one_line(f"**{self.label}** ({self.author}): {self.text}")
            case "event":
                texts = self.texts or []
                rest = (self.count or 0) - len(texts)
                more = f" (and {rest} more)" if rest > 0 else ""
                return one_line("; ".join(texts)) + more
            case "restore":
                return f"{self.text}: {self._restored()}{self._taken_back()}"
        where = f"`{self.path}`" + (f" ({counted(self.files, 'file')})" if self.files else "")
        came = f" (moved from `{self.moved_from}`)" if self.moved_from else ""
        who = f"From outside ({self.author}): " if self.author else "From outside: "
        lead = who if self.external else ""
        return f"{lead}{where}{came}: {self._numbers()}{self._taken_back()}"

    def _numbers(self) -> str:
        parts = [_done(action, number, self) for action, number in (self.actions or {}).items()]
        if self.added or self.removed:
            parts.append(f"+{self.added or 0} -{self.removed or 0}")
        if self.failed:
            why = f" ({', '.join(self.codes)})" if self.codes else ""
            parts.append(f"{self.failed} failed{why}")
        if self.reported:
            parts.append(f"{self.reported} as reported")
        parts += [f"{self.irreversible} cannot be undone"] if self.irreversible else []
        return ", ".join(parts) or "nothing"

    def _restored(self) -> str:
        parts = [counted(self.edits or 0, "file")]
        if self.added or self.removed:
            parts.append(f"+{self.added or 0} -{self.removed or 0}")
        parts += [f"{self.failed} failed"] if self.failed else []
        return ", ".join(parts)

    def _taken_back(self) -> str:
        whole = (self.edits or 0) + (self.external or 0)
        note = taken_back(self.undone, whole, self.undone_by)
        return f" ({note})" if note else ""


class Chapter(AnswerPart):
    """A step of the plan and what was done under it; without a title, what was done under none."""

    plan_revision: int | None = None
    index: int | None = None
    title: str | None = None
    status: StepStatus | None = None
    edits: Annotated[int, NO_COUNT]
    added: Annotated[int, NO_COUNT]
    removed: Annotated[int, NO_COUNT]
    failed: Annotated[int, NO_COUNT]
    external: Annotated[int, NO_COUNT]
    restored: int | None = None
    """Files that were brought back during the step; they count as nobody's work."""
    undone: int | None = None
    undone_by: int | None = None
    is_continued: bool | None = None
    """Whether it began on an earlier page."""
    beats: Annotated[list[Beat], LINES]

    def lines(self) -> list[str]:
        """Tell it in Markdown."""
        notes = [
            *([_STATUSES.get(self.status, self.status)] if self.status else []),
            *(["continued"] if self.is_continued else []),
            *([note] if (note := taken_back(self.undone, self.edits, self.undone_by)) else []),
        ]
        done = [
            *([counted(self.edits, "edit")] if self.edits else []),
            *([f"+{self.added} -{self.removed}"] if self.added or self.removed else []),
            *([f"{self.failed} failed"] if self.failed else []),
            *([f"{self.external} from outside"] if self.external else []),
        ]
        heading = f"## {self._name()}" + (f" ({', '.join(notes)})" if notes else "")
        beats = [f"- {beat.line()}" for beat in self.beats]
        return ["", heading, *([", ".join(done)] if done else []), *beats]

    def _name(self) -> str:
        plan = self.plan_revision
        if self.index is None:
            return f"Under no step of plan {plan}" if plan else "Before any plan"
        step = step_name(self.index)
        named = f"Plan {plan}, {step}" if plan and plan > 1 else step.capitalize()
        return f"{named}: {self.title}"


class StoryAnswer(Result):
    """A session's story, made by rule: plan steps as chapters, edits folded into beats."""

    session_id: str
    title: str | None = None
    user_message: str | None = None
    totals: dict[str, int]
    chapters: list[Chapter]
    omitted: int | None = None
    """Rows that are left out; the cursor continues with them."""
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it

    def briefly(self) -> Self:
        """Leave out zeros."""
        return self.model_copy(update={"totals": {k: n for k, n in self.totals.items() if n}})

    def text(self) -> str:
        """Tell it in Markdown, for someone who may want to name a step to a tool."""
        has_steps = any(chapter.index is not None for chapter in self.chapters)
        return "\n".join([self.markdown(), *(["", _COUNTS_FROM_ZERO] if has_steps else [])])

    def markdown(self) -> str:
        """Tell it in Markdown."""
        asked = [f"> {line}" for line in (self.user_message or "").splitlines()]
        chapters = [line for chapter in self.chapters for line in chapter.lines()]
        return "\n".join([
            f"# {self.title or f'Session {self.session_id}'}",
            *asked,
            self._totals(),
            *chapters,
            *(["", f"({self.omitted} more beats)"] if self.omitted else []),
            *more(self.nextCursor),
        ])  # fmt: skip

    def _totals(self) -> str:
        of = self.totals
        parts = [f"{counted(of['edits'], 'edit')} in {counted(of['files'], 'file')}"]
        parts += [f"+{of['added']} -{of['removed']}"]
        parts += [f"{of['undone']} undone"] if of["undone"] else []
        parts += [f"{of['failed']} failed"] if of["failed"] else []
        parts += [f"{of['external']} from outside"] if of["external"] else []
        parts += [f"{of['restored']} restored"] if of["restored"] else []
        parts += [f"{of['reported']} as reported"] if of["reported"] else []
        return ", ".join(parts)


def taken_back(undone: int | None, whole: int, by: int | None) -> str | None:
    """Say that something was taken back, entirely or in part; `None` if it stands."""
    if not undone or by is None:
        return None
    return f"undone by s:{by}" if undone >= whole else f"{undone} of {whole} undone by s:{by}"


def _done(action: str, number: int, beat: Beat) -> str:
    if action == "edit" and not beat.external:
        return counted(number, "edit")
    verb = _VERBS[action]
    return f"{number} {verb}" if beat.files or number > 1 else verb
