"""The folder `derived` for caches: never backed up, emptied by a scrub."""

import time
from collections.abc import Callable
from pathlib import Path

from hansard.kernel.engine import DERIVED_LOCK, Lock
from hansard.kernel.private_files import sync_folder

DERIVED = "derived"

WAIT_S = 10.0
"""How long a scrub waits for a process that is about to write there."""

LOOK_S = 0.02


def clear(folder: Path, hold: Callable[[str], Lock | None]) -> bool:
    """Remove the files of this folder, durably; false if somebody kept writing there.

    A process that has one mapped keeps it a moment longer, and notices before its next search.
    """
    if not folder.is_dir():
        return True
    until = time.monotonic() + WAIT_S
    while (lock := hold(DERIVED_LOCK)) is None:
        if time.monotonic() > until:
            return False
        time.sleep(LOOK_S)
    with lock:
        for path in folder.iterdir():
            path.unlink(missing_ok=True)
        sync_folder(folder)
    return True
