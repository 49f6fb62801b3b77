"""Samples page by page, each as a record with a readable id.

A sample that was recorded among others has no row of its own. Its id says where it lies: the entry
that holds it and its place there.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hansard.entities import naming
from hansard.entities.events import EntityCreated, EntityImported
from hansard.entities.metrics import contract, rules
from hansard.entities.metrics.batch import Batch, Sample, of_entity, unpack
from hansard.entities.metrics.events import MetricsRecorded
from hansard.entities.metrics.times import to_iso
from hansard.entities.metrics.views import BATCHES
from hansard.kernel import paging
from hansard.kernel.blob import Digest
from hansard.kernel.content import content
from hansard.kernel.cursor import from_cursor, refused, to_cursor
from hansard.kernel.engine import Found, Position, Range, ReadTx, Where
from hansard.kernel.event import Entry, Kinds

_KINDS = Kinds([MetricsRecorded, EntityCreated, EntityImported])


@dataclass(frozen=True, slots=True)
class _Place:
    """A sample, and where it lies: in which batch, and after how many others."""

    batch: Found
    index: int
    sample: Sample

    def cursor(self) -> str:
        return to_cursor(Position(self.batch.row["first_ms"], f"{self.index} {self.batch.key}"))


def page(
    tx: ReadTx, request: contract.MetricQuery, name: str
) -> tuple[list[contract.SampleShown], str | None]:
    """Give samples of a name as the question limits them, and the cursor to those after them."""
    places: list[_Place] = []
    for place in _places(tx, request, name):
        if len(places) == request.limit:
            return _shown(tx, places), places[-1].cursor()
        places.append(place)
    return _shown(tx, places), None


def find(tx: ReadTx, identifier: str) -> contract.SampleShown | None:
    """Read the sample of an id; `None` if there is none."""
    place = naming.place_of(identifier)
    if place is None:
        return None
    seq, index = place
    found = tx.entries(after=seq - 1, before=seq + 1, limit=1, kinds=[MetricsRecorded.kind])
    event = _KINDS.decode(found[0]) if found else None
    if not isinstance(event, MetricsRecorded) or index >= event.count:
        return None
    sample = unpack(content(tx, event.samples)).sample(index)
    return _one(sample, identifier, found[0].clock)


def _places(tx: ReadTx, request: contract.MetricQuery, name: str) -> Iterator[_Place]:
    batch_key, after = "", -1
    position = from_cursor(request.cursor, BATCHES, "first_ms")
    if position is not None:
        number, _, batch_key = position.key.partition(" ")
        if not number.isdecimal() or not isinstance(position.value, int):
            raise refused()
        after = int(number)
    for batch in _batches(tx, request, name, position, batch_key):
        kept = _read(tx, batch)
        skipped = after if batch.key == batch_key else -1
        for index in range(skipped + 1, len(kept.values)):
            sample = kept.sample(index)
            if sample.name == name and _is_wanted(sample, request):
                yield _Place(batch, index, sample)


def _batches(
    tx: ReadTx,
    request: contract.MetricQuery,
    name: str,
    position: Position | None,
    batch_key: str,
) -> Iterator[Found]:
    """Go through the batches that may hold such samples, beginning with the one left off in."""
    where: Where = {
        "name": name,
        "first_ms": Range(below=request.until),
        "last_ms": Range(at_least=request.since),
    }
    if position is not None and (row := tx.get(BATCHES, batch_key)) is not None:
        yield Found(batch_key, row)
    after = Position(position.value, batch_key) if position else None
    yield from paging.rows(tx, BATCHES, where, order="first_ms", after=after)


def _read(tx: ReadTx, batch: Found) -> Batch:
    kept = content(tx, Digest(batch.row["samples"]))
    entity_at = batch.row["entity_at"]
    return unpack(kept) if entity_at is None else of_entity(kept, entity_at)


def _is_wanted(sample: Sample, request: contract.MetricQuery) -> bool:
    is_late = request.since is None or sample.at_ms >= request.since
    is_early = request.until is None or sample.at_ms < request.until
    return is_late and is_early and rules.matches(sample.dimensions, request.where)


def _shown(tx: ReadTx, places: list[_Place]) -> list[contract.SampleShown]:
    entries: dict[int, Entry] = {}
    shown = []
    for place in places:
        seq = int(place.batch.key.partition(".")[0], 16)
        if seq not in entries:
            [entries[seq]] = tx.entries(after=seq - 1, before=seq + 1, limit=1)
        entry = entries[seq]
        event = _KINDS.decode(entry)
        if isinstance(event, EntityCreated | EntityImported):
            recorded = event.created_at if isinstance(event, EntityImported) else entry.clock
            shown.append(_one(place.sample, event.id, recorded))
        else:
            shown.append(_one(place.sample, naming.id_at(seq, place.index), entry.clock))
    return shown


def _one(sample: Sample, identifier: str, recorded: str) -> contract.SampleShown:
    return contract.SampleShown(
        id=identifier,
        createdAt=recorded,
        updatedAt=recorded,
        name=sample.name,
        dimensions=sample.dimensions,
        value=sample.value,
        at=to_iso(sample.at_ms),
    )
