"""Rules of roll-ups, and how they answer a query. Pure.

The samples of a name are rolled up by hour and by day along several lines: all of them together,
those of each value of each dimension, and those of each whole set of dimensions. So a question
about one dimension reads a few rows, however many series there are.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hansard.entities.metrics.batch import Batch, Dimensions
from hansard.entities.metrics.sketch import Sketch, bin_of, merged, sketch_of
from hansard.entities.metrics.times import Bucket
from hansard.kernel.blob import canonical_json, digest_of

KEY_CHARS = 24
"""How much of a digest names a series or a line: 96 bits."""

ALL = "all"
"""The grain of all samples of a name together."""
WHOLE = "whole"
"""The grain of whole sets of dimensions."""

SIZES_MS: dict[Bucket, int] = {"minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
LEVELS: tuple[Bucket, ...] = ("hour", "day")
"""The buckets that are rolled up, from fine to coarse. Minutes are made of the samples."""


@dataclass(frozen=True, slots=True)
class Series:
    """Samples of one name that are rolled up together."""

    name: str
    grain: str
    dimensions: Dimensions

    @property
    def key(self) -> str:
        """Name it shortly, whatever the names are."""
        return _short([self.name, self.grain, self.dimensions])


@dataclass(frozen=True, slots=True)
class Rollup:
    """What the samples of one series in one bucket come to."""

    series: str
    line: str
    level: Bucket
    start_ms: int
    sketch: Sketch

    @property
    def key(self) -> str:
        """Name its row."""
        return f"{self.series}.{self.level}.{self.start_ms:x}"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some time that is answered by the roll-ups of one level; `None` is by the samples."""

    level: Bucket | None
    start_ms: int
    stop_ms: int


def series_of(name: str, dimensions: Dimensions) -> list[Series]:
    """Give every series that a sample counts in, the one of its whole set of dimensions first."""
    single = [Series(name, grain_of(key), {key: value}) for key, value in dimensions.items()]
    return [Series(name, WHOLE, dimensions), Series(name, ALL, {}), *single]


def grain_of(key: str) -> str:
    """Name the grain of one dimension's values."""
    return f"by:{key}"


def line_of(name: str, grain: str, level: Bucket) -> str:
    """Name the rows that a question about this grain and level reads."""
    return _short([name, grain, level])


def roll_up(batch: Batch) -> Iterator[Rollup]:
    """Sum up a batch, by everything it is rolled up by."""
    bins = [bin_of(value) for value in batch.values]
    for series, indexes_by_start in _by_series(batch, SIZES_MS[LEVELS[0]]):
        sketches = {
            start_ms: sketch_of([batch.values[i] for i in indexes], [bins[i] for i in indexes])
            for start_ms, indexes in indexes_by_start.items()
        }
        key = series.key
        for level in LEVELS:
            sketches = _coarser(sketches, level)
            line = line_of(series.name, series.grain, level)
            for start_ms, sketch in sketches.items():
                yield Rollup(key, line, level, start_ms, sketch)


def choose_grain(counts: Mapping[str, int], series: int, keys: Iterable[str]) -> str:
    """Choose the coarsest grain that tells these dimensions apart.

    `counts` says of each dimension how many of the name's series have it. Where some do not, only
    whole sets of dimensions know of the samples without it.
    """
    wanted = list(keys)
    if not wanted:
        return ALL
    [key, *others] = wanted
    return WHOLE if others or counts.get(key, 0) < series else grain_of(key)


def pieces(bucket: Bucket | None, since_ms: int, until_ms: int) -> list[Piece]:
    """Cut a time into what the coarsest roll-ups can answer, and what only the samples can."""
    size_max = SIZES_MS[bucket or "day"]
    return list(
        _cut(None, since_ms, until_ms, [one for one in LEVELS if SIZES_MS[one] <= size_max])
    )


def start_of(at_ms: int, bucket: Bucket) -> int:
    """Say when the bucket begins that a moment is in."""
    return at_ms - at_ms % SIZES_MS[bucket]


def matches(dimensions: Mapping[str, str], where: Mapping[str, str]) -> bool:
    """Whether a series has all that is asked for."""
    return all(dimensions.get(key) == value for key, value in where.items())


def _by_series(batch: Batch, size_ms: int) -> Iterable[tuple[Series, dict[int, list[int]]]]:
    """Sort the samples' indexes by series and by the start of the bucket."""
    whole: list[dict[int, list[int]]] = [{} for _ in batch.series]
    for index, (number, at_ms) in enumerate(zip(batch.of, batch.at_ms, strict=True)):
        whole[number].setdefault(at_ms - at_ms % size_ms, []).append(index)
    found: dict[str, tuple[Series, dict[int, list[int]]]] = {}
    for (name, dimensions), indexes_by_start in zip(batch.series, whole, strict=True):
        for series in series_of(name, dimensions):
            _, gathered = found.setdefault(series.key, (series, {}))
            for start_ms, indexes in indexes_by_start.items():
                gathered.setdefault(start_ms, []).extend(indexes)
    return found.values()


def _coarser(sketches: Mapping[int, Sketch], level: Bucket) -> dict[int, Sketch]:
    gathered: dict[int, list[Sketch]] = {}
    for start_ms, sketch in sketches.items():
        gathered.setdefault(start_of(start_ms, level), []).append(sketch)
    return {start_ms: merged(several) for start_ms, several in gathered.items()}


def _cut(
    level: Bucket | None, start_ms: int, stop_ms: int, coarser: list[Bucket]
) -> Iterator[Piece]:
    """Answer the middle by coarser levels, as far as they go, and both ends by this one."""
    if start_ms >= stop_ms:
        return
    if not coarser:
        yield Piece(level, start_ms, stop_ms)
        return
    first = start_of(start_ms + SIZES_MS[coarser[0]] - 1, coarser[0])
    last = start_of(stop_ms, coarser[0])
    if first >= last:
        yield Piece(level, start_ms, stop_ms)
        return
    yield from _cut(level, start_ms, first, [])
    yield from _cut(coarser[0], first, last, coarser[1:])
    yield from _cut(level, last, stop_ms, [])


def _short(parts: list[object]) -> str:
    return digest_of(canonical_json(parts))[:KEY_CHARS]
