"""Whether tests notice a fault: asked of a process that has loaded them all, and forks for each.

What is done when a file is imported a fork has behind it: such a fault is put into a copy of the
source, and a new interpreter runs the tests. So is one that no fork noticed in a line that was
reached on import.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Sequence
from compileall import compile_dir
from dataclasses import dataclass, replace
from pathlib import Path
from py_compile import PycInvalidationMode
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.mutants import forking, reach
from tests.mutants.mutations import Mutation

ROOT = Path(__file__).parents[2]
FOLDERS = (
    *("kernel", "engines", "app", "records", "sessions", "checkpoints", "recorder", "entities"),
    *("decisions", "embedders", "sdk", "langgraph", "mutants", "foreign", "hooks", "mcp"),
    *("acceptance", "contract", "formats", "cli/test_generate.py"),
)
QUICK = "(postgres or not slow) and not clients"
ANSWERS = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED}
"""How a run ends that says something: also by a fault that keeps a test from being loaded."""
PATIENCE_S = 60.0
"""What takes longer than this, and so much longer than it did, does not end."""
TIMES_AS_LONG = 5
CONTROL_S = 600.0
"""How long tests may take with no fault in the source."""
OPTIONS = ("-q", "-n", "0", "-p", "no:randomly")


@dataclass(frozen=True)
class Mutant:
    """A fault in a file, and the tests that could notice it."""

    file: Path
    mutation: Mutation
    tests: tuple[str, ...]
    took_s: float
    """How much processor time those tests take without it."""
    is_done_on_import: bool = True
    """Whether the line was reached before any test ran."""

    @property
    def told(self) -> str:
        """Say where and what it is."""
        place = self.file.relative_to(reach.SOURCE)
        return f"{place}:{self.mutation.line}: {self.mutation.told(self.file.read_text())}"

    @property
    def faulty(self) -> str:
        """Give the file with the fault."""
        return self.mutation.put_into(self.file.read_text())

    @property
    def patience_s(self) -> float:
        """Say how long is waited for its tests."""
        return PATIENCE_S + TIMES_AS_LONG * self.took_s


class Judge:
    """A process that has loaded all tests, and a copy of the source for what it cannot judge."""

    def __init__(self) -> None:
        """Begin to load them."""
        self._folder = TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True)
        self._place = Path(self._folder.name)
        # PostgreSQL does not run as root, and may then not read what is root's alone.
        self._place.chmod(0o755)
        self._copy = self._place / "hansard"
        shutil.copytree(
            reach.SOURCE, self._copy, ignore=shutil.ignore_patterns("__pycache__", "node_modules")
        )
        compile_dir(self._copy, quiet=1, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
        self._sound: dict[str, bool] = {}
        ours, theirs = socket.socketpair()
        self._log = self._place / "log"
        with theirs, self._log.open("wb") as log:
            command = ["-p", "tests.mutants.forking", "-m", QUICK]
            self._process = subprocess.Popen(
                [*_pytest(self._place), *command, *(f"tests/{folder}" for folder in FOLDERS)],
                cwd=ROOT,
                env=self._environment(reach.SOURCE.parent) | {forking.PLACE: str(theirs.fileno())},
                pass_fds=[theirs.fileno()],
                stdout=log,
                stderr=log,
            )
        self._lines = ours.makefile("rw")
        ours.close()

    def close(self) -> None:
        """Let the process end, and leave nothing behind."""
        self._lines.close()
        self._process.wait()
        self._folder.cleanup()

    def is_noticed(self, mutant: Mutant) -> bool:
        """Put a fault in, and see whether a test fails that does not fail without it."""
        if not mutant.tests:
            return False
        told = self._forked(mutant, mutant.faulty, mutant.tests, mutant.patience_s)
        match told["ended"]:
            case forking.FAILED:
                return self._is_sound(mutant, told["failed"])
            case None:
                return self._is_endless(mutant, is_worn_out=told["is_worn_out"])
            case forking.PASSED if not mutant.is_done_on_import:
                return False
            case forking.PASSED | forking.UNFIT:
                return self._is_noticed_anew(mutant)
            case _:
                return True  # it took the whole process down

    def _is_endless(self, mutant: Mutant, *, is_worn_out: bool) -> bool:
        """Whether tests that did not end do so without the fault; one that waits may be slow."""
        control = self._forked(mutant, None, mutant.tests, CONTROL_S)
        if control["ended"] != forking.PASSED:
            return False
        if is_worn_out or control["took_s"] < mutant.patience_s / 2:
            return True
        patience_s = TIMES_AS_LONG * control["took_s"]
        again = self._forked(mutant, mutant.faulty, mutant.tests, patience_s)
        return again["ended"] not in {forking.PASSED, forking.UNFIT}

    def _is_sound(self, mutant: Mutant, test: str) -> bool:
        """Whether a test passes where nothing is wrong; else it cannot be what noticed."""
        if test not in self._sound:
            told = self._forked(mutant, None, [test], CONTROL_S)
            self._sound[test] = told["ended"] == forking.PASSED
        if self._sound[test]:
            return True
        rest = tuple(one for one in mutant.tests if one != test)
        return self.is_noticed(replace(mutant, tests=rest))

    def _forked(
        self, mutant: Mutant, faulty: str | None, tests: Sequence[str], patience_s: float
    ) -> dict[str, Any]:
        order = {"file": str(mutant.file), "faulty": faulty, "tests": tests}
        self._lines.write(json.dumps(order | {"patience_s": patience_s}) + "\n")
        self._lines.flush()
        line = self._lines.readline()
        if not line:
            ended = self._process.wait()
            told = self._log.read_text()[-4000:]
            raise RuntimeError(f"The tests could not be run ({ended}):\n{told}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _is_noticed_anew(self, mutant: Mutant) -> bool:
        """Run the tests on a copy of the source that has the fault."""
        target = self._copy / mutant.file.relative_to(reach.SOURCE)
        kept = target.read_bytes()
        compiled = [*target.parent.glob(f"__pycache__/{target.stem}.*.pyc")]
        target.write_text(mutant.faulty)
        for one in compiled:
            one.rename(one.with_suffix(".kept"))
        try:
            return not self._passes(mutant)
        finally:
            target.write_bytes(kept)
            for one in compiled:
                one.with_suffix(".kept").rename(one)

    def _passes(self, mutant: Mutant) -> bool:
        """Run the tests; where the fault has changed what cases are called, all cases of each."""
        # A case whose name is empty cannot be asked for alone.
        passed = self._ran(mutant, (test.removesuffix("[]") for test in mutant.tests))
        if passed is None:
            passed = self._ran(mutant, (test.partition("[")[0] for test in mutant.tests))
        # A test that is gone altogether, while this runs, has noticed nothing.
        return passed is not False

    def _ran(self, mutant: Mutant, tests: Iterable[str]) -> bool | None:
        """Whether tests pass; `None` if one of them is not there."""
        with subprocess.Popen(
            [*_pytest(self._place), "-x", *dict.fromkeys(tests)],
            cwd=ROOT,
            env=self._environment(self._place) | {"PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as running:
            try:
                told, _ = running.communicate(timeout=mutant.patience_s)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)
                return False
        if running.returncode == pytest.ExitCode.USAGE_ERROR:
            return None
        if running.returncode not in ANSWERS:
            raise RuntimeError(f"The tests could not be run:\n{told[-2000:]}")
        return running.returncode == pytest.ExitCode.OK

    def _environment(self, source: Path) -> dict[str, str]:
        examples, temporary = self._place / "examples", self._place / "temporary"
        temporary.mkdir(exist_ok=True)
        return os.environ | {
            "PYTHONPATH": str(source),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(examples),
            "TMPDIR": str(temporary),
        }


def _pytest(place: Path) -> list[str]:
    return [sys.executable, "-m", "pytest", *OPTIONS, "-o", f"cache_dir={place / 'cache'}"]
