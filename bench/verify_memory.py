"""How much memory verify and repair take, by the length of the journal.

Run as `python -m bench.verify_memory 10000 1000000`. The journal is synthesized by the store's own
bulk append, a third of it with rows, words and blobs. Each look runs in a process of its own, whose
peak is printed.
"""

import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

import apsw

from hansard.app import start
from hansard.app.keeping.repair import salvage
from hansard.app.settings import Settings
from hansard.app.verify import verify
from hansard.cli.store.backup import open_copies
from hansard.kernel.blob import digest_of, seal
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Actor, Event, Stamp
from hansard.kernel.ids import IdBlockGranted
from hansard.kernel.reply import keep_reply
from hansard.records.events import RecordCreated
from hansard.sessions.events import SessionStarted
from hansard.sessions.projects import make as make_project

PROJECT = "default"
ENTRIES_A_TRANSACTION = 2_000
STAMP = Stamp(Actor("agent", "bench", "agent"), "2026-01-01T00:00:00.000000Z", "default.1")


def main(lengths: Sequence[int] = (10_000,)) -> None:
    """Measure at each length."""
    for entries in lengths:
        with tempfile.TemporaryDirectory(prefix="hansard-bench-") as place:
            # A repair sets aside beside the store what it replaced.
            folder = str(Path(place, "store"))
            _in_a_process(_fill, folder, entries)
            for name, look in LOOKS.items():
                peak, seconds = _in_a_process(look, folder, entries)
                figures = f"{peak:7.0f} MiB  {seconds:7.0f} s CPU"
                print(f"{entries:>9,} entries  {name:14}  {figures}", flush=True)


Work = Callable[[str, int], None]


def _in_a_process(work: Work, folder: str, entries: int) -> tuple[float, float]:
    """Do something in a new process; gives its peak of memory in MiB, and its seconds."""
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    process = spawning.Process(target=_measured, args=(work, folder, entries, theirs))
    process.start()
    theirs.close()
    measured: tuple[float, float] = ours.recv()
    process.join()
    assert process.exitcode == 0, f"it ended with {process.exitcode}"
    return measured


def _measured(work: Work, folder: str, entries: int, pipe: Connection) -> None:
    begun = time.process_time()
    work(folder, entries)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    pipe.send((peak, time.process_time() - begun))


def _fill(folder: str, entries: int) -> None:
    app = start.start(Settings(store=folder))
    make_project(app.store, PROJECT, STAMP)
    block = IdBlockGranted(prefix="R", first=1, size=2 * entries)
    app.store.write(PROJECT, lambda tx: app.store.record(tx, block, STAMP))
    for first in range(0, entries, ENTRIES_A_TRANSACTION):
        numbers = range(first, min(first + ENTRIES_A_TRANSACTION, entries))

        def work(tx: WriteTx, numbers: range = numbers) -> None:
            for number in numbers:
                app.store.record(tx, _event(tx, number), STAMP)

        app.store.write(PROJECT, work)
    app.close()


def _event(tx: WriteTx, number: int) -> Event:
    """Make an entry: a session, an answer that was kept, or a record with words to search."""
    match number % 3:
        case 0:
            return SessionStarted(id=f"default.{number}")
        case 1:
            answer = {"number": number, "text": "some words of an answer " * 4}
            return keep_reply(tx, f"{number:064x}", "bench", digest_of(b""), answer)
    body = seal(f"body {number} of a record with a few words".encode())
    tx.keep(body)
    return RecordCreated(
        id=f"R{number:07}",
        type="note",
        title=f"Record {number}",
        summary_text="a line",
        parent_id=None,
        body=body.digest,
        state="OPEN",
        reason=None,
        resolved_by=None,
        related=[],
        metadata={},
        cites=[],
    )


def _quick(folder: str, entries: int) -> None:
    _look(folder, entries, quick=True)


def _whole(folder: str, entries: int) -> None:
    _look(folder, entries, quick=False)


def _look(folder: str, entries: int, *, quick: bool) -> None:
    app = start.start(Settings(store=folder))
    report = verify(app.store, quick=quick)
    assert report.exit_code == 0, [one.message for one in report.findings][:3]
    assert sum(one.entries for one in report.projects) > entries
    app.close()


def _rebuild(folder: str, entries: int) -> None:
    app = start.start(Settings(store=folder))
    assert app.store.rebuild(PROJECT) > entries
    app.close()


def _salvage(folder: str, entries: int) -> None:
    """Save what is sound of a store that lost a blob, and one of whose last entries was altered."""
    place = Path(folder)
    with closing(apsw.Connection(str(place / "hansard.db"))) as connection:
        altered = entries * 9 // 10
        connection.execute("DELETE FROM blobs WHERE rowid = (SELECT max(rowid) / 2 FROM blobs)")
        connection.execute(
            "UPDATE journal SET hash = 'x' WHERE number & 0xFFFFFFFF = ?", (altered,)
        )
    person = Stamp(Actor("human", "bench", "admin"), STAMP.at)
    done = salvage(place, None, open_store=open_copies(Settings(store=folder)), stamp=person)
    [saved] = [one for one in done.saved if one.project == PROJECT]
    assert saved.head.seq > entries // 2, saved.head.seq
    assert saved.aside.count > entries // 20, saved.aside


LOOKS: dict[str, Work] = {
    "verify --quick": _quick,
    "verify": _whole,
    "rebuild": _rebuild,
    "repair": _salvage,
}


if __name__ == "__main__":
    main([int(one) for one in sys.argv[1:]] or (10_000,))
