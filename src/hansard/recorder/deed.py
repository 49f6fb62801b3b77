"""The one step of a change at which the file becomes another, and how to take it back."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from stat import S_ISDIR

from hansard.kernel.blob import Digest
from hansard.recorder.folder import Folder
from hansard.recorder.looking import changed, holds
from hansard.recorder.paths import FilePath

SWAPS_MAX = 1_000
"""How often a folder is given back its name that somebody else keeps taking."""


class Deed:
    """A change under way: it knows whether the file may already be changed.

    What a step takes away is looked at once more where nobody else can reach it any longer, and
    returned if it is not what was expected: so no one's work is overwritten unseen.
    """

    def __init__(self, path: FilePath) -> None:
        """Begin with nothing changed; `path` is what refusals name."""
        self.path = path
        self.is_in_doubt = False

    def place(self, folder: Folder, temporary: str) -> None:
        """Give a temporary file its name, which nothing has."""
        with self._step():
            folder.place(temporary, folder, self.path.name)

    def swap(self, folder: Folder, temporary: str, expect: Digest, after: Digest) -> None:
        """Put a temporary file in place of the target, which ends up under the temporary's name."""
        name = self.path.name
        with self._step():
            if not folder.exchange(temporary, name):
                folder.replace(temporary, name)
                return
        if not holds(folder, temporary, expect):
            self._undo(self.path, lambda: _swap_back(folder, temporary, name, after))

    def take(self, folder: Folder, aside: str, expect: Digest) -> None:
        """Take the target away, to another name beside it."""
        name = self.path.name
        with self._step():
            folder.place(name, folder, aside)
        if not holds(folder, aside, expect):
            self._undo(self.path, lambda: _return(folder, aside, folder, name))

    def move(self, folder: Folder, path: FilePath, target: Folder, expect: Digest) -> None:
        """Move a file to where this deed's path leads."""
        name = self.path.name
        with self._step():
            folder.place(path.name, target, name)
        if not holds(target, name, expect):
            self._undo(path, lambda: _return(target, name, folder, path.name))

    @contextmanager
    def _step(self) -> Iterator[None]:
        """Do the step. Its refusal is believed, but for EIO, after which nobody knows."""
        self.is_in_doubt = True
        try:
            yield
        except OSError as error:
            self.is_in_doubt = error.errno == errno.EIO
            raise

    def _undo(self, path: FilePath, undo: Callable[[], None]) -> None:
        undo()
        self.is_in_doubt = False
        raise changed(path, "was changed by someone else at this moment")


def _swap_back(folder: Folder, temporary: str, name: str, after: Digest) -> None:
    for _ in range(SWAPS_MAX):
        folder.exchange(temporary, name)
        if holds(folder, temporary, after):
            return
        # Someone wrote once more in between, and the last writer's file is the one to stay.
        folder.exchange(temporary, name)
        found = folder.stat(temporary)
        if found is None or not S_ISDIR(found.st_mode):
            return
        # A folder is nobody's last write: it goes back, however often the name changes hands.


def _return(folder: Folder, name: str, to_folder: Folder, to_name: str) -> None:
    try:
        folder.place(name, to_folder, to_name)
    except FileExistsError:
        # Someone made a new file in between, which would have replaced this one.
        folder.unlink(name)
