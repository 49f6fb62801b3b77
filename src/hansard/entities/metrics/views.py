"""The metrics of a project, their series and roll-ups, and where their samples lie."""

from typing import Any, cast

from hansard.entities.events import EntityCreated, EntityImported
from hansard.entities.metrics.batch import Batch, Dimensions, of_entity, unpack
from hansard.entities.metrics.events import MetricsRecorded
from hansard.entities.metrics.rules import roll_up, series_of
from hansard.entities.metrics.sketch import Sketch, merged
from hansard.entities.types.metric import METRIC
from hansard.kernel.blob import Digest
from hansard.kernel.engine import Table
from hansard.kernel.view import Derivation, View

VERSION = 1

METRICS = Table("metrics", version=VERSION)
"""By name: how many samples and series there are, of which dimensions, and from when to when."""

SERIES = Table(
    "metric_series", {"name": "text", "grain": "text"}, (("name", "grain"),), version=VERSION
)
"""What is rolled up together, with its dimensions."""

ROLLUPS = Table(
    "metric_rollups",
    {"line": "text", "start_ms": "integer", "series": "text"},
    (("line", "start_ms"),),
    version=VERSION,
)
"""A bucket of a series each. A line is the rows that one kind of question reads, in order."""

BATCHES = Table(
    "metric_batches",
    {"name": "text", "first_ms": "integer", "last_ms": "integer"},
    (("name", "first_ms"),),
    version=VERSION,
)
"""Where the samples of a name lie, and from when to when they are."""

NO_SAMPLES: dict[str, Any] = {"count": 0, "series": 0, "dimensions": {}}
"""A metric before its first sample."""


def _recorded(event: MetricsRecorded, derivation: Derivation) -> None:
    _derive(unpack(derivation.content(event.samples)), event.samples, derivation)


def _created(event: EntityCreated, derivation: Derivation) -> None:
    """Count a measurement that was made as an entity of its own like any other."""
    if event.type == METRIC.name:
        _derive_one(event.content, derivation.entry.at, derivation)


def _imported(event: EntityImported, derivation: Derivation) -> None:
    if event.type == METRIC.name:
        assert event.content is not None, "a metric was imported without its content"
        _derive_one(event.content, event.created_at, derivation)


def _derive_one(entity: Digest, at: str, derivation: Derivation) -> None:
    _derive(of_entity(derivation.content(entity), at), entity, derivation, at=at)


def _derive(
    batch: Batch, samples: Digest, derivation: Derivation, *, at: str | None = None
) -> None:
    """Derive from a batch. `at` is given for one that is an entity, and is when that was made."""
    for name, moments in _times(batch).items():
        _count(name, moments, derivation)
        first_ms, last_ms = min(moments), max(moments)
        span = {"name": name, "first_ms": first_ms, "last_ms": last_ms}
        key = f"{derivation.entry.seq:x}.{name}"
        derivation.put(BATCHES, key, span | {"samples": samples, "entity_at": at})
    for name, dimensions in batch.series:
        _note(name, dimensions, derivation)
    for rollup in roll_up(batch):
        before = derivation.get(ROLLUPS, rollup.key)
        sketch = (
            merged([cast("Sketch", before["sketch"]), rollup.sketch]) if before else rollup.sketch
        )
        placed = {"line": rollup.line, "start_ms": rollup.start_ms, "series": rollup.series}
        derivation.put(ROLLUPS, rollup.key, placed | {"sketch": sketch})


def _times(batch: Batch) -> dict[str, list[int]]:
    """Gather the times of the samples of each name."""
    times: dict[str, list[int]] = {}
    for number, at_ms in zip(batch.of, batch.at_ms, strict=True):
        times.setdefault(batch.series[number][0], []).append(at_ms)
    return times


def _count(name: str, moments: list[int], derivation: Derivation) -> None:
    """Note how many samples a name has, and from when to when."""
    row = derivation.get(METRICS, name) or NO_SAMPLES | {"name": name}
    counted = {
        "count": row["count"] + len(moments),
        "first_ms": min(row.get("first_ms", moments[0]), *moments),
        "last_ms": max(row.get("last_ms", moments[0]), *moments),
    }
    derivation.put(METRICS, name, row | counted)


def _note(name: str, dimensions: Dimensions, derivation: Derivation) -> None:
    """Keep a set of dimensions that is new, with the coarser series it counts in."""
    whole, *coarser = series_of(name, dimensions)
    if derivation.get(SERIES, whole.key):
        return
    for series in (whole, *coarser):
        kept = {"name": name, "grain": series.grain, "dimensions": series.dimensions}
        derivation.put(SERIES, series.key, kept)
    row = derivation.get(METRICS, name)
    assert row is not None, "a series has a name that was not counted"
    counted = {key: row["dimensions"].get(key, 0) + 1 for key in dimensions}
    more = {"series": row["series"] + 1, "dimensions": row["dimensions"] | counted}
    derivation.put(METRICS, name, row | more)


VIEWS = (
    View(
        "metrics",
        VERSION,
        (METRICS, SERIES, ROLLUPS, BATCHES),
        on={MetricsRecorded: _recorded, EntityCreated: _created, EntityImported: _imported},
    ),
)
