"""Which tests `make test` leaves to `make check`, and in which order the others run.

PostgreSQL runs the whole engine suite each time. Of all other tests that use it, `--quarter`
takes a quarter: another one each day, so that four days see them all, and `--quarter N` to
repeat one. None takes those marked `bulk`. Without it all are taken.

Files that took long the last time come first, in random order as all others, so that no worker
is left alone with one at the end.
"""

import zlib
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import pytest

QUARTERS = 4
TODAY = "today"
WHOLE_SUITE = Path(__file__).parent / "engines"
LONG_S = 5.0
TOOK = "hansard/took"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption(
        "--quarter",
        choices=[TODAY, *map(str, range(QUARTERS))],
        help="of the tests on PostgreSQL, run the engine suite and this quarter of the others",
    )


def settle(config: pytest.Config) -> None:
    """Settle for all workers which day it is, and note how long files take."""
    if config.option.quarter == TODAY:
        config.option.quarter = str(datetime.now(UTC).toordinal() % QUARTERS)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Stopwatch(config))


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say how to repeat the choice."""
    quarter = config.option.quarter
    return [f"PostgreSQL: the engine suite and --quarter {quarter}"] if quarter else []


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not this quarter's, and put long files first."""
    quarter = config.option.quarter
    left_out = [item for item in items if quarter and not is_chosen(item, int(quarter))]
    took = config.cache.get(TOOK, {})
    chosen = [item for item in items if item not in set(left_out)]
    items[:] = sorted(chosen, key=lambda item: took.get(file_of(item.nodeid), 0.0) < LONG_S)
    config.hook.pytest_deselected(items=left_out)


def is_chosen(item: pytest.Item, quarter: int) -> bool:
    """Whether a test runs in a quarter."""
    if item.get_closest_marker("postgres") is None or item.path.parent == WHOLE_SUITE:
        return True
    if item.get_closest_marker("bulk") is not None:
        return False
    return zlib.crc32(item.nodeid.encode()) % QUARTERS == quarter


def file_of(nodeid: str) -> str:
    """Give the file that a test is in."""
    return nodeid.partition("::")[0]


class Stopwatch:
    """Notes how long each file took."""

    def __init__(self, config: pytest.Config) -> None:
        """Begin with nothing."""
        self._config = config
        self._took: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a test, or the part before or after it."""
        self._took[file_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Keep it for the next run; a run of a few tests of a file does not make it short."""
        known = self._config.cache.get(TOOK, {})
        more = {file: max(took, known.get(file, 0.0)) for file, took in self._took.items()}
        self._config.cache.set(TOOK, known | more)
