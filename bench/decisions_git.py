"""What a commit of a decision costs, and whether that grows with the decisions there are."""

import shutil
import statistics
import tempfile
import time
from pathlib import Path

from bench.table import Cell, print_table
from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.decisions import capability as decisions
from hansard.decisions.git import decision_log
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat
from hansard.sessions import capability as sessions

SIZES = (100, 1_000, 10_000)
ROUNDS = 50
"""Single decisions, each published on its own, at every size."""

PROJECT = "default"


def main() -> None:
    """Print all of it."""
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder))


def measure(folder: Path) -> None:
    """Grow a repository, and see what one more commit takes at some sizes."""
    known = Catalog([sessions.capability(), decisions.capability()])
    app = start(Settings(store="memory:"), known=known)
    caller = Caller(Actor("agent", "bench", "agent"), seat=Seat())
    rows: list[list[Cell]] = []
    count = 0
    for size in SIZES:
        begun = count
        while count < size - ROUNDS:
            count = decide(app, caller, count)
        bulk = timed_publish(app, folder)
        singles = []
        while count < size:
            count = decide(app, caller, count)
            singles.append(timed_publish(app, folder))
        each = bulk / max(1, size - ROUNDS - begun)
        rows.append([
            f"{size:,} decisions", each * 1e3, statistics.median(singles) * 1e3, max(singles) * 1e3
        ])  # fmt: skip
    heads = ("", "ms each, in batches", "ms alone, p50", "ms alone, max")
    print_table("A commit of a decision, synced to disk", heads, rows)
    repository = decision_log.repository_in(folder, PROJECT)
    files = [path for path in repository.rglob("*") if path.is_file()]
    used = sum(path.stat().st_blocks * 512 for path in files)
    print(f"\n  {len(files):,} files, {used / 1e6:.0f} MB on disk before `git gc`")
    shutil.rmtree(repository)
    taken = timed_publish(app, folder)
    print(f"  made again from the journal in {taken:.0f} s, {taken / count * 1e3:.1f} ms each")
    app.close()


def decide(app: Application, caller: Caller, count: int) -> int:
    """Record one more decision, every tenth in the place of the one before; returns how many."""
    given = {"title": f"Decision {count}", "rationale": "It was measured, and this won. " * 10}
    if count % 10 == 9:
        old = {"old_decision_ids": [f"D{count:03d}"], "target": f"target {count - 1}"}
        app.call("supersede_decision", given | old, caller)
    else:
        app.call("record_decision", given | {"target": f"target {count}"}, caller)
    return count + 1


def timed_publish(app: Application, folder: Path) -> float:
    """Say how many seconds it takes to publish what is new."""
    begun = time.perf_counter()
    decision_log.publish(app.store, folder, PROJECT)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
