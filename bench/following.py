"""What following costs a server that has many projects: of a processor, idle and beside a writer.

`PROJECTS=1000 SECONDS=20 python -m bench.following`. Two followers that do nothing run in a process
of their own; another process writes to a few of the projects, so many times a second.
"""

import multiprocessing
import os
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection

from bench.table import Cell, print_table
from bench.world import STAMP, Noted, locations, opened, tidy
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Entry
from hansard.kernel.follow import Follower, Following
from hansard.kernel.store import Store

PROJECTS = int(os.environ.get("PROJECTS", "1000"))
SECONDS = float(os.environ.get("SECONDS", "20"))
WRITES_A_SECOND = 20
WRITTEN = 5
"""Projects that are written to."""


def main() -> None:
    """Measure each engine that several processes can share."""
    rows: list[list[Cell]] = []
    with locations() as found:
        for name, location in found.items():
            if name == "memory":
                continue
            with opened(location) as store:
                for number in range(PROJECTS):
                    _note(store, f"p{number}", "the first")
            tidy(location)
            idle, _ = _followed(location, writes=0)
            busy, seen = _followed(location, writes=WRITES_A_SECOND)
            rows.append([name, idle, busy, seen])
    head = ["ms of a processor a second", "idle", "beside a writer", "entries seen"]
    title = f"Following {PROJECTS:,} projects, {WRITES_A_SECOND} writes a second to {WRITTEN}"
    print_table(title, head, rows)


def _note(store: Store, project: str, text: str) -> None:
    def work(tx: WriteTx) -> Entry:
        return store.record(tx, Noted(id=f"n{tx.head().seq}", text=text), STAMP)

    store.write(project, work)


def _followed(location: str, *, writes: int) -> tuple[float, int]:
    """Follow in a process of its own, and write in this one; gives what that took, and saw."""
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    process = spawning.Process(target=_follow, args=(location, theirs))
    process.start()
    ours.recv()
    if writes:
        _write(location, writes)
    else:
        time.sleep(SECONDS)
    ours.send("enough")
    took_ms, seen = ours.recv()
    process.join()
    return took_ms, seen


def _write(location: str, writes: int) -> None:
    with opened(location) as store:
        for number in range(int(SECONDS * writes)):
            _note(store, f"p{number % WRITTEN}", "another")
            time.sleep(1 / writes)


def _follow(location: str, pipe: Connection) -> None:
    seen: list[int] = []

    def apply(project: str, entries: Sequence[Entry]) -> None:
        del project
        seen.append(len(entries))

    with opened(location) as store:
        followers = [Follower(f"nothing-{number}", apply) for number in range(2)]
        following = Following(store, followers)
        while not _is_there(following, store, len(followers)):
            time.sleep(0.2)
        seen.clear()
        begun, busy = time.monotonic(), time.process_time()
        pipe.send("ready")
        pipe.recv()
        took = (time.process_time() - busy) / (time.monotonic() - begun)
        time.sleep(3)
        following.close()
        pipe.send((took * 1_000, sum(seen)))


def _is_there(following: Following, store: Store, followers: int) -> bool:
    """Whether all is followed so far, by as many as there are."""
    behind = following.behind(store.engine.heads())
    return len(behind) == followers and not any(behind.values())


if __name__ == "__main__":
    main()
