"""Which tests reach which lines: a part of pytest that notes it, and what reads it.

`pytest -p tests.mutants.reach` notes it, each worker for itself, where `HANSARD_REACH` says.

What was noted stays true of a test whose file has not changed, so that only the others are run
again. Lines of the source that have moved since are found where they are now, and what stands
there for a changed line is taken to be reached by what reached that. This may ask a test too few or
too many, which never makes a fault look noticed that is not.
"""

import ast
import hashlib
import json
import os
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

import coverage
import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "hansard"
IN_ANY_COPY = "/src/hansard/"
TARGETS = ("kernel/*.py", "engines/**/*.py", "**/rules.py")
PLACE = "HANSARD_REACH"
RENAMED_SHARE = 0.5
"""A file that has so large a share of its lines in common with one that is gone is that one."""
ON_IMPORT = ""
"""What reaches a line before any test runs."""
ON_DECLARED = re.compile(r"test_catalog_file\.py::|test_generate\.py::\w*committed")
"""The tests that compare all that is declared with what is written down: they name none of it."""

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
        """Name the test that is about to run, and note how much work it is."""
        before = sum(os.times()[:4])
        self._coverage.switch_context(item.nodeid)
        ran = yield
        # Processor time: how long it takes says more of what else the machine does.
        self._took[item.nodeid] = sum(os.times()[:4]) - before
        return ran

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what fails as it is: it cannot judge."""
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


class Noted:
    """What was noted at one time: in a folder, with the source as it was and the tests' digests."""

    TESTS, SOURCE = "tests.json", "source"

    def __init__(self, folder: Path) -> None:
        """Read of which test files it is."""
        self.folder = folder
        self.digests: dict[str, str] = json.loads((folder / self.TESTS).read_text())

    @classmethod
    def all(cls, folder: Path) -> list["Noted"]:
        """Give all that was noted, the oldest first; what was broken off does not count."""
        whole = [found.parent for found in folder.glob(f"*/{cls.TESTS}")]
        return [cls(one) for one in sorted(whole, key=lambda one: int(one.name))]

    @classmethod
    def begin(cls, folder: Path) -> Path:
        """Make the place of another, and keep the source there as it is now."""
        place = folder / str(1 + max([int(one.name) for one in folder.glob("[0-9]*")], default=0))
        for file in targets():
            kept = place / cls.SOURCE / file.relative_to(SOURCE)
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, kept)
        return place

    def reached(self, tests: set[str]) -> Iterator[tuple[Path, Reached]]:
        """Give, for each file as it is now, the tests that reach its lines, of these."""
        wanted = {ON_IMPORT, *tests}
        known = [coverage.CoverageData(str(one)) for one in self.folder.glob("of-*")]
        places = {}
        for data in known:
            data.read()
            # It may have been noted in another copy of the repository.
            places[data] = {one.rpartition(IN_ANY_COPY)[2]: one for one in data.measured_files()}
        for file, then in self._files_then().items():
            now = moved((self.folder / self.SOURCE / then).read_text(), file.read_text())
            reached: Reached = defaultdict(set)
            for data in known:
                measured = places[data].get(then.as_posix(), "")
                for line, found in data.contexts_by_lineno(measured).items():
                    for place in now.get(line, ()):
                        reached[place] |= wanted.intersection(found)
            yield file, reached

    def _files_then(self) -> dict[Path, Path]:
        """Say for each file by what name it was noted; one that is new may have had another."""
        source = self.folder / self.SOURCE
        there = {file.relative_to(SOURCE): file for file in targets()}
        then = {one.relative_to(source) for one in source.rglob("*.py")}
        texts = {one: set((source / one).read_text().splitlines()) for one in then - there.keys()}
        names = {file: name for name, file in there.items() if name in then}
        for file in there.values() - names.keys():
            lines = set(file.read_text().splitlines())
            alike = {one: len(lines & text) / len(lines | text) for one, text in texts.items()}
            best = max(alike, key=alike.__getitem__, default=None)
            if best and alike[best] > RENAMED_SHARE:
                names[file] = best
        return names


def moved(before: str, after: str) -> dict[int, list[int]]:
    """Say for each line of a text at which lines it is later, or what stands there for it."""
    lines = before.splitlines(), after.splitlines()
    found: dict[int, list[int]] = defaultdict(list)
    for what, start, end, begin, finish in SequenceMatcher(None, *lines, False).get_opcodes():
        new = range(begin + 1, finish + 1)
        if what == "equal":
            for one, place in zip(range(start + 1, end + 1), new, strict=True):
                found[one].append(place)
        else:  # what reaches the lines around new ones may reach these
            for one in range(start + 1, end + 1) or {start, start + 1} - {0}:
                found[one] += new
    return found


