"""The threads of a project and their steps. The content of a step is in its journal entry."""

from typing import Any

from hansard.checkpoints.threads.events import (
    InputSaved,
    RunsDeleted,
    StepSaved,
    ThreadCopied,
    ThreadDeleted,
    ThreadPruned,
    WritesKept,
)
from hansard.checkpoints.threads.limits import STEPS_MAX
from hansard.checkpoints.threads.rules import NO_LINE, followed
from hansard.kernel.blob import canonical_json, digest_of
from hansard.kernel.engine import AnyOf, Found, Row, Table
from hansard.kernel.view import Derivation, View

VERSION = 2

THREADS = Table(
    "threads",
    {"thread": "text", "number": "integer"},
    (("thread",), ("number",)),
    version=VERSION,
)
"""One row for each namespace of a thread."""

STEPS = Table(
    "thread_steps",
    {"place": "integer", "saved": "boolean"},
    (("place", "saved"),),
    version=VERSION,
    is_large=True,
)
"""By the number of the thread's row and the step's id, so that keys sort as ids do."""

RUNS = Table("thread_runs", {"run": "text"}, (("run",),), version=VERSION)
"""By step, for those few whose framework says to which run they belong."""

LINES = Table("thread_lines", {"place": "integer"}, (("place",),), version=VERSION)
"""For each channel of some size: what its next value may be packed onto."""

COUNTS = Table("thread_counts", {"bytes": "integer"}, version=VERSION)
"""One row: how many rows `THREADS` ever had, and the bytes of all that there are."""

COUNTS_KEY = "threads"
NO_COUNTS: dict[str, int] = {"made": 0, "bytes": 0}
NO_STEP: dict[str, Any] = {"saved": False, "seq": 0, "writes": [], "bytes": 0}


def thread_key(thread: str, ns: str) -> str:
    """Name a thread's row: short, whatever the names are."""
    return digest_of(canonical_json([thread, ns]))[:32]


def step_key(place: int, identifier: str) -> str:
    """Name a step; those of one place sort as their ids do."""
    return f"{place:x}.{identifier}"


def line_key(place: int, channel: str | None) -> str:
    """Name a channel's line; `None` means that of the steps' own bodies."""
    return f"{place:x}" if channel is None else f"{place:x}.{channel}"


def _saved(event: StepSaved, derivation: Derivation) -> None:
    place = _place(derivation, event.thread, event.ns)
    number: int = place["number"]
    key = step_key(number, event.id)
    before = derivation.get(STEPS, key) or NO_STEP
    now = {
        "place": number,
        "saved": True,
        "seq": derivation.entry.seq,
        "bytes": before["bytes"] + event.size_bytes,
    }
    derivation.put(STEPS, key, before | now)
    if event.run is not None:
        derivation.put(RUNS, key, {"run": event.run})
    if event.body_blob is not None:
        _follow(derivation, place, None, event.body_blob, None)
    for channel, digest in event.values.items():
        _follow(derivation, place, channel, digest, event.spares.get(channel))
    _weigh(derivation, place | {"steps": place["steps"] + 1}, event.size_bytes)


def _kept(event: WritesKept, derivation: Derivation) -> None:
    place = _place(derivation, event.thread, event.ns)
    key = step_key(place["number"], event.id)
    before = derivation.get(STEPS, key) or NO_STEP
    now = {
        "place": place["number"],
        "writes": [*before["writes"], derivation.entry.seq],
        "bytes": before["bytes"] + event.size_bytes,
    }
    derivation.put(STEPS, key, before | now)
    _weigh(derivation, place, event.size_bytes)


def _thread_deleted(event: ThreadDeleted, derivation: Derivation) -> None:
    for place in _places(derivation, event.thread):
        _remove(derivation, _steps(derivation, place.row))
        for line in derivation.scan(LINES, {"place": place.row["number"]}, limit=STEPS_MAX):
            derivation.delete(LINES, line.key)
        derivation.delete(THREADS, place.key)


def _thread_pruned(event: ThreadPruned, derivation: Derivation) -> None:
    for place in _places(derivation, event.thread):
        kept = {step_key(place.row["number"], one) for one in event.kept.get(place.row["ns"], ())}
        gone = [
            step
            for step in _steps(derivation, place.row)
            if step.key not in kept and max([step.row["seq"], *step.row["writes"]]) <= event.through
        ]
        _remove(derivation, gone)


