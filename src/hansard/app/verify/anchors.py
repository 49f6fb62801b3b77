"""Anchors: every line of the anchor file is an entry of this history."""

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

from hansard.app.anchoring import anchors, holds
from hansard.app.verify.chain import DAMAGED
from hansard.app.verify.report import Findings
from hansard.kernel.engine import Engine, ReadTx
from hansard.kernel.event import Receipt
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.problem import Problem
from hansard.kernel.store import CATALOG


def check_anchors(
    engine: Engine, path: Path, projects: Collection[str], findings: Findings
) -> None:
    """Look for each receipt that was noted in a file, as far as it is of these projects."""
    if not path.exists():
        message = f"{path} is not there, so nothing shows whether this store was rolled back"
        findings.drift("anchors", CATALOG, f"{message}; a running server begins it")
        return
    try:
        for project, missing in _missing(engine, path):
            if project in projects or project not in engine.heads():
                message = f"{project} does not have s:{missing.seq} as {path} noted it"
                remedy = "it was rolled back or rewritten since, or the file is another store's"
                findings.broken("anchors", project, f"{message}: {remedy}", seq=missing.seq)
    except Problem as problem:
        findings.unreadable("anchors", CATALOG, problem.message)


def _missing(engine: Engine, path: Path) -> Iterator[tuple[str, Receipt]]:
    """Go through the file some lines at a time, so that its length costs no memory."""
    lines = anchors(path)
    while some := list(islice(lines, ENTRIES_PAGE)):
        for project in dict.fromkeys(name for name, _ in some):
            noted = [receipt for name, receipt in some if name == project]
            for one in _absent(engine, project, noted):
                yield project, one


def _absent(engine: Engine, project: str, noted: Collection[Receipt]) -> list[Receipt]:
    def work(tx: ReadTx) -> list[Receipt]:
        return [one for one in noted if not holds(tx, one)]

    try:
        return engine.read(project, work)
    except DAMAGED:
        return []  # that is reported with the chain
