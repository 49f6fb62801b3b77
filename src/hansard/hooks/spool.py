"""The spool of hook events: appended durably, taken in order, kept until recorded.

An appending process holds one lock while it appends. A reading process holds another for as long as
recording takes, so that only one does; it moves what there is aside under the first. There each
event is struck out when it is recorded, and all is removed at the end: after a kill, the rest is
taken again. After a power cut, struck-out events may be as well; what was recorded already is then
recognized by its key.
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

EVENTS, TAKING, REFUSED = "events", "taking", "refused"
APPEND_LOCK, TAKE_LOCK = "append.lock", "take.lock"

EVENT_BYTES_MAX = 32 * 1024 * 1024
"""The size of one event, with the contents of its files."""

SPOOL_BYTES_MAX = 512 * 1024 * 1024
"""The size of the spool; beyond it events are refused with an error."""

STRUCK = b"#"
"""Marks an event that is recorded, in the place of its first byte."""

REFUSED_BYTES_MAX = 1024 * 1024
"""What is kept of events that could not be recorded, for `hansard doctor`."""

Entry = dict[str, Any]


class SpoolFullError(Exception):
    """There is no room for another event."""


def append(folder: str, entry: Entry) -> None:
    """Put an event at the end, durably."""
    line = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
    if len(line) > EVENT_BYTES_MAX:
        raise SpoolFullError(f"An event has {len(line):,} bytes; at most {EVENT_BYTES_MAX:,}")
    with _locked(folder, APPEND_LOCK), _open(folder, EVENTS) as file:
        size = file.seek(0, os.SEEK_END)
        if size + len(line) > SPOOL_BYTES_MAX:
            raise SpoolFullError("Too much waits to be taken in: run `hansard status`")
        # A process killed while appending leaves a line without an end, which is no event.
        file.seek(max(size - 1, 0))
        begin = b"\n" if size and file.read(1) != b"\n" else b""
        file.seek(0, os.SEEK_END)
        file.write(begin + line)
        file.flush()
        os.fsync(file.fileno())


def waiting(folder: str) -> bool:
    """Whether anything waits to be taken in."""
    return any(os.path.exists(os.path.join(folder, name)) for name in (TAKING, EVENTS))


def take(folder: str, record: Callable[[Entry], str | None]) -> int:
    """Record each event, in order; gives how many there were.

    `record` says why an event can never be recorded; if it raises, everything stays as it is.
    """
    taken = 0
    with _locked(folder, TAKE_LOCK):
        while _set_aside(folder):
            for line in _each_struck_out(os.path.join(folder, TAKING)):
                taken += 1
                if (entry := _entry(line)) is not None and (why := record(entry)):
                    refuse(folder, entry, why)
            os.unlink(os.path.join(folder, TAKING))
    return taken


def refuse(folder: str, entry: Entry, why: str) -> None:
    """Keep a line of an event that could not be recorded."""
    told = {"why": why, **{name: entry.get(name) for name in ("host", "event", "session")}}
    note(folder, REFUSED, json.dumps(told))


def note(folder: str, name: str, line: str) -> None:
    """Add a line to a file that may be lost, and has a limit."""
    with suppress(OSError), _locked(folder, APPEND_LOCK), _open(folder, name) as file:
        if file.seek(0, os.SEEK_END) < REFUSED_BYTES_MAX:
            file.write(line.encode(errors="replace") + b"\n")


def lines_of(folder: str, name: str) -> list[str]:
    """Give the lines of a file of the folder; none if it is not there."""
    try:
        return [line.decode(errors="replace") for line in _lines(os.path.join(folder, name))]
    except OSError:
        return []


def _set_aside(folder: str) -> bool:
    """Move the events to a file that nobody appends to; false if there are none."""
    aside, events = (os.path.join(folder, name) for name in (TAKING, EVENTS))
    if os.path.exists(aside):
        return True
    with _locked(folder, APPEND_LOCK):
        try:
            os.rename(events, aside)
        except FileNotFoundError:
            return False
    return True


def _each_struck_out(path: str) -> Iterator[bytes]:
    """Give the lines that are not struck out, and strike out each when the next is asked for."""
    with open(path, "r+b") as file:
        start = 0
        for line in file:
            if line.strip() and not line.startswith(STRUCK):
                yield line
                os.pwrite(file.fileno(), STRUCK, start)
            start += len(line)


def _lines(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        yield from (line.rstrip(b"\n") for line in file if line.strip())


def _entry(line: bytes) -> Entry | None:
    """Read an event; `None` for what a killed process left of one."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


@contextmanager
def _locked(folder: str, name: str) -> Iterator[None]:
    with _open(folder, name) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _open(folder: str, name: str) -> Any:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    return open(os.open(os.path.join(folder, name), flags, 0o600), "r+b")