def _thread_copied(event: ThreadCopied, derivation: Derivation) -> None:
    for place in _places(derivation, event.source):
        target = _place(derivation, event.target, place.row["ns"])
        moved = {"place": target["number"]}
        for step in _steps(derivation, place.row):
            key = step_key(target["number"], step.key.partition(".")[2])
            # What both hold is stored once, so it weighs once.
            derivation.put(STEPS, key, step.row | moved | {"bytes": 0})
            if run := derivation.get(RUNS, step.key):
                derivation.put(RUNS, key, run)
        for line in derivation.scan(LINES, {"place": place.row["number"]}, limit=STEPS_MAX):
            channel = line.key.partition(".")[2] if "." in line.key else None
            derivation.put(LINES, line_key(target["number"], channel), line.row | moved)
        # Its lines go on from where the source's are.
        steps = max(target["steps"], place.row["steps"])
        derivation.put(
            THREADS, thread_key(event.target, place.row["ns"]), target | {"steps": steps}
        )


def _runs_deleted(event: RunsDeleted, derivation: Derivation) -> None:
    found = derivation.scan(RUNS, {"run": AnyOf(event.runs)}, limit=STEPS_MAX)
    rows = [(run.key, derivation.get(STEPS, run.key)) for run in found]
    _remove(derivation, [Found(key, row) for key, row in rows if row])


def _place(derivation: Derivation, thread: str, ns: str) -> Row:
    """Give the row of a thread's namespace, or one that is yet to be put."""
    found = derivation.get(THREADS, thread_key(thread, ns))
    if found is not None:
        return found
    number = _count(derivation, "made", 1)
    session = derivation.entry.session
    begun = {"thread": thread, "ns": ns, "number": number, "session": session}
    return begun | {"steps": 0, "bytes": 0}


def _places(derivation: Derivation, thread: str) -> list[Found]:
    return derivation.scan(THREADS, {"thread": thread}, limit=STEPS_MAX)


def _steps(derivation: Derivation, place: Row) -> list[Found]:
    return derivation.scan(STEPS, {"place": place["number"]}, limit=STEPS_MAX)


def _remove(derivation: Derivation, steps: list[Found]) -> None:
    sizes: dict[int, int] = {}
    for step in steps:
        derivation.delete(STEPS, step.key)
        derivation.delete(RUNS, step.key)
        sizes[step.row["place"]] = sizes.get(step.row["place"], 0) + step.row["bytes"]
    for number, size_bytes in sizes.items():
        [place] = derivation.scan(THREADS, {"number": number}, limit=1)
        _weigh(derivation, place.row, -size_bytes)


def _weigh(derivation: Derivation, place: Row, size_bytes: int) -> None:
    weighed = place | {"bytes": place["bytes"] + size_bytes}
    derivation.put(THREADS, thread_key(place["thread"], place["ns"]), weighed)
    _count(derivation, "bytes", size_bytes)


def _count(derivation: Derivation, what: str, more: int) -> int:
    row = derivation.get(COUNTS, COUNTS_KEY) or NO_COUNTS
    counted: int = row[what] + more
    derivation.put(COUNTS, COUNTS_KEY, row | {what: counted})
    return counted


def _follow(
    derivation: Derivation, place: Row, channel: str | None, digest: str, spare: str | None
) -> None:
    """Note what a channel's next value may be packed onto."""
    key = line_key(place["number"], channel)
    before = derivation.get(LINES, key) or NO_LINE
    after = followed(before, place["steps"], digest, spare) | {"place": place["number"]}
    if after != before:
        derivation.put(LINES, key, after)


VIEWS = (
    View(
        "threads",
        VERSION,
        (THREADS, STEPS, RUNS, LINES, COUNTS),
        on={
            StepSaved: _saved,
            InputSaved: _saved,
            WritesKept: _kept,
            ThreadDeleted: _thread_deleted,
            ThreadPruned: _thread_pruned,
            ThreadCopied: _thread_copied,
            RunsDeleted: _runs_deleted,
        },
    ),
)
