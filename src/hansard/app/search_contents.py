"""What recorded files hold, for the search over everything.

Nothing is indexed for it, so writing a file costs nothing more: what files hold now is looked
through when somebody asks, those that were changed last first, up to a bound.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import NamedTuple

from hansard.kernel.blob import Digest
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.problem import BlobDamaged
from hansard.recorder.tables import FILES

FILES_MAX = 1_000
"""How many files are looked through, those that were changed last."""

FILE_BYTES_MAX = 512 * 1024
"""Larger files are data, not what somebody wrote."""

LOOKED_BYTES_MAX = 8 * 1024 * 1024
"""How much is looked through for one question: some hundredths of a second."""

KEPT_CHARS_MAX = 2 * LOOKED_BYTES_MAX
"""How much of what was looked through stays in memory for the next question."""

CHARS_MIN = 3
"""Fewer letters are in every file; of scripts whose words are shorter, one less."""

AS_WRITTEN, AS_ASKED, IN_A_LINE, IN_A_FILE = 0.9, 0.8, 0.6, 0.4
"""How relevant a file is: by the words as they are written, in any case, or apart."""

LINE_CHARS_MAX = 200


class HeldLine(NamedTuple):
    """A file that holds what is looked for, and the line that has the most of it."""

    path: str
    seq: int
    line: int
    text: str
    relevance: float


class FileContents:
    """Looks through files, and remembers for a while what they hold."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Digest, str] = OrderedDict()
        self._kept_chars = 0
        self._lock = Lock()

    def find(self, tx: ReadTx, query: str, *, limit: int) -> list[HeldLine]:
        """Find files by what they hold now, the most relevant first, of equals the newest."""
        asked = " ".join(query.split()).strip("\"'`")
        words = asked.casefold().split()
        if not words or len(asked) < CHARS_MIN - (not asked.isascii()):
            return []
        found = []
        looked = 0
        for row in _newest(tx):
            looked += row["after"]["size"]
            if looked > LOOKED_BYTES_MAX:
                break
            held = _held(row, self._text(tx, row["after"]["blob"]), asked, words)
            if held:
                found.append(held)
        return sorted(found, key=lambda one: -one.relevance)[:limit]

    def _text(self, tx: ReadTx, digest: Digest) -> str:
        with self._lock:
            if digest in self._kept:
                self._kept.move_to_end(digest)
                return self._kept[digest]
        text = _read(tx, digest)
        with self._lock:
            if digest not in self._kept:
                self._kept[digest] = text
                self._kept_chars += len(text)
            while self._kept_chars > KEPT_CHARS_MAX:
                _, oldest = self._kept.popitem(last=False)
                self._kept_chars -= len(oldest)
        return text


def _newest(tx: ReadTx) -> Iterator[Row]:
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
            yield row


def _read(tx: ReadTx, digest: Digest) -> str:
    """Read a file as text; what is none, or is damaged, holds no words."""
    try:
        return content(tx, digest).decode()
    except (UnicodeDecodeError, BlobDamaged):
        return ""


def _held(row: Row, text: str, asked: str, words: Sequence[str]) -> HeldLine | None:
    folded = text.casefold()
    if not all(word in folded for word in words):
        return None
    for place, relevance in _places(text, folded, asked):
        number = text.count("\n", 0, place) + 1
        line = text[text.rfind("\n", 0, place) + 1 :].partition("\n")[0]
        return HeldLine(row["path"], row["seq"], number, line.strip()[:LINE_CHARS_MAX], relevance)
    return _apart(row, text, words)


def _places(text: str, folded: str, asked: str) -> Iterator[tuple[int, float]]:
    """Give where the words stand as they were asked for: as a word of its own first."""
    whole = re.search(rf"(?<!\w){re.escape(asked)}(?!\w)", text)
    if whole:
        yield whole.start(), AS_WRITTEN
    # A letter may have another length without its case: then its place is only about right.
    place = folded.find(asked.casefold())
    if place >= 0:
        yield min(place, len(text)), AS_ASKED


def _apart(row: Row, text: str, words: Sequence[str]) -> HeldLine:
    lines = text.splitlines()
    counts = [sum(word in line.casefold() for word in words) for line in lines]
    best = max(counts, default=0)
    number = counts.index(best) if counts else 0
    line = lines[number].strip()[:LINE_CHARS_MAX] if lines else ""
    relevance = IN_A_LINE if best == len(words) else IN_A_FILE
    return HeldLine(row["path"], row["seq"], number + 1, line, relevance)
