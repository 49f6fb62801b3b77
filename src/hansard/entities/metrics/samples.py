"""Iterates over samples in journal order."""

from collections.abc import Iterator

from hansard.entities.metrics.batch import Sample, unpack
from hansard.entities.metrics.events import MetricsRecorded
from hansard.kernel import paging
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Kinds


def walk_samples(tx: ReadTx) -> Iterator[Sample]:
    """Give every sample that was recorded; those made as entities are exported with these."""
    kinds = Kinds([MetricsRecorded])
    for entry in paging.entries(tx, kinds=[MetricsRecorded.kind]):
        event = kinds.decode(entry)
        if isinstance(event, MetricsRecorded):
            batch = unpack(content(tx, event.samples))
            yield from (batch.sample(index) for index in range(event.count))
