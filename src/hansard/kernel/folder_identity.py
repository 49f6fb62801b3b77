"""Names a folder on this machine."""

import os
import platform
from hashlib import sha256
from pathlib import Path

DIGEST_CHARS = 32


def folder_identity(folder: Path) -> str:
    """Name a folder on this machine: the same after a restart, and different for any other.

    A hash of the machine's id (its name if it has none) and the folder's real path. So a container
    without a machine id of its own is another machine whenever its name changes.
    """
    try:
        machine = Path("/etc/machine-id").read_text().strip()
    except OSError:
        machine = ""
    facts = f"{machine or platform.node()}\0{folder}"
    return sha256(os.fsencode(facts)).hexdigest()[:DIGEST_CHARS]
