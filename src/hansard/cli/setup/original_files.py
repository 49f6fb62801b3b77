"""Copies of hosts' files from before Hansard, in the user's data folder.

Apart from the files, since a copy beside them would be committed or be read by the host; and
readable by its owner only, since such files hold keys.
"""

import json
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import platformdirs

from hansard.cli.setup.files import exchange_content
from hansard.cli.setup.texts import LeftAloneError
from hansard.kernel.private_files import FILE_MODE, make_folder

_FACTS, _BEFORE, _BACKUP = "facts.json", "before", "backup"


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as it was before, and by what it is known that nobody changed it since."""

    before: bytes | None
    """`None` if there was no file."""
    after: str
    """The digest of what was written."""

    def is_untouched(self, content: bytes | None) -> bool:
        """Whether a file still holds what was written."""
        return content is not None and sha256(content).hexdigest() == self.after


def folder_of(path: Path) -> Path:
    """Say where it is kept what a file was."""
    name = sha256(str(path).encode(errors="surrogateescape")).hexdigest()[:16]
    return Path(platformdirs.user_data_dir("hansard")) / "hosts" / name


def load(path: Path) -> KeptFile | None:
    """Give what a file was; `None` if that was not kept."""
    folder = folder_of(path)
    try:
        facts = json.loads((folder / _FACTS).read_bytes())
        before = (folder / _BEFORE).read_bytes() if facts["existed"] else None
        return KeptFile(before, facts["after"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save(path: Path, *, before: bytes | None, backup: bytes | None, after: bytes) -> Path | None:
    """Keep what a file was, and its very last state; says where that is, if there was one."""
    folder = folder_of(path)
    if before is not None:
        _write(folder / _BEFORE, before)
    place = None if backup is None else save_backup(path, backup)
    facts = {
        "path": str(path),
        "existed": before is not None,
        "after": sha256(after).hexdigest(),
    }
    _write(folder / _FACTS, json.dumps(facts).encode())
    return place


def save_backup(path: Path, content: bytes) -> Path:
    """Keep a file's very last state; says where."""
    place = folder_of(path) / _BACKUP
    _write(place, content)
    return place


def forget(path: Path) -> None:
    """Drop the note; the copies stay, in case somebody wants them."""
    # One that stays does no harm: the file is not what it says was written.
    with suppress(OSError):
        (folder_of(path) / _FACTS).unlink(missing_ok=True)


def _write(path: Path, content: bytes) -> None:
    """Write a copy; without one, the host's file is not touched."""
    try:
        make_folder(path.parent)
        exchange_content(path, content, mode=lambda: FILE_MODE)
    except OSError as error:
        raise LeftAloneError(
            f"what it is now cannot be kept in {path.parent}: {error.strerror}"
        ) from error
