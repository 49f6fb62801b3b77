"""Stores who is logged in to the page, so that a restarted server still knows them.

Each visit is a file of its own, named by the digest of its cookie, in a folder that only its owner
can enter. So servers of one store share their visits without a lock, none of them is overwritten,
and taking one away ends it for all. The folder is in this person's own data on this machine and not
in the store, so a copy of the store lets nobody in.
"""

import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import platformdirs

from hansard.app.settings import Settings, store_location
from hansard.app.start import MEMORY, POSTGRES_SCHEMES
from hansard.kernel.private_files import make_folder

NAME_CHARS = 16
"""How much of the digest of a store's place is used to tell its visits and cookie from others'."""

VISITS_MAX = 1_000
"""The visit that ends first makes room."""

_NAME = re.compile("[0-9a-f]{64}")
_UNTIL = re.compile("[0-9]{1,12}")


class Visits(Protocol):
    """The cookies that were given, by digest, and until when each is good."""

    def add(self, cookie: str, until: float) -> None:
        """Know a cookie from now on."""

    def until(self, cookie: str) -> float | None:
        """Say until when a cookie is good; `None` if it was never given, or was taken back."""

    def end(self, cookie: str) -> None:
        """Take one cookie back."""

    def end_all(self) -> int:
        """Take every cookie back; gives how many there were."""


class Forgotten:
    """Visits that end with the process, for a store that does, or where nothing can be kept."""

    def __init__(self) -> None:
        """Start with nobody signed in."""
        self._until: dict[str, float] = {}

    def add(self, cookie: str, until: float) -> None:
        """Know a cookie from now on."""
        while len(self._until) >= VISITS_MAX:
            self._until.pop(min(self._until, key=self._until.__getitem__))
        self._until[digest(cookie)] = until

    def until(self, cookie: str) -> float | None:
        """Say until when a cookie is good."""
        return self._until.get(digest(cookie))

    def end(self, cookie: str) -> None:
        """Take one cookie back."""
        self._until.pop(digest(cookie), None)

    def end_all(self) -> int:
        """Take every cookie back."""
        count = len(self._until)
        self._until.clear()
        return count


class KeptVisits:
    """Visits that are files of a folder."""

    def __init__(self, folder: Path) -> None:
        """Keep them in a folder, which the first one makes."""
        self._folder = folder

    def add(self, cookie: str, until: float) -> None:
        """Remember a cookie from now on, also after a restart."""
        make_folder(self._folder)
        self._make_room()
        write_privately(self._folder / digest(cookie), str(int(until)).encode())

    def until(self, cookie: str) -> float | None:
        """Say until when a cookie is good; looked up each time, so that all servers agree."""
        return _read(self._folder / digest(cookie))

    def end(self, cookie: str) -> None:
        """Take one cookie back, for every server of the store."""
        with suppress(FileNotFoundError, NotADirectoryError):
            (self._folder / digest(cookie)).unlink()

    def end_all(self) -> int:
        """Take every cookie back."""
        there = self._there()
        for path in there:
            path.unlink(missing_ok=True)
        return len(there)

    def _make_room(self) -> None:
        """Remove those that end first, which are those that have ended, if there are too many."""
        there = sorted(self._there(), key=lambda path: _read(path) or 0.0)
        for path in there[: max(0, len(there) - VISITS_MAX + 1)]:
            path.unlink(missing_ok=True)

    def _there(self) -> list[Path]:
        with suppress(FileNotFoundError, NotADirectoryError):
            return [path for path in self._folder.iterdir() if _NAME.fullmatch(path.name)]
        return []


def visits_of(settings: Settings) -> Visits:
    """Find the visits of a store, on this machine and of this person."""
    name = store_name(settings)
    return KeptVisits(state_folder() / "visits" / name) if name else Forgotten()


def store_name(settings: Settings) -> str | None:
    """Name a store by where it is, so that a copy of it has another name; `None` if it is nowhere.

    A password is no part of where a store is.
    """
    location = store_location(settings)
    if location == MEMORY:
        return None
    if location.startswith(POSTGRES_SCHEMES):
        parts = urlsplit(location)
        place = f"{parts.username}@{parts.hostname}:{parts.port}{parts.path}?{parts.query}"
    else:
        place = os.path.realpath(Path(location).expanduser())
    return sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:NAME_CHARS]


def state_folder() -> Path:
    """Say where a server leaves what only the person who runs it may read."""
    return Path(platformdirs.user_state_dir("hansard"))


def write_privately(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, in the place of any that was there."""
    make_folder(path.parent)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)


def digest(cookie: str) -> str:
    """Give what a cookie is known by: nobody can make the cookie of it."""
    return sha256(cookie.encode("utf-8", "surrogatepass")).hexdigest()


def _read(path: Path) -> float | None:
    try:
        said = path.read_text(encoding="ascii")
    except (OSError, ValueError):  # never given, taken back meanwhile, or not ours
        return None
    return float(said) if _UNTIL.fullmatch(said) else None
