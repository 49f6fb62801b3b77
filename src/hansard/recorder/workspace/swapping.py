"""The one step of a change at which the file becomes another, and how to take it back."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from stat import S_ISDIR

from hansard.kernel.blob import Digest
from hansard.kernel.problem import StorageUnavailable
from hansard.recorder.workspace.folder import Folder
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import changed, holds

SWAPS_MAX = 1_000
"""How often a folder is given back its name that somebody else keeps taking."""


May = Callable[[], None]
"""Raises if a change must not be made any more."""


def always() -> None:
    """Let every change be made."""


class Swap:
    """A change under way: it knows whether the file may already be changed.

    What a step takes away is looked at once more where nobody else can reach it any longer, and
    returned if it is not what was expected: so no one's work is overwritten unseen.
    """

    def __init__(self, path: FilePath, may: May) -> None:
        """Begin with nothing changed; `path` is what refusals name.

        `may` is asked right before the step, and raises if it must not be done any more.
        """
        self.path = path
        self.is_in_doubt = False
        self._may = may

    def place(self, folder: Folder, temporary: str) -> None:
        """Give a temporary file its name, which nothing has."""
        with self._step(), _ours(folder, temporary):
            folder.place(temporary, folder, self.path.name)

    def swap(self, folder: Folder, temporary: str, expect: Digest, after: Digest) -> None:
        """Put a temporary file in place of the target, which ends up under the temporary's name."""
        name = self.path.name
        with self._step(), _ours(folder, temporary):
            if not folder.exchange(temporary, name):
                folder.replace(temporary, name)
                return
        if not _is_as_expected(folder, temporary, expect):
            self._undo(self.path, lambda: _swap_back(folder, temporary, name, after))

    def take(self, folder: Folder, aside: str, expect: Digest) -> None:
        """Take the target away, to another name beside it."""
        name = self.path.name
        with self._step():
            folder.place(name, folder, aside)
        if not _is_as_expected(folder, aside, expect):
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
        self._may()
        self.is_in_doubt = True
        try:
            yield
        except StorageUnavailable:
            self.is_in_doubt = False
            raise
        except OSError as error:
            self.is_in_doubt = error.errno == errno.EIO
            raise

    def _undo(self, path: FilePath, undo: Callable[[], None]) -> None:
        undo()
        self.is_in_doubt = False
        raise changed(path, "was changed by someone else at this moment")


@contextmanager
def _ours(folder: Folder, temporary: str) -> Iterator[None]:
    """Say so if it is our own file that is not there any more."""
    try:
        yield
    except FileNotFoundError as error:
        if folder.stat(temporary) is not None:
            raise
        raise StorageUnavailable(
            "Another process took this one for dead and has removed its temporary file",
            hint="Nothing was changed; ask again",
            outcome="unchanged",
        ) from error


def _is_as_expected(folder: Folder, temporary: str, expect: Digest) -> bool:
    """Whether what was taken away is what was expected.

    If it is gone, somebody took us for dead at this moment and has cleaned up after us; then the
    look just before must do.
    """
    return folder.stat(temporary) is None or holds(folder, temporary, expect)


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
