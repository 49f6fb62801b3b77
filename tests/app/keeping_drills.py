"""Drills of keeping a store: backup, import, redaction, collection and repair."""

from hansard.app.erasure_events import Redacted
from hansard.app.keeping import backup, restoring
from hansard.app.keeping.backup import find_backup
from hansard.app.keeping.importing import import_project, look_through
from hansard.app.keeping.repair import salvage
from hansard.app.unfinished_imports import unfinished
from hansard.app.verify import verify
from hansard.kernel.blob import digest_of, seal
from tests.app import keeping_scenes as scenes
from tests.app import kept
from tests.crash.harness import Aftermath
from tests.crash.sweep import Drill


def backup_faults(after: Aftermath) -> list[str]:
    """Look at the store, bring back every backup there is, and take another."""
    store, target = after.folder / scenes.STORE, after.folder / scenes.BACKUPS
    found = kept.faults(store)
    for number, one in enumerate(backup.backups(target)):
        restored = after.folder / f"restored-{number}"
        restoring.restore_folder(one, restored, open_store=kept.open_store)
        found += kept.faults(restored)
    if backup.backups(target)[0].taken_at != kept.AT:
        found.append("the backup of before is gone")
    with kept.opened(store) as app:
        at = scenes.LATER.replace("T04", "T05")
        backup.back_up(app.store, store, target, at=at, open_store=kept.open_store)
    found += [f"{path.name} is left over" for path in target.glob(".incoming*")]
    return found


def import_faults(after: Aftermath) -> list[str]:
    """Verify what is there, import once more, and compare the end with the bundle's."""
    bundle = after.folder / scenes.BUNDLE
    found = kept.faults(after.folder / scenes.OTHER)
    with kept.opened(after.folder / scenes.OTHER) as app:
        # That it is here by half is to be told, and ends with the import that goes on with it.
        half = unfinished(app.store).values()
        found = [fault for fault in found if fault not in half]
        done = import_project(app.store, bundle, kept.STAMP)
        wanted = look_through(bundle, app.store.kinds).opening
        if (done.head.seq, done.head.hash) != (wanted.seq, wanted.hash):
            found.append(f"it ended at {done.head}")
        return found + [one.message for one in verify(app.store).findings]


def redaction_faults(after: Aftermath) -> list[str]:
    """Verify, see that all or nothing was done, then ask for it again and scan the files."""
    folder = after.folder / scenes.STORE
    found = kept.faults(folder)
    with kept.opened(folder) as app:
        scenes.erase_secret(app)
        entries = app.store.read(kept.PROJECT, lambda tx: tx.entries(limit=1_000))
        if (times := [entry.kind for entry in entries].count(Redacted.kind)) != 1:
            found.append(f"it was done {times} times")
    found += kept.faults(folder)
    paths = [path for path in folder.rglob("*") if path.is_file()]
    left = [path.name for path in paths if scenes.SECRET in path.read_bytes()]
    left += [path.name for path in paths if path.name == digest_of(scenes.LARGE)[2:]]
    return found + [f"{name} still has it" for name in left]


def collection_faults(after: Aftermath) -> list[str]:
    """Verify, collect once more, and see that what was left over is gone and the rest is sound."""
    folder = after.folder / scenes.STORE
    found = kept.faults(folder)
    with kept.opened(folder) as app:
        scenes.collect_all(app)
        left = seal(scenes.LEFT)
        digests = [one.digest for one in (left, *scenes.packed_onto(left))]
        if there := app.store.read(kept.PROJECT, lambda tx: tx.kept(digests)):
            found.append(f"of what was left over {len(there)} are still there")
    return found + redaction_faults(after)


def repair_faults(after: Aftermath) -> list[str]:
    """See that a store is in place, damaged or mended, then mend it."""
    store = after.folder / scenes.STORE
    if not (store / "hansard.db").exists():
        return ["there is no store where it was"]
    salvage(
        store,
        find_backup(after.folder / scenes.BACKUPS),
        open_store=kept.open_store,
        stamp=kept.PERSON,
    )
    left = [path.name for path in after.folder.glob(".*")]
    return kept.faults(store) + [f"{name} is left over" for name in left]


DRILLS = [
    Drill(
        scenes.backup,
        backup_faults,
        ("backup",),
        scenes.a_store_and_a_backup,
        disks=(scenes.STORE, scenes.BACKUPS),
    ),
    Drill(
        scenes.take_in,
        import_faults,
        ("import",),
        scenes.a_store_and_a_bundle,
        disks=(scenes.OTHER,),
        name="import",
    ),
    Drill(scenes.redact, redaction_faults, ("redact",), scenes.a_store_with_a_secret),
    Drill(scenes.gc, collection_faults, ("gc",), scenes.a_store_with_a_secret),
    Drill(scenes.repair, repair_faults, ("repair",), scenes.a_damaged_store, disks=()),
]
