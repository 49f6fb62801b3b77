"""Where temporary files go; if no folder takes any, the error says so."""

import tempfile

from hansard.kernel.problem import StorageUnavailable


class NoTemporaryRoom(StorageUnavailable):
    """What had to be laid aside found no room, which says nothing of the store."""


def temporary_root() -> str:
    """Name the folder in which temporary files are made, as the system and TMPDIR say."""
    try:
        return tempfile.gettempdir()
    except FileNotFoundError as error:
        raise NoTemporaryRoom(
            "No folder for temporary files takes any: each is full, or not ours to write to",
            hint="Make room there, or name another folder in TMPDIR",
            outcome="not_written",
        ) from error
