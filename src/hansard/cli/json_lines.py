"""Files of JSON Lines, as commands read and write them; `-` stands for stdin and stdout."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from hansard.cli.terminal import print_json
from hansard.kernel.hidden import escape
from hansard.kernel.problem import InvalidInput, StorageUnavailable

STANDARD = "-"

Write = Callable[[object], object]
"""Writes one value as a line of JSON."""


@contextmanager
def writing(output: str) -> Iterator[Write]:
    """Write lines into a file, or print them."""
    if output == STANDARD:
        yield print_json
        return
    try:
        with Path(output).open("wb") as file:
            yield lambda value: file.write(_line(value))
    except OSError as error:
        raise StorageUnavailable(f"{output} cannot be written: {error.strerror}") from error


def _line(value: object) -> bytes:
    """Write a value as it is printed, too: whoever looks at the file has a terminal."""
    return f"{escape(orjson.dumps(value).decode())}\n".encode()


def lines_of(file: str) -> Iterator[bytes]:
    """Go through the lines of a file, or of what comes in."""
    if file == STANDARD:
        # Where stdin was replaced, it may be of text only.
        incoming = getattr(sys.stdin, "buffer", sys.stdin)
        yield from (line.encode() if isinstance(line, str) else line for line in incoming)
        return
    try:
        with Path(file).open("rb") as opened_file:
            yield from opened_file
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}") from error


def parse_line(line: bytes, number: int) -> dict[str, Any]:
    """Read the object that stands on a line, or say which line holds none."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"line {number}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"line {number}: not an object")
    return value
