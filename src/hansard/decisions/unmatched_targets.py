"""Reports targets that match nothing."""

from collections.abc import Callable
from dataclasses import dataclass

from hansard.decisions.contract import Stated
from hansard.decisions.targets import glob_of


def _always(*_: object) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class KnownThings:
    """What exists to be named; given by the layer above."""

    has_file: Callable[[str], bool] = _always
    """Whether a glob names a file of the workspace."""

    def missing_files(self, request: Stated) -> list[str]:
        """Give the target if it is about files and matches none. Reads the disk."""
        glob = glob_of(request.target)
        return [] if glob is None or self.has_file(glob) else [request.target.strip()]
