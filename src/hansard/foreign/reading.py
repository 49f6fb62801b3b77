"""Reads foreign files: only named ones, only plain ones, always with a limit."""

import os
import stat
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from hansard.foreign import limits
from hansard.foreign.items import Skipped
from hansard.kernel.clock import from_text, to_text
from hansard.kernel.problem import InvalidInput

MILLISECONDS_FROM = 100_000_000_000
"""A number above this is a time in milliseconds; as seconds it would be the year 5138."""

Row = dict[str, Any]


def open_plain(path: Path) -> BinaryIO:
    """Open a plain file, and nothing that only looks like one: no link, no pipe, no device."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InvalidInput(f"{path} is no plain file")
    return os.fdopen(descriptor, "rb")


def json_lines(path: Path) -> Iterator[tuple[int, Row | Skipped]]:
    """Go through the objects of a file of JSON Lines; of what is none, say where and why."""
    with open_plain(path) as file:
        for number in range(1, limits.LINES_MAX + 1):
            line = file.readline(limits.LINE_BYTES_MAX + 1)
            if not line:
                return
            if len(line) > limits.LINE_BYTES_MAX:
                _pass_over(file, line)
                yield number, _skipped(path, number, "a line is longer than 32 MiB")
            elif line.strip():
                yield number, _object(path, number, line)
        yield limits.LINES_MAX, _skipped(path, limits.LINES_MAX, "the file has too many lines")


def json_document(path: Path) -> Any:
    """Read a file that is one JSON value, or refuse it."""
    try:
        return orjson.loads(whole(path, limits.DOCUMENT_BYTES_MAX))
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"{path} is not JSON: {error}") from None


def whole(path: Path, bytes_max: int) -> bytes:
    """Read a file that may be read whole, or refuse it."""
    with open_plain(path) as file:
        content = file.read(bytes_max + 1)
    if len(content) > bytes_max:
        raise InvalidInput(f"{path} is larger than {bytes_max:,} bytes")
    return content


def beginning(path: Path, size: int = 4_096) -> bytes:
    """Give the first bytes of a plain file; none of anything else."""
    try:
        with open_plain(path) as file:
            return file.read(size)
    except InvalidInput:
        return b""


def first_objects(path: Path, count: int = 5) -> list[Row]:
    """Give the first objects of a file of JSON Lines, if it is one."""
    found: list[Row] = []
    try:
        for number, row in json_lines(path):
            if isinstance(row, Skipped):
                break
            found.append(row)
            if number >= count:
                break
    except InvalidInput:
        return []
    return found


def files_below(root: Path, *endings: str) -> list[Path]:
    """List the plain files in a folder and below it, in order; links are not followed."""
    found: list[Path] = []
    for folder, below, names in os.walk(root, followlinks=False):
        here = Path(folder)
        below[:] = sorted(name for name in below if not (here / name).is_symlink())
        if len(here.relative_to(root).parts) >= limits.FOLDERS_DEEP_MAX:
            below.clear()
        plain = (here / name for name in sorted(names) if name.endswith(endings))
        found += [path for path in plain if stat.S_ISREG(path.lstat().st_mode)]
        if len(found) > limits.FILES_MAX:
            raise InvalidInput(f"{root} holds more than {limits.FILES_MAX:,} files")
    return found


def sources(path: Path, *endings: str) -> list[Path]:
    """Give the file that was named, or the files of the folder that was."""
    return files_below(path, *endings) if path.is_dir() else [path]


def text(row: Mapping[str, Any], *names: str) -> str | None:
    """Give the first of these that is a text and says something."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str) and value.strip():
            return value.replace("\0", "")
    return None


def inner(row: Mapping[str, Any], *names: str) -> Row:
    """Give the object that lies inside others; an empty one where there is none."""
    value: Any = row
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[Row]:
    """Give the objects of a list, and nothing else of it."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def moment(value: object) -> str | None:
    """Read a time, as text or as a number since 1970; `None` if it is none."""
    try:
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            seconds = value / 1000 if value > MILLISECONDS_FROM else value
            return to_text(datetime.fromtimestamp(seconds, UTC))
        return to_text(from_text(value)) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None


def _object(path: Path, number: int, line: bytes) -> Row | Skipped:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return _skipped(path, number, "a line is not JSON")
    if not isinstance(row, dict):
        return _skipped(path, number, "a line is no object")
    if _is_deep(row):
        return _skipped(path, number, "a line is nested too deep")
    return row


def _is_deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(limits.NESTING_MAX):
        level = [
            part
            for one in level
            if isinstance(one, dict | list)
            for part in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True


def _pass_over(file: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = file.readline(limits.LINE_BYTES_MAX)


def _skipped(path: Path, number: int, reason: str) -> Skipped:
    return Skipped(f"{path.name}:{number}", reason)
