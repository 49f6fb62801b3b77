"""Files of JSON Lines, as commands read and write them; `-` stands for stdin and stdout."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from hansard.app.keeping.files import made_whole
from hansard.app.preflight import refused
from hansard.cli.terminal.text import print_json
from hansard.kernel.hidden_characters import escape
from hansard.kernel.private_files import open_new
from hansard.kernel.problem import InvalidInput

STANDARD = "-"

Write = Callable[[object], object]
"""Writes one value as a line of JSON."""


@contextmanager
def writing(output: str) -> Iterator[Write]:
    """Write lines into a file, or print them."""
    if output == STANDARD:
        yield print_json
        return
    path = Path(output)
    if path.exists() and not path.is_file():
        # A pipe or a terminal is written to, and not replaced.
        with _refusals(path), path.open("wb") as device:
            yield partial(_write, path, device)
        return
    with made_whole(path, replaces=True) as incoming, open_new(incoming) as file:
        yield partial(_write, path, file)
        file.flush()
        os.fsync(file.fileno())


def _write(path: Path, file: BinaryIO, value: object) -> None:
    # Caught here, since otherwise it would look like an error of the store's own disk.
    with _refusals(path):
        file.write(_line(value))


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise refused(error, f"{path} cannot be written") from error


def _line(value: object) -> bytes:
    """Write a value as it is printed, too: a person reads the file on a terminal."""
    return f"{escape(orjson.dumps(value).decode())}\n".encode()


def lines_of(file: str) -> Iterator[bytes]:
    """Iterate over the lines of a file, or of stdin."""
    if file == STANDARD:
        # A replaced stdin may have text only.
        incoming = getattr(sys.stdin, "buffer", sys.stdin)
        yield from (line.encode() if isinstance(line, str) else line for line in incoming)
        return
    try:
        with Path(file).open("rb") as opened_file:
            yield from opened_file
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}") from error


def parse_line(line: bytes, number: int) -> dict[str, Any]:
    """Read the object on a line, or say which line has none."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"line {number}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"line {number}: not an object")
    return value
