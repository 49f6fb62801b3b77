"""Reserved disk space, so that the outcome of an effect fits on a full disk.

Between an intent and its outcome the disk may fill up. The file has changed by then, and an intent
left open would say that nobody knows. So the space that the outcome needs is allocated beforehand
and released only for it, apart from the little that opening and reading a store needs.
"""

import os
from contextlib import suppress
from pathlib import Path

RESERVE = "reserve"

RESERVE_BYTES_MIN = 256 << 10
"""One outcome adds some 130 KB to the log."""

RESERVE_BYTES_MAX = 4 << 20
"""The more pages a database has, the more of them the same outcomes change: those of a hundred
operations 330 KB at first, and 3.7 MB where a project has 6,000 files."""

DATABASE_SHARE = 2
"""The share of a database's size that is reserved: half of it."""

OPENING_BYTES = 64 << 10
"""What is released to open a store for reading on a full disk: SQLite shares 32 KiB for its log."""

ROOM_FACTOR = 2
"""How many times its size must be free before it is made: it never takes the last space itself."""


class Reserve:
    """A file of a store's folder that holds nothing. It may be missing: then there is no room."""

    def __init__(self, path: Path, database: Path) -> None:
        """Use this file, for a store with that database."""
        self._path = path
        self._database = database
        self.is_whole = False
        """Whether it was reserved when last checked; read after every write, so no system call."""

    def look(self) -> bool:
        """Check whether as much is reserved as there should be."""
        try:
            found = self._path.stat()
            # A copied file may have the same length without blocks of its own.
            self.is_whole = min(found.st_size, found.st_blocks * 512) >= self._wanted()
        except OSError:
            self.is_whole = False
        return self.is_whole

    def fill(self) -> None:
        """Reserve the space, if that is not done yet and there is enough."""
        if self.look():
            return
        # No space, or a file system that cannot reserve any: work continues without.
        with suppress(OSError):
            wanted = self._wanted()
            if self._free() >= ROOM_FACTOR * wanted:
                self._take(wanted)
                self.is_whole = True

    def spend(self, size: int = RESERVE_BYTES_MAX) -> bool:
        """Release this much of the space; false if none was left. The name stays."""
        self.is_whole = False
        try:
            there = self._path.stat().st_size
            os.truncate(self._path, max(there - size, 0))
        except OSError:
            return False
        return there > 0

    def save_rest(self) -> None:
        """Reserve again what is left, before something that is not urgent takes it."""
        with suppress(OSError):
            self._take(min(self._free(), self._wanted()))

    def _wanted(self) -> int:
        share = self._database.stat().st_size // DATABASE_SHARE
        return max(RESERVE_BYTES_MIN, min(RESERVE_BYTES_MAX, share))

    def _free(self) -> int:
        disk = os.statvfs(self._path.parent)
        return disk.f_bavail * disk.f_frsize

    def _take(self, size: int) -> None:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(descriptor, 0, size)
        except OSError:
            # A part of it is of no use.
            os.ftruncate(descriptor, 0)
            raise
        finally:
            os.close(descriptor)
