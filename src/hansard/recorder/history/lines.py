"""Finds the revisions that wrote given lines, through moves, undos and restores."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hansard.kernel.engine import ReadTx, Row
from hansard.recorder.contents.blame import Blame, LineOrigin, LineSpan, Revision, joined
from hansard.recorder.contents.changed_lines import unpacked
from hansard.recorder.contents.diffs import Region, changed_regions, lines_of
from hansard.recorder.contents.kept_content import ContentNotKeptError, kept_content
from hansard.recorder.contents.sealing import SealingKeys
from hansard.recorder.events import FileRef
from hansard.recorder.history.file_history import History
from hansard.recorder.history.revisions import digest_held
from hansard.recorder.tables import REVISIONS, revision_key

FOREIGN = ("external", "restored")
"""Sources of revisions that may bring back what was there before."""


class Lines:
    """The lines of a file's revisions; contents are read only where nothing else tells."""

    def __init__(self, tx: ReadTx, history: History, keys: SealingKeys) -> None:
        """Read one moment of the journal."""
        self._tx = tx
        self._history = history
        self._keys = keys
        self._rows: dict[int, Row] = {}

    def origins(self, spans: Sequence[LineSpan], revision: int) -> list[LineOrigin]:
        """Say which revisions wrote some lines of one."""
        blame = Blame(spans, revision, self._between)
        return joined(blame.trace(self._revisions(revision)))

    def row(self, revision: int) -> Row:
        """Give a revision that has been read."""
        row = self._rows.get(revision) or self._history.row(revision)
        assert row is not None, "a revision that is asked about is missing"
        return row

    def content(self, row: Row) -> bytes:
        """Give what a revision held, or raise why it cannot be given."""
        if row["after"] is None:
            return b""
        return kept_content(self._tx, FileRef.model_validate(row["after"]), self._keys)

    def _revisions(self, start: int) -> Iterator[Revision]:
        rows = self._history.rows(below=start + 1)
        for row, older in pairwise(_and_end(rows)):
            assert row is not None, "the oldest revision came before another"
            self._rows[row["revision"]] = row
            yield Revision(
                number=row["revision"],
                holds=digest_held(row["after"]) or None,
                regions=lambda row=row, older=older: self._regions(row, older),  # type: ignore[misc]
                brings_back=self._brought_back(row),
                is_foreign=row["source"] in FOREIGN,
            )

    def _regions(self, row: Row, older: Row | None) -> Sequence[Region] | None:
        """Say which lines a revision changed; `None` if that is unknown."""
        held, before = digest_held(row["after"]), digest_held(older["after"]) if older else ""
        if row.get("before_unknown"):
            return None
        if held == before:
            return ()
        if not before:
            return [Region(0, 0, 0, row["after"]["size"] + 1)] if row["after"] else ()
        if "regions" in row:
            return unpacked(row["regions"])
        return self._compared(older, row)

    def _between(self, old: int, new: int) -> Sequence[Region] | None:
        older, newer = self.row(old), self.row(new)
        if digest_held(older["after"]) == digest_held(newer["after"]):
            return ()
        return self._compared(older, newer)

    def _compared(self, older: Row | None, newer: Row) -> Sequence[Region] | None:
        try:
            was = lines_of(self.content(older)) if older else []
            return changed_regions(was, lines_of(self.content(newer)))
        except ContentNotKeptError:
            return None

    def _brought_back(self, row: Row) -> int | None:
        """Name the revision that a restore or undo went back to."""
        number = row.get("back_to")
        if number is None and row.get("undoes"):
            first = {"file": row["file"], "seq": min(row["undoes"])}
            found = self._tx.scan(REVISIONS, first, limit=1)
            number = found[0].row["number"] - 1 if found else None
        if not number:
            return None
        target = self._tx.get(REVISIONS, revision_key(row["file"], number))
        if target is None or target["after"] is None:
            return None
        known = self._history.row(target["revision"])
        is_ours = known is not None and known["seq"] == target["seq"]
        return target["revision"] if is_ours and target["revision"] < row["revision"] else None


def _and_end(rows: Iterator[Row]) -> Iterator[Row | None]:
    yield from rows
    yield None
