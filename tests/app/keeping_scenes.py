"""What the tests of keeping kill: each in a folder that has a store in it."""

import os
import shutil
from functools import partial
from pathlib import Path
from unittest.mock import patch

from hansard.app.application import Application
from hansard.app.keeping import idempotency_keys, unused_blobs
from hansard.app.keeping.backup import back_up, find_backup
from hansard.app.keeping.exporting import export_project
from hansard.app.keeping.garbage_collection import collect
from hansard.app.keeping.importing import import_project
from hansard.app.keeping.redaction import WantedErasure, erase
from hansard.app.keeping.repair import salvage
from hansard.app.keeping.restoring import restore_folder
from hansard.kernel.blob import Blob, Digest, digest_of, seal, seal_onto, unseal
from hansard.kernel.engine import WriteTx
from tests.app import kept
from tests.app.kept import PROJECT, STAMP, opened
from tests.crash.stage import Stage

STORE, BACKUPS, BUNDLE, OTHER = "store", "backups", "a.bundle", "other"
LATER = "2026-01-02T04:00:00.000000Z"


def a_store(folder: Path) -> None:
    """Start from a store with something of every sort in it."""
    with opened(folder / STORE) as app:
        kept.fill(app, notes=2)


def a_store_and_a_backup(folder: Path) -> None:
    """Start from a store, a backup of it, and something newer than that."""
    a_store(folder)
    with opened(folder / STORE) as app:
        back_up(app.store, folder / STORE, folder / BACKUPS, at=kept.AT, open_store=kept.open_store)
        kept.keep(app.store, os.urandom(150_000))


def a_store_and_a_bundle(folder: Path) -> None:
    """Start from a bundle, and a store with nothing in it."""
    a_store(folder)
    with opened(folder / STORE) as app:
        export_project(app.store, PROJECT, folder / BUNDLE)
    with opened(folder / OTHER):
        pass


def backup(stage: Stage) -> None:
    """Take a second backup."""
    store = stage.folder / STORE
    with opened(store) as app:
        stage.gate("backup")
        back_up(app.store, store, stage.folder / BACKUPS, at=LATER, open_store=kept.open_store)
        stage.gate("done")


def take_in(stage: Stage) -> None:
    """Import a bundle."""
    with opened(stage.folder / OTHER) as app:
        stage.gate("import")
        import_project(app.store, stage.folder / BUNDLE, STAMP)
        stage.gate("done")


SECRET = b"hunter2-" + b"0123456789abcdef" * 2
LARGE = SECRET + b"".join(b"%x" % number for number in range(60_000))
LEFT = b"left over " * 5


def a_store_with_a_secret(folder: Path) -> None:
    """Start from a store with a secret in it, and something to collect."""
    a_store(folder)
    with opened(folder / STORE) as app:
        for body in (SECRET, LARGE):
            app.call("create_record", kept.RECORD | {"body": body.decode()}, kept.caller())
        left = seal(LEFT)
        for blob in (left, *packed_onto(left)):
            app.store.engine.write(PROJECT, partial(keep_unnamed, blob))


def keep_unnamed(blob: Blob, tx: WriteTx) -> None:
    """Keep a blob that no entry names."""
    tx.keep(blob)


def packed_onto(first: Blob, count: int = 2) -> list[Blob]:
    """Make blobs, each of which is a patch of the one before."""
    made, data = [first], unseal(first, dict[Digest, Blob]().__getitem__)
    for number in range(count):
        longer = data + f" and {number}".encode()
        made.append(seal_onto(longer, made[-1], data))
        data = longer
    return made[1:]


def erase_secret(app: Application) -> None:
    digests = (digest_of(SECRET), digest_of(LARGE))
    erase(app.store, PROJECT, WantedErasure(digests=digests), reason="leaked", stamp=kept.PERSON)


def collect_all(app: Application) -> None:
    """Forget one key and collect one blob in each step, so that there are several."""
    with patch.object(unused_blobs, "STEP", 1), patch.object(idempotency_keys, "STEP", 1):
        collect(app.store, deleted_before="9999", keys_before=lambda _: "9999", stamp=STAMP)


def redact(stage: Stage) -> None:
    """Erase the secret."""
    with opened(stage.folder / STORE) as app:
        stage.gate("redact")
        erase_secret(app)
        stage.gate("done")


def gc(stage: Stage) -> None:
    """Collect what is left over."""
    with opened(stage.folder / STORE) as app:
        stage.gate("gc")
        collect_all(app)
        stage.gate("done")


def a_damaged_store(folder: Path) -> None:
    """Start from a store whose chain is broken, and a backup of before."""
    a_store_and_a_backup(folder)
    kept.sql(folder / STORE, "UPDATE journal SET session = 'forged' WHERE (number & 0xffffff) = 4")


def repair(stage: Stage) -> None:
    """Mend it with the backup."""
    stage.gate("repair")
    salvage(
        stage.folder / STORE,
        find_backup(stage.folder / BACKUPS),
        open_store=kept.open_store,
        stamp=kept.PERSON,
    )
    stage.gate("done")


def bring_back(stage: Stage) -> None:
    """Restore the backup where there is nothing yet."""
    stage.gate("restore")
    restore_folder(
        find_backup(stage.folder / BACKUPS), stage.folder / OTHER, open_store=kept.open_store
    )
    stage.gate("done")


def bring_back_by_force(stage: Stage) -> None:
    """Restore the backup in the place of the store, which is set aside."""
    stage.gate("restore")
    restore_folder(
        find_backup(stage.folder / BACKUPS),
        stage.folder / STORE,
        open_store=kept.open_store,
        force=True,
    )
    stage.gate("done")


def bring_back_in_place(stage: Stage) -> None:
    """Restore as one must not: file by file, where the store is to be."""
    stage.gate("restore")
    shutil.copytree(find_backup(stage.folder / BACKUPS).folder, stage.folder / OTHER)
    stage.gate("done")
