"""Reads threads: rows, the entries they point to, and their content."""

import heapq
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from hansard.checkpoints.copies import read_either
from hansard.checkpoints.threads.contract import Step, WriteFound
from hansard.checkpoints.threads.events import StepSaved, Write, WritesKept
from hansard.checkpoints.threads.inline import from_text
from hansard.checkpoints.threads.limits import STEPS_MAX
from hansard.checkpoints.threads.rules import pending
from hansard.checkpoints.threads.views import STEPS, THREADS, step_key, thread_key
from hansard.checkpoints.threads.write_cache import Memory
from hansard.kernel import paging
from hansard.kernel.blob import Digest
from hansard.kernel.chain_states import ChainStates
from hansard.kernel.content import along, content, states_from
from hansard.kernel.engine import Found, Position, ReadTx, Row
from hansard.kernel.event import Event, Kinds
from hansard.kernel.problem import BlobDamaged

E = TypeVar("E", bound=Event)

_JUST_AFTER = "\x01"
"""Put behind a key, it sorts after that key and before any other that there is."""


def place_of(tx: ReadTx, thread: str, ns: str) -> Row | None:
    """Read the row of a thread's namespace."""
    return tx.get(THREADS, thread_key(thread, ns))


def places_of(tx: ReadTx, thread: str | None, ns: str | None = None) -> list[Row]:
    """Read the rows of a thread's namespaces, or of all threads'."""
    where = {} if thread is None else {"thread": thread}
    found = tx.scan(THREADS, where, limit=STEPS_MAX)
    return [one.row for one in found if ns is None or one.row["ns"] == ns]


def find_step(tx: ReadTx, place: Row, identifier: str | None) -> Found | None:
    """Find a step by its id, or the latest."""
    if identifier is None:
        where = {"place": place["number"], "saved": True}
        return next(iter(tx.scan(STEPS, where, descending=True, limit=1)), None)
    key = step_key(place["number"], identifier)
    row = tx.get(STEPS, key)
    return Found(key, row) if row and row["saved"] else None


def newest_first(
    tx: ReadTx, places: Sequence[Row], after: tuple[str, int] | None, page: int
) -> Iterator[tuple[Row, Found]]:
    """Go through the steps of some places by id and place, from the highest down."""
    each = [_of_place(tx, place, after, page) for place in places]
    yield from heapq.merge(*each, key=_order, reverse=True)


def saved_event(tx: ReadTx, kinds: Kinds, row: Row) -> StepSaved:
    """Read the entry that holds a step."""
    return _event(tx, kinds, row["seq"], StepSaved)


def whole_step(tx: ReadTx, kinds: Kinds, place: Row, found: Found) -> Step:
    """Read what a step holds, except its values, of which it gives the digests."""
    event = saved_event(tx, kinds, found.row)
    body = from_text(event.body) if event.body_blob is None else content(tx, event.body_blob)
    kept = [_event(tx, kinds, seq, WritesKept) for seq in found.row["writes"]]
    return Step(
        thread=place["thread"],
        ns=place["ns"],
        place=place["number"],
        id=event.id,
        parent=event.parent,
        body=body,
        values={channel: str(digest) for channel, digest in event.values.items()},
        spares={str(event.values[channel]): str(one) for channel, one in event.spares.items()},
        writes=[
            WriteFound(task=one.task, channel=one.write.channel, content=_written(tx, one.write))
            for one in pending(kept)
        ],
    )


def contents_of(
    tx: ReadTx, digests: Iterable[str], spares: Mapping[str, str], memory: Memory
) -> dict[str, bytes]:
    """Read values by their digests, or from their second copies."""
    return contents_within(tx, digests, spares, memory, bytes_max=sys.maxsize)[0]


def contents_within(
    tx: ReadTx,
    digests: Iterable[str],
    spares: Mapping[str, str],
    memory: Memory,
    *,
    bytes_max: int,
) -> tuple[dict[str, bytes], list[ChainStates]]:
    """Read values; where they are too much to be held, give a way down to them, or the first.

    What this process has put lately it still has, and only asks whether it is kept.
    """
    wanted = [Digest(digest) for digest in dict.fromkeys(digests)]
    found, ways = _recalled(tx, wanted, memory), list[ChainStates]()
    room = bytes_max
    for place, digest in enumerate(wanted):
        if digest in found or any(digest in way for way in ways):
            continue
        if room <= 0:
            break
        rest = [one for one in wanted[place:] if one not in found]
        if len(rest) > 1 and (way := _way_down(tx, rest, room)):
            ways.append(way)
            room -= way.held_bytes
            continue
        read = along(tx, rest, bytes_max=room) if len(rest) > 1 else {}
        if digest not in read:
            read[digest] = read_either(tx, digest, spares.get(digest))
        found |= read
        room -= sum(map(len, read.values()))
    return {str(digest): data for digest, data in found.items()}, ways


def _way_down(tx: ReadTx, digests: Sequence[Digest], room: int) -> ChainStates | None:
    """Give a way from the first value down to those beneath, if they may be too much for it."""
    try:
        blob = tx.blob(digests[0])
    except BlobDamaged:
        return None
    if blob is None or blob.depth == 0 or blob.size * len(digests) <= room:
        return None
    return states_from(tx, digests[0], bytes_max=room)


def _recalled(tx: ReadTx, digests: Collection[Digest], memory: Memory) -> dict[Digest, bytes]:
    held = {one: memory.contents.get((tx.project, one)) for one in digests}
    known = {digest: found[1] for digest, found in held.items() if found}
    kept = tx.kept(known) if known else {}
    return {one: known[one] for one in kept if kept[one].codec != "redacted"}


def _of_place(
    tx: ReadTx, place: Row, after: tuple[str, int] | None, page: int
) -> Iterator[tuple[Row, Found]]:
    position = None
    if after is not None:
        beyond = _JUST_AFTER if place["number"] < after[1] else ""
        position = Position(None, step_key(place["number"], after[0]) + beyond)
    where = {"place": place["number"], "saved": True}
    found = paging.rows(tx, STEPS, where, descending=True, after=position, first=page)
    return ((place, one) for one in found)


def _order(one: tuple[Row, Found]) -> tuple[str, int]:
    place, found = one
    return found.key.partition(".")[2], place["number"]


def _event(tx: ReadTx, kinds: Kinds, seq: int, expected: type[E]) -> E:
    [entry] = tx.entries(after=seq - 1, limit=1)
    event = kinds.decode(entry)
    if event is None:
        raise BlobDamaged(f"What s:{seq} held was redacted", seq=seq)
    assert isinstance(event, expected), f"s:{seq} is not what the thread's row says"
    return event


def _written(tx: ReadTx, write: Write) -> bytes:
    if write.blob is None:
        return from_text(write.packed)
    return read_either(tx, write.blob, write.spare)
