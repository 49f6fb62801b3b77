"""What threads cost as they grow: in time, and in bytes on disk.

`python -m bench.entities`. Each append is durable: one sync of the disk.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.table import print_table
from hansard.sdk import Hansard
from hansard.sdk.entities import ChatThreadHandle, MessageThreadHandle, text

PARTIALS = 10_000
MEASURED = 200
"""Appends that are timed around each place."""

LAST = 20
FORKS = 1_000
READS = 50
CONTENT = "The build is green again; the flaky test was waiting for a clock that stood still. " * 3


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="hansard-bench-") as folder:
        path = Path(folder) / "store"
        with Hansard(path) as hansard:
            early, thread = _grow(path, hansard.entities.thread(), MEASURED)
            _, thread = _grow(path, thread, PARTIALS - 2 * MEASURED)
            late, thread = _grow(path, thread, MEASURED)
            print_table(
                f"An append of {len(CONTENT)} bytes to a thread, by {MEASURED} of them",
                ["", "median ms", "p95 ms", "bytes on disk each"],
                [["around the 10th", *early], [f"around the {PARTIALS:,}th", *late]],
            )
            print_table(
                f"Reading from a thread of {PARTIALS:,} turns",
                ["", "median ms"],
                [
                    [f"the last {LAST} turns", _ms(lambda: thread.turns(LAST))],
                    ["all of them", _ms(thread.turns, times=1)],
                ],
            )
            before = _size(path)
            took = [_timed(thread.fork) for _ in range(FORKS)]
            each = (_size(path) - before) / FORKS
            print_table(
                f"{FORKS:,} forks of it",
                ["", "median ms", "bytes on disk each"],
                [["a fork", statistics.median(took) * 1000, each]],
            )
            chat = hansard.entities.chat("bench", "user", threadId=thread.id)
            _print_chat(chat)


def _grow(
    path: Path, thread: MessageThreadHandle, count: int
) -> tuple[list[float], MessageThreadHandle]:
    """Append, two senders by turns; gives the median and p95 in ms, and the bytes of each."""
    before, took = _size(path), []
    for number in range(count):
        sender = "agent" if number % 2 else "user"
        began = time.perf_counter()
        thread = thread.add_partial(sender, text(CONTENT))
        took.append(time.perf_counter() - began)
    ranked = sorted(took)
    measured = [ranked[len(ranked) // 2], ranked[int(len(ranked) * 0.95)]]
    return [*(one * 1000 for one in measured), (_size(path) - before) / count], thread


def _print_chat(chat: ChatThreadHandle) -> None:
    took = [_timed(lambda: chat.append("user", text(CONTENT))) for _ in range(MEASURED)]
    print_table(
        "An append through a chat that has come to it",
        ["", "median ms"],
        [["an append", statistics.median(took) * 1000]],
    )


def _ms(work: Callable[[], Any], times: int = READS) -> float:
    return statistics.median(_timed(work) for _ in range(times)) * 1000


def _timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _size(path: Path) -> int:
    """Say how much the database holds, whether it lies in its file or still in its log."""
    import apsw

    database = apsw.Connection(str(path / "hansard.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        pages, free, page_bytes = (
            database.pragma(name) for name in ("page_count", "freelist_count", "page_size")
        )
    finally:
        database.close()
    return int((pages - free) * page_bytes)


if __name__ == "__main__":
    main()
