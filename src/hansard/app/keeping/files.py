"""Files and folders that appear complete or not at all."""

import errno
import glob
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hansard.app.preflight import refused
from hansard.kernel.private_files import make_folder, open_new, sync_folder
from hansard.kernel.problem import InvalidInput
from hansard.recorder.workspace import linux

_CANNOT_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)


_MARK = re.compile(r"[0-9a-f]{8}")


@contextmanager
def made_whole(path: Path, *, replaces: bool = False) -> Iterator[Path]:
    """Give a place beside the path; what was written there gets its name when it is complete.

    What a killed process has left there is removed first. Of two that write the same path at once,
    one is refused.
    """
    if path.exists() and not replaces:
        raise InvalidInput(f"{path} is there already", hint="Name one that is not there yet")
    incoming = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        make_folder(path.parent)
        for left in path.parent.glob(f".{glob.escape(path.name)}.*"):
            if _MARK.fullmatch(left.name.removeprefix(f".{path.name}.")):
                remove(left)
        yield incoming
        incoming.rename(path)
        _sync_name(path, is_new=not replaces)
    except OSError as error:
        raise refused(error, f"{path} cannot be written") from error
    finally:
        with suppress(OSError):  # report why it could not be written, not this
            remove(incoming)


def _sync_name(path: Path, *, is_new: bool) -> None:
    """Make a name durable, or remove it again: what is reported as not written does not exist."""
    try:
        sync_folder(path.parent)
    except OSError:
        if is_new:
            remove(path)
        raise


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_durably(path: Path, parts: Iterable[bytes]) -> None:
    """Write a new file of these parts and make its content durable."""
    with open_new(path) as file:
        file.writelines(parts)
        file.flush()
        os.fsync(file.fileno())


def exchange(one: Path, other: Path, between: Path) -> None:
    """Swap the names of two folders beside each other: atomically, or by way of a third name."""
    folder = os.open(one.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        linux.renameat2(folder, one.name, folder, other.name, linux.RENAME_EXCHANGE)
    except OSError as error:
        # Not every system and file system can do it atomically.
        if error.errno not in _CANNOT_EXCHANGE:
            raise
        other.rename(between)
        try:
            one.rename(other)
        except OSError:
            between.rename(other)
            raise
        between.rename(one)
    finally:
        os.close(folder)


def is_mounted(folder: Path) -> bool:
    """Whether something is mounted on a folder, which then cannot change its name."""
    if os.path.ismount(folder):
        return True
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return False
    # A space in a name is written as a number there.
    places = {line.split()[4].decode("unicode_escape").encode("latin-1") for line in lines}
    return os.fsencode(folder) in places
