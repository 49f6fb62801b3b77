"""Plain values for what can be imported, whatever its format."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from hansard.records.shapes import State


@dataclass(frozen=True, slots=True)
class Said:
    """The user said something to the agent."""

    key: str
    text: str
    at: str | None = None


@dataclass(frozen=True, slots=True)
class NotedItem:
    """Something that the timeline tells in words: a command, a subagent, a compaction."""

    key: str
    type: str
    text: str
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Edited:
    """A file was changed, with what it held before and after."""

    key: str
    path: str
    """As the host has it; made relative to the session's folder when it is taken over."""
    after: str | None
    """`None` of a file that was deleted."""
    before: str | None = None
    is_new: bool = False
    at: str | None = None


Happening = Said | NotedItem | Edited


@dataclass(slots=True)
class Session:
    """One chat of a host with everything known about it, in order."""

    id: str
    key: str
    host: str
    folder: str | None = None
    """The folder that the agent worked in."""
    title: str | None = None
    began: str | None = None
    circumstances: dict[str, str] = field(default_factory=dict)
    """What else the host says of it: version, model, branch."""
    parent: str | None = None
    """The session whose subagent this was."""
    happenings: list[Happening] = field(default_factory=list)
    last_words: str | None = None
    """What the agent said last."""
    is_over: bool = False
    """Whether the transcript says that it ended."""

    @property
    def ended(self) -> str | None:
        """Say when something last happened in it."""
        times = [one.at for one in self.happenings if one.at]
        return max(times, default=self.began)


@dataclass(frozen=True, slots=True)
class ForeignRecord:
    """Something that is known, or to be done."""

    key: str
    type: str
    title: str
    summary: str
    body: str
    state: State = "OPEN"
    reason: str | None = None
    parent: str | None = None
    related: Sequence[str] = ()
    """Keys of other records of the same source."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    at: str | None = None


Standing = Literal["active", "proposed", "rejected"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that was decided, or put up for it."""

    key: str
    target: str
    title: str
    rationale: str
    consequences: Sequence[str] = ()
    standing: Standing = "active"
    supersedes: Sequence[str] = ()
    """Keys of other decisions of the same source."""
    draft: str | None = None
    """The key that the same source had it under while it was only proposed."""
    reason: str | None = None
    """Why it was rejected."""
    at: str | None = None


@dataclass(frozen=True, slots=True)
class GraphWrite:
    """What a task of a graph wrote after a checkpoint."""

    task: str
    index: int
    channel: str
    kind: str
    content: bytes
    path: str = ""


@dataclass(frozen=True, slots=True)
class GraphStep:
    """A checkpoint of a graph, its values as the framework has packed them."""

    key: str
    thread: str
    ns: str
    id: str
    parent: str | None
    kind: str
    checkpoint: bytes
    metadata: Mapping[str, Any]
    writes: Sequence[GraphWrite] = ()
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is not taken over, where it was, and why."""

    place: str
    reason: str


Item = Session | ForeignRecord | Decision | GraphStep | Skipped


@dataclass(frozen=True, slots=True)
class ForeignFormat:
    """A format that can be read."""

    name: str
    about: str
    """What of which program it is, in a few words."""
    usual: str
    """Where that program keeps it."""
    fits: Callable[[Path], bool]
    """Whether a file or folder looks like it, by its names and its beginning."""
    read: Callable[[Path], Iterator[Item]]
    """Goes through what it holds."""
