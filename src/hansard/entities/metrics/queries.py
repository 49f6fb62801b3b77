"""Queries on metrics: from roll-ups, or from samples for finer times."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hansard.entities.metrics import contract, limits, raw, rules
from hansard.entities.metrics.batch import Batch, of_entity, unpack
from hansard.entities.metrics.sketch import Sketch, bin_of, merged, quantile, sketch_of
from hansard.entities.metrics.times import Bucket, to_iso
from hansard.entities.metrics.views import BATCHES, METRICS, ROLLUPS, SERIES
from hansard.kernel import paging
from hansard.kernel.blob import Digest, canonical_json
from hansard.kernel.content import content
from hansard.kernel.cursor import from_cursor, to_cursor
from hansard.kernel.engine import AnyOf, Position, Range, ReadTx, Row, Where
from hansard.kernel.operation import Context
from hansard.kernel.problem import InvalidInput

Values = tuple[str | None, ...]
"""What a group has in the dimensions grouped by, in their order."""
GroupKey = tuple[int, Values]
"""The start of a group's bucket, or 0, and its values."""


def query(request: contract.MetricQuery, context: Context) -> contract.MetricAnswer:
    """Sum samples up by bucket and dimensions; without a name, list the metrics there are."""
    if request.name is None:
        return context.read(lambda tx: _list(tx, request))
    name = request.name
    if request.raw:
        return context.read(lambda tx: samples(tx, request, name))
    gathered = context.read(lambda tx: _gather(tx, request, name))
    keys = sorted(gathered, key=_order)
    after = _after(request.cursor)
    left = [key for key in keys if after is None or _order(key) > after]
    page = left[: request.limit]
    return contract.MetricAnswer(
        name=name,
        groups=[_group(request, key, merged(gathered[key])) for key in page],
        total=len(keys),
        nextCursor=_cursor(page[-1]) if len(left) > len(page) else None,
    )


def samples(tx: ReadTx, request: contract.MetricQuery, name: str) -> contract.MetricAnswer:
    """Give the samples themselves, page by page."""
    counted = _gather(tx, request, name)
    page, cursor = raw.page(tx, request, name)
    return contract.MetricAnswer(
        name=name,
        samples=page,
        total=sum(sketch["count"] for several in counted.values() for sketch in several),
        nextCursor=cursor,
    )


def _gather(tx: ReadTx, request: contract.MetricQuery, name: str) -> dict[GroupKey, list[Sketch]]:
    """Collect the sketches of every group."""
    metric = tx.get(METRICS, name)
    if metric is None:
        return {}
    # No further than there are samples, so that most questions need no sample at the edges.
    since_ms = max(request.since or 0, rules.start_of(metric["first_ms"], "day"))
    end_ms = rules.start_of(metric["last_ms"], "day") + rules.SIZES_MS["day"]
    until_ms = end_ms if request.until is None else min(request.until, end_ms)
    reading = _Reading(tx, request, name, metric)
    gathered: dict[GroupKey, list[Sketch]] = {}
    for piece in rules.pieces(request.bucket, since_ms, until_ms):
        read = (
            reading.samples(piece) if piece.level is None else reading.rollups(piece, piece.level)
        )
        for key, sketch in read:
            gathered.setdefault(key, []).append(sketch)
    return gathered


