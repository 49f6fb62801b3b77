"""The user whose processes these are."""

import getpass
import os

NAME_CHARS_MAX = 100


def login_name() -> str:
    """Name the user who runs this process."""
    try:
        name = getpass.getuser().strip()
    except (KeyError, OSError):
        name = ""
    return name if 0 < len(name) <= NAME_CHARS_MAX and name.isprintable() else f"user-{os.getuid()}"
