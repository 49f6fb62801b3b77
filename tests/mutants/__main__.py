"""Draw faults, run the tests that reach them, and print those that no test noticed."""

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory

import pytest

from tests.mutants import reach
from tests.mutants.mutations import Mutation, mutations

ROOT = Path(__file__).parents[2]
NOTED = ROOT / "build" / "reach"
FOLDERS = (
    *("kernel", "engines", "app", "records", "sessions", "checkpoints", "recorder", "entities"),
    *("decisions", "embedders", "sdk", "langgraph", "mutants"),
)
QUICK = "not slow and not postgres and not clients"
ON_POSTGRES = "postgres and not slow"
"""The engine of PostgreSQL is judged by its own tests; each try starts a server for them."""
FIRST = 40
"""So many tests are run at first, those that reach least ..."""
TESTS_MAX = 80
"""... and so many in all, before a fault counts as not noticed."""
CONTROLS = 20
"""So many tests are first run on the source as it is."""
ANSWERS = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED}
"""How a run ends that says something: also by a fault that keeps a test from being loaded."""
PATIENCE_S = 120
"""What takes longer does not end, if the same tests end without the fault."""


@dataclass(frozen=True)
class Mutant:
    """A fault in a file, and the tests that could notice it."""

    file: Path
    mutation: Mutation
    tests: tuple[str, ...]

    @property
    def told(self) -> str:
        """Say where and what it is."""
        place = self.file.relative_to(reach.SOURCE)
        return f"{place}:{self.mutation.line}: {self.mutation.told(self.file.read_text())}"


def main() -> int:
    """Draw, try, and print the score."""
    asked = _asked()
    if asked.again or _noted_of() != _state():
        _note_reach()
    chance = random.Random(asked.seed)
    everything = list(_everything(asked.only))
    drawn = chance.sample(everything, min(asked.count, len(everything)))
    known = reach.Reach(NOTED)
    mutants = [
        Mutant(file, mutation, tuple(known.tests_of(file, mutation.line)[:TESTS_MAX]))
        for file, mutation in drawn
    ]
    require_green(mutants)
    alive = 0
    for number, (mutant, is_noticed) in enumerate(_tried(mutants, asked.workers), 1):
        alive += not is_noticed
        if not is_noticed:
            reached = (
                f"{len(mutant.tests)} tests reach it" if mutant.tests else "no test reaches it"
            )
            print(f"not noticed: {mutant.told} ({reached})", flush=True)  # noqa: T201 - the answer
        if number % 10 == 0:
            print(f"{number} of {len(mutants)}", file=sys.stderr, flush=True)  # noqa: T201 - progress
    if not mutants:
        return 0
    killed = len(mutants) - alive
    print(f"{killed} of {len(mutants)} noticed ({killed / len(mutants):.0%}), seed {asked.seed}")  # noqa: T201 - the answer
    return 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many faults are tried")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--only", default="", help="only in files whose path has this")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", action="store_true", help="note anew which tests reach what")
    return parser.parse_args()


def _note_reach() -> None:
    """Run the quick tests once, and those of PostgreSQL's engine, and note what each reaches."""
    shutil.rmtree(NOTED, ignore_errors=True)
    NOTED.mkdir(parents=True)
    _note(QUICK, [f"tests/{folder}" for folder in FOLDERS])
    _note(ON_POSTGRES, ["tests/engines"])
    (NOTED / "of").write_text(_state())


def _noted_of() -> str:
    state = NOTED / "of"
    return state.read_text() if state.exists() else ""


def _state() -> str:
    """Give what changes with any line of the source or of a test: what was noted is then void."""
    files = sorted(file for folder in ("src", "tests") for file in (ROOT / folder).rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _note(marked: str, tests: Sequence[str]) -> None:
    workers = str(os.cpu_count() or 1)
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-n", workers),
            *("-p", "tests.mutants.reach", "-m", marked, *tests),
        ],
        cwd=ROOT,
        env=os.environ | {reach.PLACE: str(NOTED)},
        check=False,
    )
    if ran.returncode not in ANSWERS:
        raise RuntimeError("The tests could not be run")


def _everything(only: str) -> Iterator[tuple[Path, Mutation]]:
    """Give every fault of every file that is looked at."""
    for file in reach.targets():
        if only in str(file):
            yield from ((file, mutation) for mutation in mutations(file.read_text()))


def _tried(mutants: Sequence[Mutant], workers: int) -> Iterator[tuple[Mutant, bool]]:
    """Try each, in as many copies of the source as there are workers."""
    with TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(workers) as threads:
        copies: Queue[Path] = Queue()
        for number in range(workers):
            copy = Path(folder) / str(number)
            shutil.copytree(reach.SOURCE, copy / "hansard")
            copies.put(copy)

        def attempt(mutant: Mutant) -> tuple[Mutant, bool]:
            copy = copies.get()
            try:
                return mutant, _is_noticed(mutant, copy)
            finally:
                copies.put(copy)

        yield from threads.map(attempt, mutants)


def _is_noticed(mutant: Mutant, copy: Path) -> bool:
    """Put a fault into a copy, and see whether a test fails."""
    if not mutant.tests:
        return False
    source = mutant.file.read_text()
    target = copy / "hansard" / mutant.file.relative_to(reach.SOURCE)
    target.write_text(mutant.mutation.put_into(source))
    try:
        return not (
            _passes(mutant.tests[:FIRST], copy)
            and (len(mutant.tests) <= FIRST or _passes(mutant.tests[FIRST:], copy))
        )
    finally:
        target.write_text(source)


def _passes(tests: Sequence[str], copy: Path, patience_s: float | None = PATIENCE_S) -> bool:
    """Run tests on a copy of the source; what keeps them from being run is no answer."""
    options = ["-x", "-q", "-n", "0", "-p", "no:randomly", "-o", f"cache_dir={copy / 'cache'}"]
    places = {"PYTHONPATH": str(copy), "HYPOTHESIS_STORAGE_DIRECTORY": str(copy / "examples")}
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=ROOT,
        env=os.environ | places | {"PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as running:
        try:
            told, _ = running.communicate(timeout=patience_s)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            return not _ends(tests)
    if running.returncode not in ANSWERS:
        raise RuntimeError(f"The tests could not be run:\n{told[-2000:]}")
    return running.returncode == pytest.ExitCode.OK


def _ends(tests: Sequence[str]) -> bool:
    """Whether tests end by themselves in half the time, so that it was the fault that kept them."""
    began = time.monotonic()
    with TemporaryDirectory(prefix="mutants-") as folder:
        shutil.copytree(reach.SOURCE, Path(folder) / "hansard")
        if not _passes(tests, Path(folder), None):
            raise RuntimeError("The tests fail though no fault was put in")
    return time.monotonic() - began < PATIENCE_S / 2


def require_green(mutants: Sequence[Mutant]) -> None:
    """Refuse to judge by tests that fail, or cannot run, where nothing is wrong."""
    tests = [mutant.tests[0] for mutant in mutants if mutant.tests][:CONTROLS]
    with TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder)
        shutil.copytree(reach.SOURCE, copy / "hansard")
        if tests and not _passes(tests, copy):
            raise RuntimeError("The tests fail though no fault was put in")


if __name__ == "__main__":
    sys.exit(main())
