"""Writing an export: into a folder or file that is not there yet, whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.private import make_folder, open_new
from hansard.kernel.problem import InvalidInput, StorageUnavailable


@dataclass(frozen=True, slots=True)
class Export:
    """A format that a project can be written in."""

    name: str
    about: str
    write: Callable[[Application, Caller, Path], dict[str, int]]
    """Writes it to a new path, and counts what was written."""


@contextmanager
def made_whole(path: Path) -> Iterator[Path]:
    """Give a place beside the path; what was written there gets its name when it is whole."""
    if path.exists():
        raise InvalidInput(f"{path} is there already", hint="Name one that is not there yet")
    incoming = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        make_folder(path.parent)
        yield incoming
        incoming.rename(path)
    except OSError as error:
        raise StorageUnavailable(f"{path} cannot be written: {error.strerror}") from error
    finally:
        if incoming.is_dir():
            shutil.rmtree(incoming)
        else:
            incoming.unlink(missing_ok=True)


def write_lines(path: Path, lines: Iterable[bytes]) -> int:
    """Write lines into a new file, durably; counts them."""
    count = 0
    with open_new(path) as file:
        for line in lines:
            file.write(line + b"\n")
            count += 1
        file.flush()
        os.fsync(file.fileno())
    return count
