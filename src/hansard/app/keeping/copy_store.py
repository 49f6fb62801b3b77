"""Copies a whole store elsewhere, such as from a folder into PostgreSQL, entry by entry."""

import shutil
import tempfile
from pathlib import Path

from hansard.app.keeping.backup import Backup, export_all
from hansard.app.keeping.blob_lock import alone
from hansard.app.keeping.exporting import Progress
from hansard.app.keeping.restoring import Heads, restore_bundles
from hansard.kernel.store import Store
from hansard.kernel.temporary_files import temporary_root


def transfer(
    source: Store, target: Store, *, at: str, progress: Progress = lambda *_: None
) -> Heads:
    """Take every project of a store into an empty one, and prove it; the source stays as it is.

    Others may go on writing to the source: a second run copies what they added, and completes an
    attempt that broke off.
    """
    folder = Path(tempfile.mkdtemp(prefix="hansard-transfer-", dir=temporary_root()))
    try:
        with alone(source.engine):
            heads, _ = export_all(source, folder, progress)
        return restore_bundles(Backup(folder, at, "bundles", heads), target, progress=progress)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
