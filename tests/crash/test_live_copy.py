"""A store copied by hand while others write opens soundly, or says what is missing."""

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.verify import Report, verify
from hansard.kernel.blob import Digest
from hansard.kernel.event import Receipt
from hansard.kernel.problem import Problem
from tests.conftest import a_caller
from tests.crash import busy
from tests.crash.harness import ROOT
from tests.launcher.programs import Popen
from tests.patience import PATIENCE_S

WRITERS = 4
WRITES_BEFORE_MIN = 5
"""How many writes of each are acknowledged before the first copy begins."""

WAIT_S = PATIENCE_S
ROUNDS = 40 if os.environ.get("HANSARD_FAULTS") == "all" else 8
DATABASE, LOG, BLOBS = "hansard.db", "hansard.db-wal", "blobs"


@dataclass
class Writer:
    """A process that writes, and what it was told is durable."""

    process: subprocess.Popen[str]
    receipts: list[Receipt] = field(default_factory=list)
    has_begun: threading.Event = field(default_factory=threading.Event)

    def listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            seq, hashed = line.split()
            self.receipts.append(Receipt(int(seq), Digest(hashed)))
            if len(self.receipts) >= WRITES_BEFORE_MIN:
                self.has_begun.set()


@contextmanager
def writing(store: Path) -> Iterator[list[Writer]]:
    """Have four processes write to a store, until all is done."""
    command = [sys.executable, "-m", busy.__name__, str(store)]
    writers = [
        Writer(Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        for _ in range(WRITERS)
    ]
    listening = [threading.Thread(target=writer.listen) for writer in writers]
    for thread in listening:
        thread.start()
    try:
        assert all(writer.has_begun.wait(WAIT_S) for writer in writers)
        yield writers
    finally:
        for writer in writers:
            assert writer.process.stdin
            writer.process.stdin.close()
        codes = [writer.process.wait(WAIT_S) for writer in writers]
        for thread in listening:
            thread.join(WAIT_S)
        for writer in writers:
            assert writer.process.stdout
            writer.process.stdout.close()
    assert codes == [0] * WRITERS


def copy(store: Path, target: Path, *names: str) -> None:
    """Copy by the system's own command, one thing after the other; it may miss what just went."""
    target.mkdir()
    for name in names or [path.name for path in store.iterdir()]:
        if (store / name).exists():
            subprocess.run(
                ["cp", "-r", store / name, target / name], check=False, stderr=subprocess.DEVNULL
            )


def copy_folder(store: Path, target: Path) -> None:
    subprocess.run(["cp", "-r", store, target], check=False, stderr=subprocess.DEVNULL)


WAYS: dict[str, Callable[[Path, Path], None]] = {
    "the whole folder": copy_folder,
    "the database without its log": lambda store, target: copy(store, target, DATABASE),
    "the blobs first": lambda store, target: copy(store, target, BLOBS, DATABASE, LOG),
    "the database first": lambda store, target: copy(store, target, DATABASE, LOG, BLOBS),
    "the log first": lambda store, target: copy(store, target, LOG, DATABASE, BLOBS),
}


@contextmanager
def opened(store: Path) -> Iterator[Application]:
    app = start(Settings(store=str(store)))
    try:
        yield app
    finally:
        app.close()


def outcome(target: Path, kept: list[Receipt]) -> str:
    """Open a copy and hold it against what was acknowledged before it was made."""
    try:
        with opened(target) as app:
            report = verify(app.store, receipts=kept)
            if report.exit_code:
                return _what_is_said(report)
            _go_on(app)
            after = verify(app.store, receipts=kept)
            return "sound" if after.exit_code == 0 else f"SOUND ONLY AT FIRST: {after.findings}"
    except Problem as problem:
        return f"refused with {problem.code}"


def _what_is_said(report: Report) -> str:
    """Name what a report says is missing; a fault without a word would be as bad as none."""
    lost = [one for one in report.receipts if one.project is None]
    assert lost or report.findings
    assert all(found.message for found in report.findings)
    return "said to be missing"


def _go_on(app: Application) -> None:
    record = {"type": "note", "title": "after the copy", "summary": "s", "body": "b"}
    app.call("create_record", record, a_caller())


@pytest.mark.fault("copied while live")
@pytest.mark.parametrize(
    "rounds", [1, pytest.param(ROUNDS, marks=pytest.mark.slow("copies a busy store many times"))]
)
def test_a_copy_at_any_point_is_sound_or_says_what_is_missing(
    tmp_path: Path, record_property: Callable[[str, object], None], rounds: int
) -> None:
    copies: list[tuple[str, Path, list[Receipt]]] = []
    with writing(tmp_path / "store") as writers:
        for number in range(rounds):
            for way, do in WAYS.items():
                kept = [receipt for writer in writers for receipt in list(writer.receipts)]
                target = tmp_path / f"{number} {way}"
                do(tmp_path / "store", target)
                copies.append((way, target, kept))

    seen = Counter((way, outcome(target, kept)) for way, target, kept in copies)
    with opened(tmp_path / "store") as app:
        acknowledged = [receipt for writer in writers for receipt in writer.receipts]
        original = verify(app.store, receipts=acknowledged)

    record_property("points", len(copies))
    for (way, what), count in sorted(seen.items()):
        print(f"{way}: {count} {what}")  # noqa: T201 - the figures
    fair = {"sound", "said to be missing", "refused with STORAGE_UNAVAILABLE"}
    assert {what for _, what in seen} <= fair
    assert original.exit_code == 0
