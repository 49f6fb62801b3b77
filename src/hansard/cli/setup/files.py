"""Reads and writes a host's file: whole, with its mode, unless it changed meanwhile."""

import os
import secrets
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from hansard.cli.setup.texts import LeftAloneError
from hansard.kernel.limits import MIB
from hansard.kernel.private_files import FILE_MODE, OTHERS, open_new, sync_folder

BYTES_MAX = 32 * MIB
"""Hosts keep whole histories in some of these files; more than this is no configuration."""

_OPEN_TO_ALL = 0o666
_READ_BY_ALL = 0o444


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file as it was found."""

    path: Path
    """Where it really lies, if a link leads to it."""
    content: bytes | None
    """`None` if there is no file."""
    mode: int
    """Of a file that is not there, the one that it is to get."""

    @property
    def text(self) -> str | None:
        """What it holds, if it is text."""
        try:
            return None if self.content is None else self.content.decode()
        except UnicodeDecodeError:
            raise LeftAloneError("it is not UTF-8") from None


def look(path: Path, *, within: Path | None = None) -> FoundFile:
    """Read a file; one that may not be written, or that a link leads out to, is refused."""
    real = _resolved(path)
    if within is not None and not real.is_relative_to(within.resolve()):
        raise LeftAloneError("a link leads out of the project")
    try:
        facts = real.stat()
    except FileNotFoundError:
        if path.is_symlink():
            raise LeftAloneError("a link leads to nothing") from None
        # A user's files hold keys sooner or later; a project's are for all who work in it.
        return FoundFile(real, None, FILE_MODE if within is None else _OPEN_TO_ALL & ~_umask())
    except OSError as error:
        raise LeftAloneError(f"it cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(facts.st_mode):
        raise LeftAloneError("it is no plain file")
    if facts.st_size > BYTES_MAX:
        raise LeftAloneError(f"it is larger than {BYTES_MAX // MIB} MiB")
    try:
        return FoundFile(real, real.read_bytes(), stat.S_IMODE(facts.st_mode))
    except OSError as error:
        raise LeftAloneError(f"it cannot be read: {error.strerror}") from error


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise LeftAloneError("its links lead in a circle") from None


def as_program(found: FoundFile) -> FoundFile:
    """Make a file executable by everyone who may read it."""
    return replace(found, mode=found.mode | (found.mode & _READ_BY_ALL) >> 2)


def _umask() -> int:
    """Tell what new files are kept from; it can only be asked by setting it."""
    mask = os.umask(OTHERS)
    os.umask(mask)
    return mask


def require_writable(found: FoundFile) -> None:
    """Refuse a file that its owner has closed, though its folder would let it be exchanged."""
    if found.content is not None and not found.mode & stat.S_IWUSR:
        raise LeftAloneError("it is read-only")


def write(found: FoundFile, content: bytes | None) -> None:
    """Exchange a file for another, or remove it, unless it changed since it was read."""
    try:
        _require_unchanged(found)
        if content is None:
            found.path.unlink(missing_ok=True)
        else:
            found.path.parent.mkdir(parents=True, exist_ok=True)
            exchange_content(found.path, content, mode=lambda: _require_unchanged(found))
    except OSError as error:
        raise LeftAloneError(f"it cannot be written: {error.strerror}") from error


def drop_empty_folders(path: Path, *tops: Path) -> None:
    """Take away the folders that a file was alone in, up to where people's own begin."""
    ends = {top.resolve() for top in tops}
    for folder in path.parents:
        if folder in ends or not any(folder.is_relative_to(end) for end in ends):
            return
        try:
            folder.rmdir()
        except OSError:
            return


def _require_unchanged(found: FoundFile) -> int:
    """Refuse a file that somebody wrote since it was read; returns the mode it has by now."""
    try:
        now, mode = found.path.read_bytes(), stat.S_IMODE(found.path.stat().st_mode)
    except FileNotFoundError:
        now, mode = None, found.mode
    if now != found.content:
        raise LeftAloneError("somebody changed it meanwhile; run this again")
    return mode


def exchange_content(path: Path, content: bytes, *, mode: Callable[[], int]) -> None:
    """Write a file beside another and let it take its name, so that nobody sees half of it.

    `mode` is asked when all is written, so that what it checks holds when the names are exchanged.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open_new(beside) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), mode())
            _keep_owner(path, file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _keep_owner(path: Path, descriptor: int) -> None:
    """Leave the file to whom it belongs, if it is written by root for somebody else."""
    if os.geteuid() == 0 and path.exists():
        facts = path.stat()
        os.fchown(descriptor, facts.st_uid, facts.st_gid)
