"""Events of threads, the histories that graph frameworks keep."""

from typing import ClassVar

from pydantic import Field

from hansard.kernel.blob import Digest
from hansard.kernel.event import Event
from hansard.kernel.model import Model


class StepSaved(Event):
    """A graph's state after a step was saved; values of some size are blobs, by channel.

    It stands on the session's timeline. In the project's activity a graph's many steps would
    drown everything else.
    """

    kind: ClassVar[str] = "checkpoints.step_saved.v1"

    thread: str
    ns: str
    id: str
    parent: str | None
    run: str | None
    step: int | None
    body: str
    """What the framework wants back besides the values, packed; empty if it is a blob."""
    body_blob: Digest | None
    values: dict[str, Digest]
    size_bytes: int
    """Packed, less what was stored before."""
    spares: dict[str, Digest] = Field(default_factory=dict)
    """By channel: a second copy, of a value that does not lie near this step."""

    def summary(self) -> str:
        """Say which step of which thread."""
        which = "A step" if self.step is None else f"Step {self.step}"
        return f"{which} of thread {self.thread} saved" + _within(self.ns)


class InputSaved(StepSaved):
    """A step that a graph did not take by itself was saved: an input, or a change by hand."""

    kind: ClassVar[str] = "checkpoints.input_saved.v1"
    activity: ClassVar[str | None] = "thread_input"

    def summary(self) -> str:
        """Say which thread went on."""
        return f"Thread {self.thread} was given input or changed" + _within(self.ns)


class Write(Model):
    """What a task wrote to a channel, packed, or as a blob."""

    channel: str
    index: int
    """Its place among the task's writes; below 0 where a later one takes its place."""
    packed: str
    blob: Digest | None
    spare: Digest | None = None
    """A second copy of the blob, where the channel's value has one."""


class WritesKept(Event):
    """A task's writes were kept, to be applied when its step is done."""

    kind: ClassVar[str] = "checkpoints.writes_kept.v1"

    thread: str
    ns: str
    id: str
    task: str
    path: str
    writes: list[Write]
    size_bytes: int

    def summary(self) -> str:
        """Say to which channels."""
        channels = ", ".join(write.channel for write in self.writes)
        return f"Writes to {channels} kept in thread {self.thread}"


class ThreadDeleted(Event):
    """A thread was taken away."""

    kind: ClassVar[str] = "checkpoints.thread_deleted.v1"
    activity: ClassVar[str | None] = "thread_deleted"

    thread: str

    def summary(self) -> str:
        """Name it."""
        return f"Thread {self.thread} deleted"


class ThreadPruned(Event):
    """All steps of a thread up to a point were taken away, except some."""

    kind: ClassVar[str] = "checkpoints.thread_pruned.v1"
    activity: ClassVar[str | None] = "thread_pruned"

    thread: str
    kept: dict[str, list[str]]
    """The ids of the steps that stay, by namespace."""
    through: int
    """The last seq that counts: what came later was not looked at."""

    def summary(self) -> str:
        """Say how many are left."""
        left = sum(len(ids) for ids in self.kept.values())
        return f"Thread {self.thread} pruned to {left} steps"


class ThreadCopied(Event):
    """A thread's steps became another's too."""

    kind: ClassVar[str] = "checkpoints.thread_copied.v1"
    activity: ClassVar[str | None] = "thread_copied"

    source: str
    target: str

    def summary(self) -> str:
        """Name both."""
        return f"Thread {self.source} copied to {self.target}"


class RunsDeleted(Event):
    """The steps of some runs were taken away."""

    kind: ClassVar[str] = "checkpoints.runs_deleted.v1"
    activity: ClassVar[str | None] = "runs_deleted"

    runs: list[str]

    def summary(self) -> str:
        """Name them."""
        return f"Steps of {len(self.runs)} runs deleted"


def _within(ns: str) -> str:
    return f" in {ns}" if ns else ""


EVENTS: tuple[type[Event], ...] = (
    StepSaved,
    InputSaved,
    WritesKept,
    ThreadDeleted,
    ThreadPruned,
    ThreadCopied,
    RunsDeleted,
)
