"""What happens to metrics. The samples are a blob; the event carries its digest."""

from typing import ClassVar

from hansard.kernel.blob import Digest
from hansard.kernel.event import Event


class MetricsRecorded(Event):
    """Some samples were recorded, all at once."""

    kind: ClassVar[str] = "entities.metrics_recorded.v1"
    activity: ClassVar[str | None] = "metrics_recorded"

    samples: Digest
    count: int
    first_name: str
    names: int
    """How many metrics they are of."""

    def summary(self) -> str:
        """Say how many, and of what."""
        more = self.names - 1
        others = f" and {more:,} other metric{'s' * (more > 1)}" if more else ""
        samples = "1 sample" if self.count == 1 else f"{self.count:,} samples"
        return f"{samples} of {self.first_name}{others} recorded"

    def subject(self) -> str | None:
        """Give the metric, if there is only one."""
        return self.first_name if self.names == 1 else None


EVENTS: tuple[type[Event], ...] = (MetricsRecorded,)
