"""The temporary name of a store while two of them change places."""

import glob
import secrets
from pathlib import Path


def between_name(folder: Path) -> Path:
    """Give the store of this folder a name for the moment between two others."""
    return folder.with_name(f".{folder.name}.between-{secrets.token_hex(4)}")


def between_names(folder: Path) -> list[Path]:
    """List the stores that a crash has left with such a name; they belong where the folder is."""
    return sorted(folder.parent.glob(f".{glob.escape(folder.name)}.between-*"))
