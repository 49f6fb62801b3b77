"""The table of hosts that ends a run of their tests: what each was seen to do."""

from collections.abc import Iterable, Mapping

import pytest

from tests.hosts.cast import COLUMNS

SEEN = "host seen"
"""The property of a test: the host, its cells and the seconds that it took."""

Row = tuple[str, Mapping[str, str], float]


def show(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table, if any host was tried."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    rows = [
        (host, cells, report.duration)
        for report in reports
        if report.when == "call"
        for name, (host, cells) in (one for one in report.user_properties if one[0] == SEEN)
    ]
    if rows:
        terminalreporter.section("hosts")
        for line in lines(rows):
            terminalreporter.line(line)


def lines(rows: Iterable[Row]) -> list[str]:
    """Lay the table out."""
    table: list[tuple[str, ...]] = [("host", *COLUMNS, "seconds")]
    for host, cells, seconds in sorted(rows):
        table.append((host, *(cells.get(name, "") for name in COLUMNS), f"{seconds:.0f}"))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
