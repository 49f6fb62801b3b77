"""Reads a project's files for a hook: plain ones, inside it, through no link, not too large."""

import os
import stat
from typing import Any

FILE_BYTES_MAX = 10 * 1024 * 1024
"""The largest file whose content is taken; the recorder has the same limit."""


PERMISSIONS = 0o777
"""The bits of a mode that are reported; files with others, such as set-uid ones, are not
recorded."""


class TooLargeError(OSError):
    """A file holds more than is recorded."""

    def __init__(self, path: str, size: int) -> None:
        """Report a file of this many bytes."""
        super().__init__(f"{path} has {size:,} bytes, more than are recorded")
        self.size = size


Content = dict[str, str]
"""What a file holds, as JSON can: `text`, or `base64`."""


def within(root: str, path: str, cwd: str | None = None) -> str | None:
    """Give a path from the project's folder; `None` if it lies elsewhere, or behind a link."""
    top = os.path.realpath(root)
    whole = os.path.normpath(os.path.join(cwd or root, os.path.expanduser(path)))
    parent = os.path.realpath(os.path.dirname(whole))
    found = os.path.join(parent, os.path.basename(whole))
    inside = os.path.relpath(found, top)
    if inside == os.curdir or inside.split(os.sep)[0] == os.pardir or "\0" in path:
        return None
    # A path through a link within the project does not name what is meant.
    named = {os.path.relpath(whole, base) for base in (top, os.path.abspath(root))}
    return inside if inside in named else None


def read(root: str, path: str) -> tuple[bytes, int] | None:
    """Read a file and its permissions; `None` if it is not there. What cannot be read is raised."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(os.path.join(root, path), flags)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(f"{path} is no plain file")
        if found.st_size > FILE_BYTES_MAX:
            raise TooLargeError(path, found.st_size)
        return file.read(FILE_BYTES_MAX), stat.S_IMODE(found.st_mode)


def told(found: tuple[bytes, int] | None) -> dict[str, Any]:
    """Describe a file as it was read: what it holds, and its permissions."""
    if found is None:
        return {"now": None}
    return {"now": as_content(found[0]), "mode": found[1] & PERMISSIONS}


def as_content(data: bytes) -> Content:
    """Write what a file holds as JSON can."""
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        from base64 import b64encode

        return {"base64": b64encode(data).decode()}


def as_bytes(content: Any) -> bytes | None:
    """Read what `as_content` wrote; `None` for anything else."""
    if not isinstance(content, dict):
        return None
    if isinstance(text := content.get("text"), str):
        return text.encode(errors="surrogatepass")
    packed = content.get("base64")
    from base64 import b64decode

    try:
        return b64decode(packed, validate=True) if isinstance(packed, str) else None
    except ValueError:
        return None
