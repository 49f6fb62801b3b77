"""Which tests reach which lines: a part of pytest that notes it, and what reads it.

`pytest -p tests.mutants.reach` notes it, each worker for itself, where `HANSARD_REACH` says.
"""

import ast
import os
import re
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator
from functools import cache
from pathlib import Path

import coverage
import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "hansard"
TARGETS = ("kernel/*.py", "engines/**/*.py", "**/rules.py")
PLACE = "HANSARD_REACH"

Reached = dict[int, set[str]]
"""By line of a file, the tests that reach it."""


def targets() -> list[Path]:
    """Name the files that faults are put into."""
    return sorted({file for target in TARGETS for file in SOURCE.glob(target)})


class Noting:
    """Notes which test each line is reached by."""

    def __init__(self, noted: Path) -> None:
        """Begin at once: what is imported later is seen."""
        self._failed = noted.with_name(f"failed-{noted.name}")
        self._ran, self._took = noted.with_name(f"ran-{noted.name}"), defaultdict[str, float](float)
        self._coverage = coverage.Coverage(
            data_file=str(noted), include=[str(file) for file in targets()], config_file=False
        )
        self._coverage.start()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Name the test that is about to run."""
        self._took[item.nodeid] = 0
        self._coverage.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how long it takes, and what fails as it is: it cannot judge."""
        self._took[report.nodeid] += report.duration
        if report.failed:
            with self._failed.open("a") as failed:
                failed.write(f"{report.nodeid}\n")

    def pytest_sessionfinish(self) -> None:
        """Keep it."""
        ran = (f"{seconds:.3f} {test}" for test, seconds in self._took.items())
        self._ran.write_text("\n".join(ran))
        self._coverage.stop()
        self._coverage.save()


def pytest_configure(config: pytest.Config) -> None:
    """Note only in the processes that run tests."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker or not config.getoption("numprocesses", None):
        folder = Path(os.environ[PLACE])
        config.pluginmanager.register(Noting(folder / f"of-{os.getpid()}-{worker or 'only'}"))


class Reach:
    """What was noted, read once."""

    def __init__(self, folder: Path) -> None:
        """Read it all."""
        self._files: dict[Path, Reached] = {file: defaultdict(set) for file in targets()}
        failed, ran = set(_listed(folder, "failed")), _listed(folder, "ran")
        self._took = {test: float(took) for took, _, test in (one.partition(" ") for one in ran)}
        for noted in folder.glob("of-*"):
            data = coverage.CoverageData(str(noted))
            data.read()
            for file, reached in self._files.items():
                for line, tests in data.contexts_by_lineno(str(file)).items():
                    reached[line] |= set(tests) - failed - {""}
        self._ran = self._took.keys() - failed
        self._breadth = Counter(
            test for reached in self._files.values() for tests in reached.values() for test in tests
        )

    def tests_of(self, file: Path, line: int) -> list[str]:
        """Give the tests that could notice a fault in a line, those of its own name first.

        Of the others those come first that reach least.

        What is done on import no test reaches by itself. For a constant these are the tests whose
        file names it or that reach a line which does; for anything else all that reach the file.
        """
        reached, source = self._files[file], file.read_text()
        tests = {test for one in _statement(source, line) for test in reached.get(one, ())}
        if not tests and not _is_within_function(source, line):
            tests = self._users(file, _constants(source, line)) or set().union(*reached.values())
        own = re.compile(
            rf"/{file.parent.name}/test_(?:\w+_)?{file.stem}\w*\.py::|/test_{file.stem}\b"
        )
        return sorted(tests, key=lambda test: (not own.search(test), self._breadth[test], test))

    def took_s(self, test: str) -> float:
        """Say how long a test took."""
        return self._took[test]

    def _users(self, file: Path, names: Iterable[str]) -> set[str]:
        words = re.compile(rf"\b({'|'.join(names)})\b") if names else None
        if words is None:
            return set()
        lines = enumerate(file.read_text().splitlines(), start=1)
        using = [self._files[file].get(line, set()) for line, text in lines if words.search(text)]
        naming = {test for test in self._ran if words.search(_text_of(test))}
        return naming.union(*using)


def _listed(folder: Path, what: str) -> list[str]:
    files = folder.glob(f"{what}-*")
    return [line for file in files for line in file.read_text().splitlines() if line]


def _statement(source: str, line: int) -> Iterator[int]:
    """Name the lines of the smallest statement that a line is of; of a block only the head.

    The head of a function is done on import: it is reached by what reaches the function.
    """
    found = [one for one in _statements(source) if one[0] <= line <= one[1]]
    first, last = max(found, default=(line, line))
    yield from range(first, last + 1)


def _is_within_function(source: str, line: int) -> bool:
    """Whether a line is done when a function is called, and not on import."""
    return any(
        node.body[0].lineno <= line <= (node.end_lineno or 0)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


@cache
def _statements(source: str) -> list[tuple[int, int]]:
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and not isinstance(node, ast.ClassDef):
            body = getattr(node, "body", None)
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            last = body[0].lineno - 1 if body and not is_function else node.end_lineno
            found.append((node.lineno, max(last or 0, node.lineno)))
    return found


def _constants(source: str, line: int) -> list[str]:
    """Name what the statement at a line gives a name to on import; within a class, the class."""
    names = []
    for node in ast.parse(source).body:
        if not node.lineno <= line <= (node.end_lineno or 0):
            continue
        if isinstance(node, ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            aims = node.targets if isinstance(node, ast.Assign) else [node.target]
            names += [one.id for one in aims if isinstance(one, ast.Name)]
    return names


@cache
def _text_of(test: str) -> str:
    return (ROOT / test.partition("::")[0]).read_text()
