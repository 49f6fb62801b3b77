"""Runs a write and undoes it, so that what it would need is created only for a write that succeeds.

A new project and a block of ids are written to the catalog in transactions of their own, before the
write that needs them. A refused request must leave neither behind. So the write runs once as a
trial; work may run twice anyway.
"""

from collections.abc import Callable, Iterable
from typing import Any

from hansard.kernel import ids
from hansard.kernel.blob import Blob
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Stamp
from hansard.kernel.store import Store


class TrialPassedError(Exception):
    """The write would have succeeded; nothing of it was kept."""


def try_out(
    store: Store,
    project: str,
    work: Callable[[WriteTx], Any],
    stamp: Stamp,
    *,
    blobs: Iterable[Blob] = (),
) -> None:
    """Run work as if for good, and undo it; whatever it is refused with is raised."""
    staged = tuple(blobs)
    lacking: list[str] = []

    def trial(tx: WriteTx) -> None:
        for prefix in lacking:
            ids.lend(store, tx, prefix, stamp)
        work(tx)
        raise TrialPassedError

    while True:
        try:
            store.write(project, trial, blobs=staged)
        except ids.BlockExhaustedError as exhausted:
            lacking.append(exhausted.prefix)
            assert len(lacking) == len(set(lacking)), "a write takes more ids than a block has"
        except TrialPassedError:
            return
