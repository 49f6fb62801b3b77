"""Draw faults, run the tests that reach them, and print those that no test noticed."""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from queue import Queue

import pytest

from tests.mutants import reach
from tests.mutants.earlier import left_by
from tests.mutants.judging import ANSWERS, FOLDERS, ROOT, Judge, Mutant
from tests.mutants.mutations import Mutation, mutations

NOTED = ROOT / "build" / "reach"
QUICK = "not slow and not postgres and not clients and not interrupts"
ON_POSTGRES = "postgres and not interrupts"
"""The engine of PostgreSQL is judged by its own tests, also by those that start more servers."""
TESTS_MAX = 300
"""So many tests may try to notice a fault, those first that reach least ..."""
TESTS_S = 30.0
"""... and so much processor time they may take, after the first of them."""


def main() -> int:
    """Draw, try, and print the score."""
    asked = _asked()
    _note_reach(again=asked.again)
    drawn = _drawn(asked)
    known = reach.Reach(NOTED)
    mutants = [_with_tests(known, file, mutation) for file, mutation in drawn]
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
    of = f"left by {asked.left_by.name}" if asked.left_by else f"seed {asked.seed}"
    print(f"{killed} of {len(mutants)} noticed ({killed / len(mutants):.0%}), {of}")  # noqa: T201 - the answer
    return 0


def _drawn(asked: argparse.Namespace) -> list[tuple[Path, Mutation]]:
    """Choose the faults to try: by chance, or those that an earlier run has left."""
    everything = list(_everything(asked.only))
    if asked.left_by:
        return list(left_by(asked.left_by.read_text(), everything))
    return random.Random(asked.seed).sample(everything, min(asked.count, len(everything)))


def _with_tests(known: reach.Reach, file: Path, mutation: Mutation) -> Mutant:
    """Choose the tests that may notice a fault."""
    tests, took_s = list[str](), 0.0
    for test in known.tests_of(file, mutation.line)[:TESTS_MAX]:
        took_s += known.took_s(test)
        if tests and took_s > TESTS_S:
            break
        tests.append(test)
    done = known.is_done_on_import(file, mutation.line)
    return Mutant(file, mutation, tuple(tests), min(took_s, TESTS_S), is_done_on_import=done)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many faults are tried")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--only", default="", help="only in files whose path has this")
    parser.add_argument(
        "--left-by", type=Path, metavar="LOG", help="only those that a run told as not noticed"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--again", action="store_true", help="note of all tests anew what they reach"
    )
    return parser.parse_args()


def _note_reach(*, again: bool) -> None:
    """Note what the tests reach whose files have changed since that was noted of them last."""
    if again:
        shutil.rmtree(NOTED, ignore_errors=True)
    there = reach.digests_of(FOLDERS)
    known = {
        file: digest for noted in reach.Noted.all(NOTED) for file, digest in noted.digests.items()
    }
    stale = {file: digest for file, digest in there.items() if known.get(file) != digest}
    if not stale:
        return
    print(f"Noting what the tests of {len(stale)} files reach", file=sys.stderr)  # noqa: T201 - progress
    place = reach.Noted.begin(NOTED)
    _note(place, QUICK, [*stale])
    if engines := [file for file in stale if file.startswith("tests/engines/")]:
        _note(place, ON_POSTGRES, engines)
    (place / reach.Noted.TESTS).write_text(json.dumps(stale))


def _note(place: Path, marked: str, tests: Sequence[str]) -> None:
    workers = str(os.cpu_count() or 1)
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-n", workers),
            *("-p", "tests.mutants.reach", "-m", marked, *tests),
        ],
        cwd=ROOT,
        env=os.environ | {reach.PLACE: str(place)},
        stdout=sys.stderr,
        check=False,
    )
    if ran.returncode not in {*ANSWERS, pytest.ExitCode.NO_TESTS_COLLECTED}:
        raise RuntimeError("The tests could not be run")


def _everything(only: str) -> Iterator[tuple[Path, Mutation]]:
    """Give every fault of every file that is looked at."""
    for file in reach.targets():
        if only in str(file):
            yield from ((file, mutation) for mutation in mutations(file.read_text()))


def _tried(mutants: Sequence[Mutant], workers: int) -> Iterator[tuple[Mutant, bool]]:
    """Try each, by as many judges as there are workers."""
    with ExitStack() as stack, ThreadPoolExecutor(workers) as threads:
        judges: Queue[Judge] = Queue()
        for _ in range(min(workers, len(mutants))):
            judges.put(stack.enter_context(closing(Judge())))

        def attempt(mutant: Mutant) -> tuple[Mutant, bool]:
            judge = judges.get()
            try:
                return mutant, judge.is_noticed(mutant)
            finally:
                judges.put(judge)

        yield from threads.map(attempt, mutants)


if __name__ == "__main__":
    sys.exit(main())