def digests_of(folders: Iterable[str]) -> dict[str, str]:
    """Name the test files of some folders, each with the digest of what it does."""
    places = (ROOT / "tests" / name for name in folders)
    files = (
        file
        for place in places
        for file in ([place] if place.is_file() else place.rglob("test_*.py"))
    )
    return {
        str(file.relative_to(ROOT)): hashlib.sha256(_done_in(file.read_text())).hexdigest()
        for file in sorted(files)
    }


def _done_in(source: str) -> bytes:
    """Give what a test file does: not how it is laid out, nor where its names come from."""
    tree = ast.parse(source)
    tree.body = [one for one in tree.body if not isinstance(one, ast.Import | ast.ImportFrom)]
    return ast.unparse(tree).encode()


def own_tests(file: Path) -> re.Pattern[str]:
    """Say how the tests of a file's own name are called."""
    folder, name = file.parent.name, file.stem
    return re.compile(
        rf"/{folder}/test_(?:\w+_)?{name}\w*\.py::|/test_{name}\b|/test_{folder}_{name}\w*\.py::"
    )


class Reach:
    """What was noted, read once."""

    def __init__(self, folder: Path) -> None:
        """Read of each test what was noted of it last."""
        self._files: dict[Path, Reached] = {file: defaultdict(set) for file in targets()}
        self._took: dict[str, float] = {}
        noted_of = ((file, noted) for noted in Noted.all(folder) for file in noted.digests)
        newest = {file: noted for file, noted in noted_of if (ROOT / file).is_file()}
        for noted in dict.fromkeys(newest.values()):
            failed = set(_listed(noted.folder, "failed"))
            for one in _listed(noted.folder, "ran"):
                took, _, test = one.partition(" ")
                if newest.get(test.partition("::")[0]) is noted and test not in failed:
                    self._took[test] = float(took)
            ours = {test for test in self._took if newest[test.partition("::")[0]] is noted}
            for file, reached in noted.reached(ours):
                for line, tests in reached.items():
                    self._files[file][line] |= tests
        self._breadth = Counter(
            test for reached in self._files.values() for tests in reached.values() for test in tests
        )

    def is_done_on_import(self, file: Path, line: int) -> bool:
        """Whether a line was reached before any test ran: a fork has that behind it."""
        lines = _statement(file.read_text(), line)
        return any(ON_IMPORT in self._files[file].get(one, ()) for one in lines)

    def tests_of(self, file: Path, line: int) -> list[str]:
        """Give the tests that could notice a fault in a line, those of its own name first.

        Those of its own name are asked also where they reach only the file. Of the others those
        come first that reach least.

        What is done on import no test reaches by itself. For a constant these are the tests whose
        file names it or that reach a line which does; for anything else all that reach the file.
        Before them come those that compare all that is declared with what is written down.
        """
        reached, source, first = self._files[file], file.read_text(), set[str]()
        tests = {test for one in _statement(source, line) for test in reached.get(one, ())}
        tests.discard(ON_IMPORT)
        if not tests and not _is_within_function(source, line):
            tests = self._users(file, _constants(source, line)) or self._reaching(file)
            first = {test for test in self._took if ON_DECLARED.search(test)}
            tests |= first
        own = own_tests(file)
        if not tests:
            return []
        # What is remembered is found out by the first test that asks, which may be any.
        asked = tests | {test for test in self._reaching(file) if own.search(test)}
        return sorted(
            asked,
            key=lambda one: (
                *(not own.search(one), one not in first, one not in tests),
                *(self._breadth[one], one),
            ),
        )

    def _reaching(self, file: Path) -> set[str]:
        """Give the tests that reach a file at all."""
        return set().union(*self._files[file].values()) - {ON_IMPORT}

    def took_s(self, test: str) -> float:
        """Say how long a test took."""
        return self._took[test]

    def _users(self, file: Path, names: Iterable[str]) -> set[str]:
        words = re.compile(rf"\b({'|'.join(names)})\b") if names else None
        if words is None:
            return set()
        lines = enumerate(file.read_text().splitlines(), start=1)
        using = [self._files[file].get(line, set()) for line, text in lines if words.search(text)]
        naming = {test for test in self._took if words.search(_text_of(test))}
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
