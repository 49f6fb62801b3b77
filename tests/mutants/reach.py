"""Which tests reach which lines: a part of pytest that notes it, and what reads it.

`pytest -p tests.mutants.reach` notes it, each worker for itself, where `HANSARD_REACH` says.
"""

import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

SOURCE = Path(__file__).parents[2] / "src" / "hansard"
PLACE = "HANSARD_REACH"

Reached = dict[int, set[str]]
"""By line of a file, the tests that reach it."""


class Noting:
    """Notes which test each line is reached by."""

    def __init__(self, folder: Path, worker: str) -> None:
        """Begin at once: what is imported later is seen."""
        self._coverage = coverage.Coverage(
            data_file=str(folder / f"of-{worker}"), include=[f"{SOURCE}/*"], config_file=False
        )
        self._coverage.start()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Name the test that is about to run."""
        self._coverage.switch_context(item.nodeid)
        return (yield)

    def pytest_sessionfinish(self) -> None:
        """Keep it."""
        self._coverage.stop()
        self._coverage.save()


def pytest_configure(config: pytest.Config) -> None:
    """Note only in the processes that run tests."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker or not config.getoption("numprocesses", None):
        config.pluginmanager.register(Noting(Path(os.environ[PLACE]), worker or "only"))


def read(folder: Path, file: Path) -> Reached:
    """Give which tests reach which lines of a file."""
    reached: Reached = defaultdict(set)
    for noted in folder.glob("of-*"):
        data = coverage.CoverageData(str(noted))
        data.read()
        for line, tests in data.contexts_by_lineno(str(file)).items():
            reached[line] |= {test for test in tests if test}
    return reached
