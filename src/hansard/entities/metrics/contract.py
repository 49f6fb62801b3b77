"""What can be asked about metrics, and what comes back."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import ConfigDict, Field, WithJsonSchema, model_validator

from hansard.entities.limits import DIMENSIONS_MAX
from hansard.entities.metrics import limits
from hansard.entities.metrics.times import Bucket, Time
from hansard.entities.types.metric import Dimensions, Value
from hansard.kernel.model import Model
from hansard.kernel.model_answer import UNTOLD
from hansard.kernel.operation import ProjectRequest, Result, Written
from hansard.kernel.text import Cursor, Label, counted


class SampleGiven(Model):
    """One measurement; without a time it is of the moment in which it is recorded."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Label
    value: Value
    dimensions: Dimensions = Field(default_factory=dict)
    at: Time | None = None


class MetricRecord(ProjectRequest):
    """Arguments of metric_record."""

    samples: list[SampleGiven] = Field(min_length=1, max_length=limits.SAMPLES_MAX)


class MetricQuery(ProjectRequest):
    """Arguments of metric_query."""

    name: Label | None = None
    bucket: Bucket | None = None
    by: list[Label] = Field(default_factory=list, max_length=DIMENSIONS_MAX)
    where: Dimensions = Field(default_factory=dict)
    since: Time | None = None
    until: Time | None = None
    raw: bool = False
    limit: Annotated[
        int, Field(ge=1, le=limits.GROUPS_MAX), WithJsonSchema({"type": "integer"})
    ] = 100
    cursor: Cursor | None = None

    @model_validator(mode="after")
    def _in_order(self) -> "MetricQuery":
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise ValueError("since must be earlier than until")
        if self.raw and (self.name is None or self.bucket or self.by):
            raise ValueError("raw needs a name, and takes neither bucket nor by")
        if len(set(self.by)) < len(self.by):
            raise ValueError("by names a dimension twice")
        return self


class MetricsWrittenAnswer(Written):
    """How many samples were recorded."""

    recorded: int
    session_id: str | None = None

    def text(self) -> str:
        """Say how many."""
        return (
            "1 sample recorded." if self.recorded == 1 else f"{self.recorded:,} samples recorded."
        )


class Group(Model):
    """What the samples of one bucket and one set of dimensions come to."""

    start: str | None = None
    """When the bucket begins; absent where there are no buckets."""
    dimensions: dict[str, str | None] = Field(default_factory=dict)
    """Those grouped by; null for samples that have no such dimension."""
    count: int
    sum: float
    min: float
    max: float
    mean: float
    p50: float
    p95: float

    def text(self) -> str:
        """Say it in one line."""
        named = [
            f"{key}={'-' if value is None else value}" for key, value in self.dimensions.items()
        ]
        head = " ".join(filter(None, [self.start, *named]))
        figures = (
            f"count {self.count}, mean {self.mean}, p50 {self.p50}, p95 {self.p95}, "
            f"min {self.min}, max {self.max}, sum {self.sum}"
        )
        return f"{head}: {figures}" if head else figures


class SampleShown(Model):
    """One measurement as it was given, with what every record has."""

    id: str
    createdAt: str
    """When it was recorded."""
    updatedAt: Annotated[str, UNTOLD]
    name: Annotated[str, UNTOLD]
    dimensions: dict[str, str]
    value: float
    at: str
    """When it was measured, to the millisecond."""

    def text(self) -> str:
        """Say it in one line."""
        named = "".join(f" {key}={value}" for key, value in self.dimensions.items())
        return f"{self.at}{named}: {self.value} ({self.id}, recorded {self.createdAt})"


class MetricShown(Model):
    """A metric that has samples."""

    name: str
    count: int
    series: int
    dimensions: list[str]
    first: str
    last: str

    def text(self) -> str:
        """Say it in one line."""
        by = f" by {', '.join(self.dimensions)}" if self.dimensions else ""
        return f"{self.name}: {counted(self.count, 'sample')}{by}, {self.first} to {self.last}"


class MetricAnswer(Result):
    """Groups in the order of time, then of dimensions; or, where no name was given, the metrics.

    If raw, the samples themselves as they were given, by when the batch that they came in begins.
    """

    name: str | None = None
    groups: list[Group] | None = None
    samples: list[SampleShown] | None = None
    metrics: list[MetricShown] | None = None
    total: int
    nextCursor: str | None = None

    def text(self) -> str:
        """Say each in a line."""
        shown: Sequence[Group | SampleShown | MetricShown] | None
        shown = self.groups or self.samples or self.metrics
        if not shown:
            return "No metrics yet." if self.name is None else f"No samples of {self.name}."
        lines = [one.text() for one in shown]
        if self.nextCursor:
            lines.append(f"({len(lines)} of {self.total:,}; next page: cursor={self.nextCursor})")
        return "\n".join(lines)
