"""Hours of faults in pieces: a slice of all points, and a ledger of what earlier runs have tried.

`HANSARD_FAULTS_SLICE=2/7` has a sweep of every point strike at every seventh, from the second on.
`HANSARD_FAULTS_LEDGER=FILE` notes there each test that passed, with its slice and what it struck,
and leaves out what is noted of this source already: a run that was stopped goes on where it was.
`python -m tests.crash.ledger FILE` adds up what all of its runs have tried.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.crash.table import add_up, lines_of, rows_of

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
PATH = os.environ.get("HANSARD_FAULTS_LEDGER")
WHOLE = "1/1"
SLICE = os.environ.get("HANSARD_FAULTS_SLICE", WHOLE)
"""Which slice is tried; of a short drill it may have no point at all."""
EVERY_POINT = os.environ.get("HANSARD_FAULTS") == "all"
"""Whether a sweep strikes at every point, of its slice; `make check-faults` does, for hours."""


def sliced(points: Sequence[T], which: str = SLICE) -> list[T]:
    """Take the slice that this run is to try: of `2/7` the second, and every seventh after it."""
    first, _, step = which.partition("/")
    return list(points[int(first) - 1 :: int(step)])


@cache
def source() -> str:
    """Name the source that is tried: what was tried of another proves nothing of this."""
    command = ["git", "rev-parse", "HEAD:src"]
    said = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


class Ledger:
    """The part of pytest that notes what passed, and leaves it out the next time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._done = {
            line["test"]
            for line in noted(path)
            if (line["slice"], line["source"]) == (SLICE, source())
        }

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leave out what has been tried."""
        tried = [item for item in items if item.nodeid in self._done]
        if tried:
            config.hook.pytest_deselected(items=tried)
            items[:] = [item for item in items if item.nodeid not in self._done]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what has passed; of several workers only the one they report to writes."""
        if report.when != "call" or not report.passed or os.environ.get("PYTEST_XDIST_WORKER"):
            return
        line = {"test": report.nodeid, "slice": SLICE, "source": source(), "rows": rows_of(report)}
        with self._path.open("a") as file:
            file.write(json.dumps(line) + "\n")


def noted(path: Path) -> Iterator[dict[str, Any]]:
    """Read a ledger; a last line that a kill has cut off was never noted."""
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def main() -> None:
    """Print the table of all runs that a ledger has of its newest source."""
    lines = list(noted(Path(sys.argv[1])))
    newest = [line for line in lines if line["source"] == lines[-1]["source"]]
    table = add_up(tuple(row) for line in newest for row in line["rows"])
    slices = ", ".join(sorted({line["slice"] for line in newest}))
    lines_said = [f"{len(newest)} tests passed, in the slices {slices}", *lines_of(table)]
    sys.stdout.write("\n".join(lines_said) + "\n")


if __name__ == "__main__":
    main()
