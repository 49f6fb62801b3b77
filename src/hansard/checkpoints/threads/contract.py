"""Requests and answers about threads. Values are bytes, since only the framework reads them.

These operations are for libraries in this process; no tool is made of them.
"""

from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

from hansard.checkpoints.threads import limits
from hansard.kernel.chain_states import ChainStates
from hansard.kernel.model import Model
from hansard.kernel.operation import ProjectRequest, Result, Written
from hansard.kernel.text import Id
from hansard.kernel.values import without_nul

Name = Annotated[str, Field(max_length=limits.NAME_CHARS_MAX), AfterValidator(without_nul)]
Namespace = Annotated[
    str, Field(max_length=limits.NAMESPACE_CHARS_MAX), AfterValidator(without_nul)
]
Channel = Annotated[str, Field(max_length=limits.NAME_CHARS_MAX)]
"""The name of a channel where it is never part of a key."""

Content = Annotated[bytes, Field(max_length=limits.VALUE_BYTES_MAX)]


class ThreadRequest(ProjectRequest):
    thread: Id


class StepRequest(ThreadRequest):
    ns: Namespace
    id: Id


class PutRequest(StepRequest):
    under: Id | None = None
    """A session that is known to be of this project, for the operations that look none up."""


class PutStep(PutRequest):
    parent: Id | None = None
    run: Name | None = None
    step: int | None = None
    is_input: bool = False
    """Whether the step came from outside the graph: then the project's activity tells of it."""
    body: Content
    values: dict[Name, Content] = Field(default_factory=dict, max_length=limits.VALUES_MAX)
    """New values, by channel."""
    known: dict[Name, str] = Field(default_factory=dict, max_length=limits.VALUES_MAX)
    """Values that the parent has under the same channel, by digest."""


class WriteGiven(Model):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    channel: Channel
    index: int
    content: Content


class PutWrites(PutRequest):
    task: Name
    path: Name = ""
    writes: list[WriteGiven] = Field(max_length=limits.VALUES_MAX)


class GetStep(ThreadRequest):
    ns: Namespace
    id: Id | None = None
    """Absent means the latest."""


class ListSteps(ProjectRequest):
    thread: Id | None = None
    ns: Namespace | None = None
    id: Id | None = None
    after: tuple[Id, int] | None = None
    """The id and place of a step: only those that come after it, in this descending order."""
    limit: Annotated[int, Field(ge=1)] = limits.STEPS_PAGE
    latest: bool = False
    """Only the latest step of each namespace."""


class GetContents(ProjectRequest):
    digests: list[str]
    spares: dict[str, str] = Field(default_factory=dict)
    """By digest: the second copies of some of them."""


class DeleteThread(ThreadRequest):
    pass


class PruneThread(ThreadRequest):
    kept: dict[Namespace, list[Id]]
    through: int


class CopyThread(ThreadRequest):
    source: Id


class DeleteRuns(ProjectRequest):
    runs: list[Name]


class StepPutAnswer(Written):
    values: dict[str, str]
    """The digest of each value, by channel."""
    depths: dict[str, int]
    """Of new blobs: on how many others each is packed."""
    number: int
    """The thread's, in the tables."""
    is_latest: bool = False
    """Whether it has the highest id of its place, and no task has written to it before."""

    def text(self) -> str:
        """Say it."""
        return "The step is saved."


class DoneAnswer(Written):
    def text(self) -> str:
        """Say it."""
        return "Done." if self.receipt else "There was nothing to do."


class WriteFound(Model):
    task: str
    channel: str
    content: bytes


class Step(Model):
    thread: str
    ns: str
    place: int
    id: str
    parent: str | None
    body: bytes
    values: dict[str, str]
    spares: dict[str, str]
    """By digest: the second copies of some values."""
    writes: list[WriteFound]


class StepsFoundAnswer(Result):
    steps: list[Step]
    contents: dict[str, bytes] = Field(default_factory=dict)
    """The values by digest, if they were asked for."""
    seq: int
    """The end of the journal when they were looked up."""

    def text(self) -> str:
        """Count them."""
        return f"{len(self.steps)} steps"


class ContentsAnswer(Result):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    contents: dict[str, bytes]
    ways: list[ChainStates] = Field(default_factory=list)
    """Down to values that are too much to be held at once."""

    def text(self) -> str:
        """Count them."""
        return f"{len(self.contents)} values"
