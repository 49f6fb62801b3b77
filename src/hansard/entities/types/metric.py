"""metric: a number that was measured once, with what tells it apart from others of its name."""

from typing import Annotated

from pydantic import AfterValidator, Field

from hansard.entities.limits import DIMENSIONS_MAX, VALUE_MAX
from hansard.entities.types.entity import CamelShape, Entity, EntityType
from hansard.kernel.text import Label


def _within(value: float) -> float:
    if not abs(value) <= VALUE_MAX:
        raise ValueError(f"a number of at most {VALUE_MAX} either way")
    return value


Value = Annotated[float, AfterValidator(_within)]
Dimensions = Annotated[dict[Label, Label], Field(max_length=DIMENSIONS_MAX)]


class MetricDraft(CamelShape):
    """What a caller gives."""

    name: Label
    dimensions: Dimensions = Field(default_factory=dict)
    value: Value


class Metric(MetricDraft, Entity):
    """A measurement. It never changes: sums have been made of it."""


METRIC = EntityType(
    "metric",
    Metric,
    MetricDraft,
    is_immutable=True,
    instead="Record another measurement with metric_record: sums have been made of this one",
    where=("name",),
    title="name",
)
