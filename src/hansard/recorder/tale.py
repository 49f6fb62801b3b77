"""The story as it is answered: chapters and beats as data, and the same as Markdown."""

from typing import Literal

from hansard.kernel.operation import Result
from hansard.recorder.answers import Shape
from hansard.sessions.contract import more


class Beat(Shape):
    """Something a session did, however many calls it took."""

    type: Literal["file", "note", "event", "restore"]
    first_seq: int
    last_seq: int
    first_at: str
    last_at: str
    path: str | None = None
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
    label: str | None = None
    text: str | None = None
    author: str | None = None
    activity: str | None = None
    count: int | None = None
    texts: list[str] | None = None
    """The first few of a run of like events, in words."""
    scope: str | None = None
    point: int | None = None

    def line(self) -> str:
        """Tell it in a line of Markdown."""
        match self.type:
            case "note":
                return f"- **{self.label}** ({self.author}): {self.text}"
            case "event":
                texts = self.texts or []
                rest = (self.count or 0) - len(texts)
                return f"- {'; '.join(texts)}" + (f" (and {rest} more)" if rest > 0 else "")
            case "restore":
                return f"- Restored {self.scope} to after s:{self.point}: {self._numbers()}"
        came = f" (moved from `{self.moved_from}`)" if self.moved_from else ""
        return f"- `{self.path}`{came}: {self._numbers()}"

    def _numbers(self) -> str:
        verbs = {"create": "created", "delete": "deleted", "move": "moved"}
        done = self.actions or ({"edit": self.edits} if self.edits else {})
        parts = [
            _plural(number, "edit") if action == "edit" else verbs[action]
            for action, number in done.items()
        ]
        if self.added or self.removed:
            parts.append(f"+{self.added or 0} -{self.removed or 0}")
        if self.failed:
            why = f" ({', '.join(self.codes)})" if self.codes else ""
            parts.append(f"{self.failed} failed{why}")
        if self.external:
            parts.append(f"{_plural(self.external, 'change')} from outside")
        if self.reported:
            parts.append(f"{self.reported} as reported")
        return ", ".join(parts) or "nothing"


class Chapter(Shape):
    """A step of the plan and what was done under it; without a title, what was done under none."""

    revision: int | None = None
    index: int | None = None
    title: str | None = None
    status: Literal["planned", "begun"] | None = None
    edits: int
    added: int
    removed: int
    failed: int
    external: int
    is_continued: bool | None = None
    """Whether it began on an earlier page."""
    beats: list[Beat]

    def lines(self) -> list[str]:
        """Tell it in Markdown."""
        plan = f"Plan {self.revision}, step" if self.revision and self.revision > 1 else "Step"
        name = f"{plan} {self.index}: {self.title}"
        if self.index is None:
            name = f"Under no step of plan {self.revision}" if self.revision else "Before any plan"
        notes = [
            *(["planned"] if self.status == "planned" else []),
            *(["continued"] if self.is_continued else []),
        ]
        counted = [
            *([_plural(self.edits, "edit")] if self.edits else []),
            *([f"+{self.added} -{self.removed}"] if self.added or self.removed else []),
            *([f"{self.failed} failed"] if self.failed else []),
            *([f"{self.external} from outside"] if self.external else []),
        ]
        heading = f"## {name}" + (f" ({', '.join(notes)})" if notes else "")
        return ["", heading, *([", ".join(counted)] if counted else []), *self._beats()]

    def _beats(self) -> list[str]:
        return [beat.line() for beat in self.beats]


class Story(Result):
    """A session told by rule: plan steps as chapters, edits folded into beats."""

    session_id: str
    title: str | None = None
    user_message: str | None = None
    totals: dict[str, int]
    chapters: list[Chapter]
    omitted: int | None = None
    """Rows that are not here; the cursor goes on with them."""
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it

    def text(self) -> str:
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
        parts = [f"{_plural(of['edits'], 'edit')} in {_plural(of['files'], 'file')}"]
        parts += [f"+{of['added']} -{of['removed']}"]
        parts += [f"{of['failed']} failed"] if of["failed"] else []
        parts += [f"{of['external']} from outside"] if of["external"] else []
        parts += [f"{of['reported']} as reported"] if of["reported"] else []
        return ", ".join(parts)


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
