"""A batch of samples as one blob, by columns, so that it packs well. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise

import orjson

from hansard.entities.metrics.times import clamped_ms
from hansard.kernel.blob import canonical_json

Dimensions = dict[str, str]


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement."""

    name: str
    dimensions: Dimensions
    at_ms: int
    value: float


@dataclass(frozen=True, slots=True)
class Batch:
    """Samples in the order in which they were given."""

    series: list[tuple[str, Dimensions]]
    """The names with dimensions that occur, each once."""
    of: list[int]
    """For each sample, which of the series it is of."""
    at_ms: list[int]
    values: list[float]

    def sample(self, index: int) -> Sample:
        """Give one sample."""
        name, dimensions = self.series[self.of[index]]
        return Sample(name, dimensions, self.at_ms[index], self.values[index])


def gather(samples: Iterable[Sample]) -> Batch:
    """Put samples into columns."""
    numbers: dict[tuple[str, tuple[tuple[str, str], ...]], int] = {}
    of, at_ms, values = [], [], []
    for sample in samples:
        known = sample.name, tuple(sorted(sample.dimensions.items()))
        of.append(numbers.setdefault(known, len(numbers)))
        at_ms.append(sample.at_ms)
        values.append(sample.value)
    return Batch([(name, dict(pairs)) for name, pairs in numbers], of, at_ms, values)


def pack(batch: Batch) -> bytes:
    """Write a batch down. Times are kept as steps from one to the next."""
    steps = [later - earlier for earlier, later in pairwise([0, *batch.at_ms])]
    return canonical_json(
        {"series": batch.series, "of": batch.of, "steps_ms": steps, "values": batch.values}
    )


def unpack(content: bytes) -> Batch:
    """Read a batch."""
    columns = orjson.loads(content)
    return Batch(
        [(name, dimensions) for name, dimensions in columns["series"]],
        columns["of"],
        list(accumulate(columns["steps_ms"])),
        columns["values"],
    )


def of_entity(content: bytes, at: str) -> Batch:
    """Make a batch of the one measurement that an entity is."""
    given = orjson.loads(content)
    return gather([Sample(given["name"], given["dimensions"], clamped_ms(at), given["value"])])
