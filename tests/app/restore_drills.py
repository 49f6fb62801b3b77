"""Drills of bringing a backup back: the place is empty, or holds a whole store, old or new."""

from pathlib import Path

from hansard.app.keeping.backup import find_backup
from hansard.app.keeping.restoring import restore_folder
from tests.app import keeping_scenes as scenes
from tests.app import kept
from tests.crash.harness import Aftermath
from tests.crash.sweep import Drill


def new_place_faults(after: Aftermath) -> list[str]:
    """See that there is nothing or the whole, then restore, by force if there is something."""
    location = after.folder / scenes.OTHER
    is_there = location.exists()
    found = whole_faults(after.folder, location) if is_there else []
    return found + again_faults(after.folder, location, force=is_there)


def same_place_faults(after: Aftermath) -> list[str]:
    """See that the old store or the new one is in place, and the old one is not lost."""
    location = after.folder / scenes.STORE
    if not (location / "hansard.db").is_file():
        return ["there is no store where it was"]
    found = kept.faults(location)
    places = [location, *after.folder.glob(f"{scenes.STORE}.replaced-*")]
    backup = find_backup(after.folder / scenes.BACKUPS)
    # What is newer than the backup is only in the old store.
    if all(kept.heads(place) == backup.heads for place in places):
        found.append("the store that was there is lost")
    return found + again_faults(after.folder, location, force=True)


def whole_faults(folder: Path, location: Path) -> list[str]:
    """Say what a store lacks of the backup."""
    if not (location / "hansard.db").is_file():
        return ["there is a folder without a store"]
    found = kept.faults(location)
    if kept.heads(location) != find_backup(folder / scenes.BACKUPS).heads:
        found.append("there is something else than the backup")
    return found


def again_faults(folder: Path, location: Path, *, force: bool) -> list[str]:
    """Restore once more, to the end."""
    backup = find_backup(folder / scenes.BACKUPS)
    restore_folder(backup, location, open_store=kept.open_store, force=force)
    left = [path.name for path in folder.glob(".*")]
    return whole_faults(folder, location) + [f"{name} is left over" for name in left]


NEW_PLACE = Drill(
    scenes.bring_back,
    new_place_faults,
    ("restore",),
    scenes.a_store_and_a_backup,
    disks=(),
    name="restore",
)
SAME_PLACE = Drill(
    scenes.bring_back_by_force,
    same_place_faults,
    ("restore",),
    scenes.a_store_and_a_backup,
    disks=(),
    name="restore-by-force",
)
DRILLS = [NEW_PLACE, SAME_PLACE]
