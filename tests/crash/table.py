"""The table of faults that ends a run of the tests: what was tried, how often, and what broke."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

KIND, STRUCK, POINTS = "fault kind", "fault struck", "points"
"""The properties of a test: the kind it is marked with, a sweep's own rows, how much it tried."""

Row = tuple[str, int, int, float]
"""A kind of fault, with the points tried, the violations found and the seconds taken."""


@dataclass
class Sum:
    """A line of the table."""

    tests: int = 0
    points: int = 0
    violations: int = 0
    seconds: float = 0.0


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Have a test's report say which kind of fault it tries."""
    marker = item.get_closest_marker("fault")
    if marker is not None:
        item.user_properties.append((KIND, marker.args[0]))


def show(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table, if any fault was tried."""
    tried = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    table = add_up(row for report in tried if report.when == "call" for row in rows_of(report))
    if not table:
        return
    terminalreporter.section("faults")
    for line in lines_of(table):
        terminalreporter.line(line)


def lines_of(table: dict[str, Sum]) -> Iterator[str]:
    """Write the table down."""
    width = max(map(len, table), default=0)
    yield f"{'fault':{width}}  tests  points  violations  seconds"
    for kind, line in [*sorted(table.items()), ("all", total(table))]:
        tests = line.tests or ""  # of all there is no number: a sweep tries many kinds
        yield (
            f"{kind:{width}}  {tests:5}  {line.points:6,}"
            f"  {line.violations:10}  {line.seconds:7,.0f}"
        )


def rows_of(report: pytest.TestReport) -> list[Row]:
    """Read what one test has tried; a marked one that does not say has tried one point."""
    said: list[tuple[str, Any]] = report.user_properties
    if rows := [value for name, value in said if name == STRUCK]:
        return rows
    properties = dict(said)
    if KIND not in properties:
        return []
    points = properties.get(POINTS, 1)
    return [(properties[KIND], points, int(report.failed), report.duration)]


def add_up(rows: Iterable[Row]) -> dict[str, Sum]:
    """Make one line of all rows of a kind."""
    table: dict[str, Sum] = defaultdict(Sum)
    for kind, points, violations, seconds in rows:
        line = table[kind]
        line.tests += 1
        line.points += points
        line.violations += violations
        line.seconds += seconds
    return dict(table)


def total(table: dict[str, Sum]) -> Sum:
    """Add all lines up."""
    whole = Sum()
    for line in table.values():
        whole.points += line.points
        whole.violations += line.violations
        whole.seconds += line.seconds
    return whole