@dataclass(frozen=True, slots=True)
class _Reading:
    """A question about a metric, and how the store is asked for its answer."""

    tx: ReadTx
    request: contract.MetricQuery
    name: str
    metric: Row

    def rollups(self, piece: rules.Piece, level: Bucket) -> Iterator[tuple[GroupKey, Sketch]]:
        """Read the roll-ups of some time, each with the group it counts in."""
        wanted = {*self.request.by, *self.request.where}
        grain = rules.choose_grain(self.metric["dimensions"], self.metric["series"], wanted)
        values = {
            key: self._values(dimensions)
            for key, dimensions in self._series(grain)
            if rules.matches(dimensions, self.request.where)
        }
        where: Where = {
            "line": rules.line_of(self.name, grain, level),
            "start_ms": Range(piece.start_ms, piece.stop_ms),
        }
        if self.request.where:
            where = {**where, "series": AnyOf(values)}
        rows = self.tx.scan(ROLLUPS, where, order="start_ms", limit=limits.ROLLUPS_READ_MAX + 1)
        _require_few(len(rows), limits.ROLLUPS_READ_MAX, "roll-ups")
        for found in rows:
            row = found.row
            yield (self._start(row["start_ms"]), values[row["series"]]), row["sketch"]

    def samples(self, piece: rules.Piece) -> Iterator[tuple[GroupKey, Sketch]]:
        """Sum up the samples of some time themselves."""
        values: dict[GroupKey, list[float]] = {}
        count = 0
        for batch in self._batches(piece):
            count += len(batch.values)
            _require_few(count, limits.SAMPLES_READ_MAX, "samples")
            groups = [
                self._values(dimensions)
                if name == self.name and rules.matches(dimensions, self.request.where)
                else None
                for name, dimensions in batch.series
            ]
            for number, at_ms, value in zip(batch.of, batch.at_ms, batch.values, strict=True):
                group = groups[number]
                if group is not None and piece.start_ms <= at_ms < piece.stop_ms:
                    values.setdefault((self._start(at_ms), group), []).append(value)
        for key, several in values.items():
            yield key, sketch_of(several, [bin_of(value) for value in several])

    def _start(self, at_ms: int) -> int:
        bucket = self.request.bucket
        return 0 if bucket is None else rules.start_of(at_ms, bucket)

    def _values(self, dimensions: Mapping[str, str]) -> Values:
        return tuple(dimensions.get(key) for key in self.request.by)

    def _series(self, grain: str) -> Iterator[tuple[str, dict[str, str]]]:
        found = paging.rows(self.tx, SERIES, {"name": self.name, "grain": grain})
        return ((one.key, one.row["dimensions"]) for one in found)

    def _batches(self, piece: rules.Piece) -> Iterator[Batch]:
        """Read every batch that has samples of the name in some time."""
        where: Where = {
            "name": self.name,
            "first_ms": Range(below=piece.stop_ms),
            "last_ms": Range(at_least=piece.start_ms),
        }
        found = self.tx.scan(BATCHES, where, limit=limits.BATCHES_READ_MAX + 1)
        _require_few(len(found), limits.BATCHES_READ_MAX, "batches of samples")
        for one in found:
            kept = content(self.tx, Digest(one.row["samples"]))
            entity_at = one.row["entity_at"]
            yield unpack(kept) if entity_at is None else of_entity(kept, entity_at)


def _require_few(count: int, count_max: int, what: str) -> None:
    if count > count_max:
        raise InvalidInput(
            f"The answer is spread over more than {count_max:,} {what}",
            hint="Ask for a shorter time, a wider bucket or fewer dimensions",
            limit=count_max,
        )


def _group(request: contract.MetricQuery, key: GroupKey, sketch: Sketch) -> contract.Group:
    start_ms, values = key
    return contract.Group(
        start=to_iso(start_ms) if request.bucket else None,
        dimensions=dict(zip(request.by, values, strict=True)),
        count=sketch["count"],
        sum=sketch["sum"],
        min=sketch["min"],
        max=sketch["max"],
        mean=sketch["sum"] / sketch["count"],
        p50=quantile(sketch, 0.50),
        p95=quantile(sketch, 0.95),
    )


def _list(tx: ReadTx, request: contract.MetricQuery) -> contract.MetricAnswer:
    after = from_cursor(request.cursor, METRICS)
    found = tx.scan(METRICS, after=after, limit=request.limit + 1)
    page = found[: request.limit]
    return contract.MetricAnswer(
        metrics=[_shown(one.row) for one in page],
        total=tx.tally(METRICS).get(None, 0),
        nextCursor=to_cursor(Position(None, page[-1].key)) if len(found) > len(page) else None,
    )


def _shown(row: Row) -> contract.MetricShown:
    return contract.MetricShown(
        name=row["name"],
        count=row["count"],
        series=row["series"],
        dimensions=sorted(row["dimensions"]),
        first=to_iso(row["first_ms"]),
        last=to_iso(row["last_ms"]),
    )


def _order(key: GroupKey) -> tuple[int, str]:
    start_ms, values = key
    return start_ms, canonical_json(values).decode()


def _cursor(key: GroupKey) -> str:
    return to_cursor(Position(*_order(key)))


def _after(cursor: str | None) -> tuple[int, str] | None:
    position = from_cursor(cursor, ROLLUPS, "start_ms")
    return None if position is None else (int(position.value or 0), position.key)
