"""The interface of an export, and writing its lines."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.private_files import open_new


@dataclass(frozen=True, slots=True)
class Export:
    """A format that a project can be written in."""

    name: str
    about: str
    write: Callable[[Application, Caller, Path], dict[str, int]]
    """Writes it to a new path, and counts what was written."""


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
