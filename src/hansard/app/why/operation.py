"""`why`: which entry wrote a line, in which session and step, after which prompt, on what grounds.

What the recorder knows is followed to the revision that wrote the line, through moves, restores and
undos. Where that was someone outside, Git's blame goes on, if there is a repository.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, WithJsonSchema, model_validator

from hansard.app.why import git_lines
from hansard.app.why.answers import Commit, WhyAnswer, WrittenLines
from hansard.app.why.grounds import grounds_of
from hansard.kernel.blob import digest_of
from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.operation import Capability, Context, Operation, ProjectRequest
from hansard.kernel.problem import InvalidInput, Problem
from hansard.recorder import limits
from hansard.recorder.contents.blame import LineOrigin, LineSpan, through
from hansard.recorder.contents.diffs import changed_regions, is_text, lines_of
from hansard.recorder.contents.kept_content import ContentNotKeptError
from hansard.recorder.contract import Number, PathText
from hansard.recorder.gateway import Gateway
from hansard.recorder.history.file_history import History, history_at, path_of
from hansard.recorder.history.lineage import known_here
from hansard.recorder.history.lines import Lines
from hansard.recorder.history.revisions import digest_held
from hansard.recorder.problems import FileNotFound
from hansard.recorder.workspace.states import FileState

_NUMBER = WithJsonSchema({"type": "integer"})
LineNumber = Annotated[int, Field(ge=1, le=limits.LINE_NUMBER_MAX), _NUMBER]


class AskWhy(ProjectRequest):
    """Some lines of a file."""

    path: PathText
    line: LineNumber
    end_line: LineNumber | None = None
    at: Number | None = None

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        last = self.end_line or self.line
        if last < self.line:
            raise ValueError("end_line: comes before line")
        if last - self.line >= limits.LINES_ASKED_MAX:
            raise ValueError(f"end_line: at most {limits.LINES_ASKED_MAX} lines at once")
        return self


def capability(gateway: Gateway, workspace: Path) -> Capability:
    """Make the capability that says why lines are there."""
    operation = Operation(
        "why",
        "Say why a line is there: who wrote it, in which session and step, asked by whom, on what "
        "grounds. at: a revision; else as it is now.",
        AskWhy,
        WhyAnswer,
        partial(why, gateway, workspace),
        writes=False,
        toolsets=("default",),
    )
    return Capability("why", (operation,), close=gateway.close)


def why(gateway: Gateway, workspace: Path, request: AskWhy, context: Context) -> WhyAnswer:
    """Say which entries wrote some lines of a file."""
    path = gateway.plain(request.path)
    now = None if request.at else _on_disk(gateway, context, request.path)
    told = context.read(partial(_look, gateway, request, context, now))
    for one, content in told.foreign:
        one.commit = _commit(workspace, one, content)
    return WhyAnswer(path=told.path or str(path), revision=told.revision, lines=told.lines)


@dataclass(slots=True)
class _Told:
    path: str
    revision: int | None
    lines: list[WrittenLines]
    foreign: list[tuple[WrittenLines, bytes]]
    """What Git may know more of, with the content that its line numbers are of."""


def _look(
    gateway: Gateway, request: AskWhy, context: Context, now: FileState | None, tx: ReadTx
) -> _Told:
    history = _history(gateway, tx, request)
    lines = Lines(tx, history, gateway.keys) if history else None
    revision = request.at or (history.latest if history else None)
    latest = _latest(lines, revision, request, now)
    newest = now.content if now else latest
    if newest is None:
        raise InvalidInput("There is no file, or its content was not kept", argument="path")
    _require_lines(newest, request)
    is_recorded = newest == latest
    asked, fresh = _asked(request), list[LineSpan]()
    if not is_recorded:
        asked, fresh = _recorded_part(latest, newest, asked)
    found = lines.origins(asked, revision) if lines and revision and asked else []
    is_secret = _is_secret(gateway, newest, lines.row(revision) if lines and revision else None)
    teller = _Teller(gateway, tx, context, lines, (newest, not is_secret))
    name = history.path() if history else str(gateway.plain(request.path))
    told = [teller.unrecorded(span, name) for span in fresh]
    told += [teller.tell(origin) for origin in found[: limits.ORIGINS_TOLD_MAX]]
    told.sort(key=lambda one: one.first_line)
    return _Told(name, revision if is_recorded else None, told, teller.foreign)


def _asked(request: AskWhy) -> list[LineSpan]:
    first, last = request.line - 1, request.end_line or request.line
    return [LineSpan(first, first, last - first)]


def _is_secret(gateway: Gateway, content: bytes, recorded: Row | None) -> bool:
    """Whether a content looks like it holds a secret; what is recorded says so itself."""
    after = recorded["after"] if recorded else None
    if after and digest_held(after) == digest_of(content):
        return bool(after.get("redacted"))
    return bool(gateway.redacted(content))


def _recorded_part(
    latest: bytes | None, now: bytes, asked: list[LineSpan]
) -> tuple[list[LineSpan], list[LineSpan]]:
    """Tell the lines that are as they were last recorded from those that someone changed since."""
    if latest is None:
        return [], asked
    return through(asked, changed_regions(lines_of(latest), lines_of(now)))


def _latest(
    lines: Lines | None, revision: int | None, request: AskWhy, now: FileState | None
) -> bytes | None:
    """Give what was last recorded, as far as it is kept, or still on disk."""
    if lines is None or revision is None:
        return None
    row = lines.row(revision)
    if row["after"] is None:
        return None
    if now and digest_held(row["after"]) == now.digest:
        return now.content
    try:
        return lines.content(row)
    except ContentNotKeptError as reason:
        if request.at:
            raise InvalidInput(f"Of revision {revision} nothing can be said: {reason}") from None
        return None


def _history(gateway: Gateway, tx: ReadTx, request: AskWhy) -> History | None:
    file = known_here(gateway, tx, str(gateway.plain(request.path)))
    history = history_at(tx, file) if file else None
    if request.at is None:
        return history
    if history is None:
        raise FileNotFound(f"Nothing is recorded of {request.path}", path=request.path)
    if history.row(request.at) is None:
        message = f"{history.path()} has revisions 1 to {history.latest}, not {request.at}"
        raise InvalidInput(message, argument="at")
    return history


def _on_disk(gateway: Gateway, context: Context, path: str) -> FileState | None:
    """Read the present file for callers who may read files; for others its last record counts."""
    if not context.caller.actor.may("agent"):
        return None
    try:
        found = gateway.workspace.read(gateway.resolve(path, context.caller))
    except Problem:  # protected, no plain file, no folder: its record may still say something
        return None
    return found


def _require_lines(content: bytes, request: AskWhy) -> None:
    if not is_text(content):
        raise InvalidInput(f"{request.path} is no text, so it has no lines", argument="path")
    count = len(lines_of(content))
    if (request.end_line or request.line) > count:
        raise InvalidInput(f"{request.path} has {count} lines", argument="line")


class _Teller:
    """Tells origins of lines, and keeps those that Git may know more of."""

    def __init__(
        self,
        gateway: Gateway,
        tx: ReadTx,
        context: Context,
        lines: Lines | None,
        newest: tuple[bytes, bool],
    ) -> None:
        """Tell lines of a content, and their words if that may be."""
        self.gateway, self.tx, self.context, self.lines = gateway, tx, context, lines
        self.newest, may_show = newest
        self.foreign: list[tuple[WrittenLines, bytes]] = []
        self._shown = lines_of(self.newest) if may_show else []

    def unrecorded(self, span: LineSpan, path: str) -> WrittenLines:
        """Tell lines that someone changed since the file was last recorded."""
        told = WrittenLines(source="unrecorded", path=path, line=span.here + 1, **self._place(span))
        self.foreign.append((told, self.newest))
        return told

    def tell(self, origin: LineOrigin) -> WrittenLines:
        """Tell the entry that wrote some lines."""
        assert self.lines is not None, "lines have an origin in a file without a history"
        row = self.lines.row(origin.number)
        [entry] = self.tx.entries(after=row["seq"] - 1, limit=1)
        told = WrittenLines(
            **self._place(origin.span),
            source=row["source"],
            revision=origin.number,
            line=origin.span.here + 1,
            path=path_of(self.tx, row),
            seq=entry.seq,
            at=entry.at,
            action=row["action"],
            note=None if origin.is_certain else self._doubt(row),
        )
        if row["source"] in ("external", "found"):
            self._keep_foreign(told, row)
            return told
        return told.model_copy(update=grounds_of(self.tx, self.context, entry, self.gateway))

    def _keep_foreign(self, told: WrittenLines, row: Row) -> None:
        assert self.lines is not None, "a revision is of no history"
        try:
            self.foreign.append((told, self.lines.content(row)))
        except ContentNotKeptError:
            return

    def _place(self, span: LineSpan) -> dict[str, Any]:
        text = self._shown[span.asked].decode("utf-8", "replace") if self._shown else None
        last = span.asked + span.length
        return {
            "first_line": span.asked + 1,
            "last_line": last,
            "text": text and text.rstrip("\r\n"),
        }

    def _doubt(self, row: Row) -> str:
        if row.get("before_unknown"):
            return "What the file held before this is not known, so it may be older"
        return "The content of the revision before it was not kept, so it may be older"


def _commit(workspace: Path, told: WrittenLines, content: bytes) -> Commit | None:
    return git_lines.commit_of(workspace, told.path, content, told.line - 1)
