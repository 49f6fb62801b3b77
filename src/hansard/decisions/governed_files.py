"""Which decisions govern a file: active ones whose target is a matching `path:GLOB`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hansard.decisions import limits
from hansard.decisions.events import Enforcement
from hansard.decisions.tables import ACTIVE
from hansard.decisions.targets import anchors_of, matches
from hansard.kernel import paging
from hansard.kernel.engine import AnyOf, ReadTx, Row


@dataclass(frozen=True, slots=True)
class GoverningDecision:
    """A decision about files."""

    id: str
    title: str
    enforcement: Enforcement
    glob: str


def governed(tx: ReadTx, path: str, *, within: str = "") -> list[GoverningDecision]:
    """Find what governs a file, given as its path from the workspace's root on.

    A workspace `within` a repository is also governed by paths from the repository's top.

    Only globs that begin in a folder above the file are read, so decisions about other things or
    other folders cost nothing.
    """
    paths = [path, f"{within}/{path}"] if within else [path]
    anchors = dict.fromkeys(anchor for one in paths for anchor in anchors_of(one))
    where = {"anchor": AnyOf(list(anchors))}
    found = paging.rows(tx, ACTIVE, where, first=limits.PATHS_PAGE)
    return governing(paths, (one.row for one in found))


def governing(paths: Sequence[str], rows: Iterable[Row]) -> list[GoverningDecision]:
    """Choose those that name a file by any of its paths; those that block come first. Pure."""
    found = [
        GoverningDecision(
            row["decision"], row["title"], row["enforcement"] or "advise", row["glob"]
        )
        for row in rows
        if any(matches(row["glob"], path) for path in paths)
    ]
    return sorted(found, key=lambda one: (one.enforcement != "block", one.id))
