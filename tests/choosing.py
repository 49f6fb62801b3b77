"""Which tests `make test` takes, which it leaves to `make check`, and in which order they run.

`--share N` takes a share that proves every promise by some case of it: no test that is slow or
needs a foreign client, a quarter of the costly ones and of those on PostgreSQL (but the whole
engine suite), and of each test at most two cases. N is the number of a day, so that other days
take others, and a day can be repeated. `--rest N` takes exactly what `--share N` leaves. Neither
takes what is a step of its own: real hosts, and what is shipped.

Which are costly is listed in `costly.txt`: `--note-costs` lists anew those that it ran. A test that
is renamed is taken each day until then.

Files that took long the last time come first, in random order as all others, so that no worker
is left alone with one at the end.
"""

import zlib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from statistics import mean

import pytest

QUARTERS = 4
CASES = 2
COSTLY = Path(__file__).with_name("costly.txt")
COSTLY_S = 0.1
WHOLE_SUITE = Path(__file__).parent / "engines"
LONG_S = 5.0
OWN_STEPS = {"hosts", "release"}
TOOK = "hansard/took"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption("--share", type=int, metavar="N", help="run the share of a day")
    parser.addoption("--rest", type=int, metavar="N", help="run what that share leaves")
    parser.addoption(
        "--note-costs", action="store_true", help=f"list in {COSTLY.name} what is costly"
    )


def settle(config: pytest.Config) -> None:
    """Note how long tests take."""
    if hasattr(config, "workerinput"):
        return
    config.pluginmanager.register(Stopwatch(config))
    if config.option.note_costs:
        config.pluginmanager.register(Costs())


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say how to repeat the choice."""
    options = {"--share": config.option.share, "--rest": config.option.rest}
    return [f"tests: {name} {day}" for name, day in options.items() if day is not None]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not to be taken, and put long files first."""
    chosen = set(items)
    if config.option.share is not None:
        chosen = share(items, config.option.share)
    if config.option.rest is not None:
        chosen = rest(items, config.option.rest)
    cache = getattr(config, "cache", None)
    took = cache.get(TOOK, {}) if cache else {}
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = sorted(
        (item for item in items if item in chosen),
        key=lambda item: took.get(file_of(item.nodeid), 0.0) < LONG_S,
    )


def share(items: Iterable[pytest.Item], day: int) -> set[pytest.Item]:
    """Give the share of a day; it is the same in whatever order the tests come."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if is_of_quarter(item, day % QUARTERS):
            cases[test_of(item.nodeid)].append(item)
    return {
        item
        for several in cases.values()
        for item in sorted(several, key=lambda one: _mark(f"{day} {one.nodeid}"))[:CASES]
    }


def rest(items: Iterable[pytest.Item], day: int) -> set[pytest.Item]:
    """Give what the share of a day leaves, but what is a step of its own."""
    return {item for item in items if not _marks(item) & OWN_STEPS} - share(items, day)


def is_of_quarter(item: pytest.Item, quarter: int) -> bool:
    """Whether a test may run in a quarter."""
    marks = _marks(item)
    if marks & {"slow", "clients", *OWN_STEPS}:
        return False
    if item.path.parent == WHOLE_SUITE:
        return True
    is_costly = "postgres" in marks or test_of(item.nodeid) in costly()
    return not is_costly or _mark(item.nodeid) % QUARTERS == quarter


def _marks(item: pytest.Item) -> set[str]:
    return {mark.name for mark in item.iter_markers()}


@cache
def costly() -> frozenset[str]:
    """Name the costly tests."""
    return frozenset(COSTLY.read_text().split())


def _mark(text: str) -> int:
    return zlib.crc32(text.encode())


def test_of(nodeid: str) -> str:
    """Give the test that a case is of."""
    return nodeid.partition("[")[0]


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
        cache = getattr(self._config, "cache", None)
        if cache is None:  # pytest was told to keep none
            return
        known = cache.get(TOOK, {})
        more = {file: max(took, known.get(file, 0.0)) for file, took in self._took.items()}
        cache.set(TOOK, known | more)


class Costs:
    """Lists the costly tests anew, as far as they are run; best on a machine that does no more."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._took: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a test, or the part before or after it."""
        self._took[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Write the list."""
        cases: dict[str, list[float]] = defaultdict(list)
        for nodeid, took in self._took.items():
            cases[test_of(nodeid)].append(took)
        now = {test for test, several in cases.items() if mean(several) >= COSTLY_S}
        COSTLY.write_text("".join(f"{test}\n" for test in sorted(now | (costly() - cases.keys()))))
