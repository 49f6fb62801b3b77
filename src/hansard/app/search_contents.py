"""Finds files and saved contexts by their content, for the search over everything.

It needs no index, so writing costs nothing more: a search scans the present content of files and
the latest context of each session, newest first, up to a bound.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

from hansard.checkpoints.reading import context_of
from hansard.checkpoints.views import CHECKPOINTS
from hansard.kernel.blob import Digest
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.problem import BlobDamaged
from hansard.recorder.tables import FILES

FILES_MAX = 1_000
"""How many files are searched, the last changed ones."""

CONTEXTS_MAX = 50
CHECKPOINTS_MAX = 500
"""How many sessions' latest contexts are searched, and among how many checkpoints."""

FILE_BYTES_MAX = 512 * 1024
"""Larger files are data, not what somebody wrote; so are larger contexts."""

LOOKED_BYTES_MAX = 8 * 1024 * 1024
"""How much is searched for one query: some hundredths of a second."""

KEPT_CHARS_MAX = 2 * LOOKED_BYTES_MAX
"""How much of what was read stays in memory for the next query."""

CHARS_MIN = 3
"""Shorter words are in every file; in scripts with shorter words, one letter less."""

AS_WRITTEN, AS_ASKED, IN_A_LINE, IN_A_FILE = 0.9, 0.8, 0.6, 0.4
"""How relevant a file is: by the words as they are written, in any case, or apart."""

LINE_CHARS_MAX = 200


class HeldLine(NamedTuple):
    """A file or context that matches, and the line that matches best."""

    name: str
    line: int
    text: str
    relevance: float


@dataclass(frozen=True, slots=True)
class HoldingThing:
    """A candidate: a file by its path, a checkpoint by its id."""

    name: str
    digest: Digest
    size: int
    read: Callable[[], str]


class HeldTexts:
    """Searches contents, and caches them for a while."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Digest, str] = OrderedDict()
        self._kept_chars = 0
        self._lock = Lock()

    def find(
        self, tx: ReadTx, holders: Iterable[HoldingThing], query: str, *, limit: int
    ) -> list[HeldLine]:
        """Find things by what they hold now, the most relevant first, of equals the newest."""
        asked = " ".join(query.split()).strip("\"'`")
        words = asked.casefold().split()
        if not words or len(asked) < CHARS_MIN - (not asked.isascii()):
            return []
        found: list[tuple[HoldingThing, HeldLine]] = []
        looked = 0
        for one in holders:
            looked += one.size
            if looked > LOOKED_BYTES_MAX:
                break
            if held := _held(one.name, self._text(one), asked, words):
                found.append((one, held))
        lines = self._still(tx, found, asked, words)
        return sorted(lines, key=lambda line: -line.relevance)[:limit]

    def _still(
        self,
        tx: ReadTx,
        found: Sequence[tuple[HoldingThing, HeldLine]],
        asked: str,
        words: Sequence[str],
    ) -> Iterator[HeldLine]:
        """Leave out what was erased since it was read: a digest outlives its content."""
        there = tx.kept({one.digest for one, _ in found}) if found else {}
        for one, held in found:
            if one.digest in there and there[one.digest].codec != "redacted":
                yield held
                continue
            self._forget(one.digest)
            if again := _held(one.name, one.read(), asked, words):
                yield again

    def _text(self, one: HoldingThing) -> str:
        with self._lock:
            if one.digest in self._kept:
                self._kept.move_to_end(one.digest)
                return self._kept[one.digest]
        text = one.read()
        with self._lock:
            if one.digest not in self._kept:
                self._kept[one.digest] = text
                self._kept_chars += len(text)
            while self._kept_chars > KEPT_CHARS_MAX:
                _, oldest = self._kept.popitem(last=False)
                self._kept_chars -= len(oldest)
        return text

    def _forget(self, digest: Digest) -> None:
        with self._lock:
            self._kept_chars -= len(self._kept.pop(digest, ""))


def files(tx: ReadTx) -> Iterator[HoldingThing]:
    """Give the files whose content can be read, each path once, the latest changed first."""
    met: set[str] = set()
    rows: list[Row] = []
    for workspace in tx.tally(FILES, by="workspace"):
        of = {"workspace": workspace, "is_away": False}
        found = tx.scan(FILES, of, order="seq", descending=True, limit=FILES_MAX)
        rows += [one.row for one in found]
    rows.sort(key=lambda row: -row["seq"])
    for row in rows[:FILES_MAX]:
        held = row["after"]
        if row["path"] in met or not held or not held.get("blob"):
            continue
        met.add(row["path"])
        if held["size"] <= FILE_BYTES_MAX:
            read = partial(_file, tx, held["blob"])
            yield HoldingThing(row["path"], held["blob"], held["size"], read)


def contexts(tx: ReadTx) -> Iterator[HoldingThing]:
    """Give the latest checkpoint of each session, the latest saved first."""
    met: set[str] = set()
    for found in tx.scan(CHECKPOINTS, order="seq", descending=True, limit=CHECKPOINTS_MAX):
        row = found.row
        if row["session"] in met or len(met) == CONTEXTS_MAX:
            continue
        met.add(row["session"])
        if row["context_bytes"] <= FILE_BYTES_MAX:
            read = partial(_context, tx, row)
            yield HoldingThing(found.key, row["context"], row["context_bytes"], read)


def _file(tx: ReadTx, digest: Digest) -> str:
    """Read a file as text; one that is no text, or is damaged, has no words."""
    try:
        return content(tx, digest).decode()
    except (UnicodeDecodeError, BlobDamaged):
        return ""


def _context(tx: ReadTx, row: Row) -> str:
    """Write a context line by line; a damaged one has no words."""
    try:
        return "\n".join(_leaves("", context_of(tx, row)))
    except BlobDamaged:
        return ""


def _leaves(path: str, value: Any) -> Iterator[str]:
    """Give what a value holds, each with the way to it."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(f"{path}.{name}" if path else name, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(path, inner)
    elif isinstance(value, str):
        yield from (f"{path}: {line}" for line in value.splitlines())
    elif value is not None:
        yield f"{path}: {value}"


def _held(name: str, text: str, asked: str, words: Sequence[str]) -> HeldLine | None:
    folded = text.casefold()
    if not all(word in folded for word in words):
        return None
    for place, relevance in _places(text, folded, asked):
        number = text.count("\n", 0, place) + 1
        line = text[text.rfind("\n", 0, place) + 1 :].partition("\n")[0]
        return HeldLine(name, number, line.strip()[:LINE_CHARS_MAX], relevance)
    return _apart(name, text, words)


def _places(text: str, folded: str, asked: str) -> Iterator[tuple[int, float]]:
    """Find the query as it was written: as a whole word first."""
    whole = re.search(rf"(?<!\w){re.escape(asked)}(?!\w)", text)
    if whole:
        yield whole.start(), AS_WRITTEN
    # A letter may change length with its case: then the position is only approximate.
    place = folded.find(asked.casefold())
    if place >= 0:
        yield min(place, len(text)), AS_ASKED


def _apart(name: str, text: str, words: Sequence[str]) -> HeldLine:
    lines = text.splitlines()
    counts = [sum(word in line.casefold() for word in words) for line in lines]
    best = max(counts, default=0)
    number = counts.index(best) if counts else 0
    line = lines[number].strip()[:LINE_CHARS_MAX] if lines else ""
    relevance = IN_A_LINE if best == len(words) else IN_A_FILE
    return HeldLine(name, number + 1, line, relevance)
