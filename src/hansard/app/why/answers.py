"""The answer of `why`: data for a page, and a short paragraph."""

from typing import Annotated, Literal

from hansard.kernel.model import AnswerPart
from hansard.kernel.model_answer import SECONDS, UNTOLD
from hansard.kernel.operation import Result
from hansard.recorder.events import step_name

TEXT_SHOWN_CHARS = 120


class Cited(AnswerPart):
    """A record or decision behind a line, and what it has to do with it."""

    id: str
    title: str | None = None
    status: str | None = None
    how: Literal["cited", "active", "governs", "cited in the session"]
    """`active`: in the session as the line was written. `governs`: the file, now."""

    def text(self) -> str:
        """Name it."""
        named = f"{self.id} ({self.title})" if self.title else self.id
        state = f", now {self.status}" if self.status else ""
        return f"{self.how} {named}{state}"


class Prompt(AnswerPart):
    """What a person had last asked for."""

    seq: Annotated[int, UNTOLD]
    text: str


class Commit(AnswerPart):
    """The commit of Git that a line came with."""

    id: str
    author: str
    at: str
    summary: str

    def words(self) -> str:
        """Name it."""
        when = f"on {self.at[:10]} in {self.id[:10]}"
        return f"Git says that {self.author} committed it {when}: {self.summary}"


class WrittenLines(AnswerPart):
    """Some lines that one entry wrote."""

    first_line: int
    last_line: int
    text: str | None = None
    """The first of them."""
    source: Literal["executed", "reported", "external", "restored", "found", "unrecorded"]
    revision: Annotated[int | None, UNTOLD] = None
    """Of the file; `line` is the number that the first of them then had, in `path`."""
    line: int
    path: str
    seq: int | None = None
    at: Annotated[str | None, SECONDS] = None
    actor: str | None = None
    action: str | None = None
    session_id: str | None = None
    session_title: str | None = None
    plan_revision: Annotated[int | None, UNTOLD] = None
    index: int | None = None
    step: str | None = None
    prompt: Prompt | None = None
    records: list[Cited] | None = None
    decisions: list[Cited] | None = None
    cites: list[str] | None = None
    """Whatever else it cites."""
    commit: Commit | None = None
    note: str | None = None
    """What is not known of it."""

    def paragraph(self, path: str) -> str:
        """Tell it."""
        return f"{self.place(path)} {self.told()}"

    def place(self, path: str) -> str:
        """Name the lines, and show the first of them."""
        lines = f"{self.first_line}" if self.first_line == self.last_line else self._range()
        shown = (self.text or "").strip()[:TEXT_SHOWN_CHARS]
        return f"{path}:{lines}" + (f" `{shown}`" if shown else "")

    def told(self) -> str:
        """Say who wrote them, and what is behind it."""
        parts = [f"{self._who()}."]
        parts += [f'Asked: "{" ".join(self.prompt.text.split())}".'] if self.prompt else []
        behind = [one.text() for one in [*(self.records or ()), *(self.decisions or ())]]
        behind += [f"cites {', '.join(self.cites)}"] if self.cites else []
        parts += [f"Behind it: {'; '.join(behind)}."] if behind else []
        parts += [f"{self.commit.words()}."] if self.commit else []
        parts += [f"{self.note}."] if self.note else []
        return " ".join(parts)

    def _range(self) -> str:
        return f"{self.first_line}-{self.last_line}"

    def _who(self) -> str:
        match self.source:
            case "unrecorded":
                return "was changed from outside since the last record of the file"
            case "found":
                return f"was there before Hansard first met the file (s:{self.seq})"
            case "external":
                return f"came from outside, noticed on {self._when()} as s:{self.seq}"
        where = f' in session "{self.session_title}"' if self.session_title else ""
        where += f" ({self.session_id})" if self.session_id else ""
        step = f", {step_name(self.index)}: {self.step}" if self.index is not None else ""
        what = f"s:{self.seq} ({self.source} {self.action}, then {self.path}:{self.line})"
        return f"was written by {self.actor}{where}{step}, on {self._when()} as {what}"

    def _when(self) -> str:
        return (self.at or "")[:16].replace("T", " ")


class WhyAnswer(Result):
    """Which entries wrote some lines of a file, and what is behind each."""

    path: str
    revision: Annotated[int | None, UNTOLD] = None
    """The one whose lines these are; absent for the file as it is on disk."""
    lines: list[WrittenLines]

    def text(self) -> str:
        """Give a paragraph for each entry."""
        return "\n\n".join(one.paragraph(self.path) for one in self.lines)
