"""State that one hook leaves for a later one of the same chat: a file each, the newest kept.

A command that never ends, or a chat in which nothing is done, leaves one that nobody needs: it is
removed after a day, since it may hold contents of the user's files.
"""

import json
import os
import time
from contextlib import suppress
from typing import Any

KEPT_MAX = 64
KEPT_S = 86_400.0
NAME_CHARS_MAX = 200


def keep(folder: str, kind: str, name: str, value: dict[str, Any]) -> None:
    """Keep a value under a name, for its owner alone."""
    place = os.path.join(folder, kind)
    os.makedirs(place, 0o700, exist_ok=True)
    _make_room(place)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with open(os.open(_path(folder, kind, name), flags, 0o600), "w") as file:
        json.dump(value, file)


def find(folder: str, kind: str, name: str) -> dict[str, Any] | None:
    """Give what was kept under a name; `None` if nothing was."""
    try:
        with open(_path(folder, kind, name), encoding="ascii") as file:
            found: Any = json.load(file)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def claim(folder: str, kind: str, name: str, for_s: float) -> bool:
    """Claim a name for a while; false if another hook has it, however close the two are."""
    # Loaded here, since most hooks claim nothing.
    import fcntl

    place = os.path.join(folder, kind)
    os.makedirs(place, 0o700, exist_ok=True)
    _make_room(place)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    with open(os.open(_path(folder, kind, name), flags, 0o600), "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        said = file.read()
        if said.isdecimal() and 0 <= time.time() - int(said) / 1000 < for_s:
            return False
        file.seek(0)
        file.write(str(int(time.time() * 1000)))
        file.truncate()
    return True


def drop(folder: str, kind: str, name: str) -> None:
    """Forget what was kept under a name."""
    with suppress(OSError):
        os.unlink(_path(folder, kind, name))


def sweep(folder: str, kind: str) -> None:
    """Forget what was kept too long ago."""
    with suppress(OSError):
        for one in os.scandir(os.path.join(folder, kind)):
            if time.time() - one.stat(follow_symlinks=False).st_mtime > KEPT_S:
                os.unlink(one.path)


def _path(folder: str, kind: str, name: str) -> str:
    # Its own characters, if they make a name: importing hashlib takes as long as the rest.
    if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
        from hashlib import sha256

        name = sha256(name.encode(errors="replace")).hexdigest()
    return os.path.join(folder, kind, name[-NAME_CHARS_MAX:])


def _make_room(place: str) -> None:
    found = sorted(os.scandir(place), key=lambda one: one.stat(follow_symlinks=False).st_mtime_ns)
    for one in found[: -KEPT_MAX + 1] if len(found) >= KEPT_MAX else ():
        with suppress(OSError):
            os.unlink(one.path)
