"""Swaps a file for its new content in one step, and can swap back."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from stat import S_ISDIR

from hansard.kernel.blob import Digest
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.recorder.limits import KEPT_BYTES_MAX, LARGE_BYTES_MAX
from hansard.recorder.problems import FileChanged
from hansard.recorder.workspace.folder import Folder, turn
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import Seen, changed, holds, seen_at

SWAPS_MAX = 1_000
"""How often a folder is given back a name that somebody else keeps taking."""


May = Callable[[], None]
"""Raises if a change must no longer be made."""


Keep = Callable[[FilePath, Seen], None]
"""Keeps what somebody wrote into a file, and a later write of somebody else has pushed out."""


def always() -> None:
    """Allow every change."""


def nothing(_path: FilePath, _seen: Seen) -> None:
    """Keep nothing."""


class Swap:
    """A change under way: it knows whether the file may already be changed.

    What a step takes away is looked at once more where nobody else can reach it any longer, and
    returned if it is not what was expected, or if somebody is about to write into it: so no one's
    work is overwritten unseen.
    """

    def __init__(self, path: FilePath, may: May, keep: Keep) -> None:
        """Start with nothing changed; `path` is what refusals name.

        `may` is asked right before the step, and raises if it must not be done any more. `keep` is
        given what cannot be returned, since somebody has written there once more.
        """
        self.path = path
        self.is_in_doubt = False
        self._may = may
        self._keep = keep

    def place(self, folder: Folder, temporary: str) -> None:
        """Give a temporary file its name, which nothing has."""
        with self._step(), _ours(folder, temporary):
            folder.place(temporary, folder, self.path.name)

    def swap(self, folder: Folder, temporary: str, expect: Digest, after: Digest) -> None:
        """Put a temporary file in place of the target, which ends up under the temporary's name."""
        name = self.path.name
        _require_unheld(folder, self.path)
        with self._step(), _ours(folder, temporary):
            if not folder.exchange(temporary, name):
                folder.replace(temporary, name)
                return
        if not _is_as_expected(folder, temporary, expect):
            is_back = _swap_back(folder, temporary, name, after)
            self._refuse(self.path, None if is_back else (folder, temporary))

    def take(self, folder: Folder, aside: str, expect: Digest) -> None:
        """Take the target away, to another name beside it."""
        name = self.path.name
        _require_unheld(folder, self.path)
        with self._step():
            folder.place(name, folder, aside)
        if not _is_as_expected(folder, aside, expect):
            is_back = _return(folder, aside, folder, name)
            self._refuse(self.path, None if is_back else (folder, aside))

    def move(self, folder: Folder, path: FilePath, target: Folder, expect: Digest) -> None:
        """Move a file to where this deed's path leads."""
        name = self.path.name
        with self._step():
            folder.place(path.name, target, name)
        if not holds(target, name, expect):
            is_back = _return(target, name, folder, path.name)
            self._refuse(path, None if is_back else (target, name))

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

    def _refuse(self, path: FilePath, left: tuple[Folder, str] | None) -> None:
        """Refuse a change that was taken back, and keep what could not be given back."""
        self.is_in_doubt = False
        if left is not None:
            folder, name = left
            if (seen := _seen(folder, name, path)) is not None:
                self._keep(path, seen)
            folder.unlink(name)
        raise changed(path, "was changed by someone else at this moment")


def given_back(folder: Folder, temporary: str, name: str, after: Digest | None) -> bool:
    """Give back what a process that is dead by now has taken away, and put `after` in its place.

    `False` if somebody has put something there since: what was taken is then still to be kept.
    """
    with turn(folder):
        if after is None:
            return _return(folder, temporary, folder, name)
        return _swap_back(folder, temporary, name, after)


@contextmanager
def _ours(folder: Folder, temporary: str) -> Iterator[None]:
    """Report it if our own file is gone."""
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


def _require_unheld(folder: Folder, path: FilePath) -> None:
    """Refuse to take a file away from a program that would continue writing into it unseen."""
    if folder.is_open_to_write(path.name):
        raise FileChanged(
            f"{path} is open in another program, which may write into it",
            hint="Read the file again and repeat the change; if it stays so, end that program",
            path=str(path),
        )


def _is_as_expected(folder: Folder, temporary: str, expect: Digest) -> bool:
    """Whether what was taken away is what was expected, and stays so.

    If it is gone, somebody took us for dead at this moment and has cleaned up after us; then the
    look just before must do.
    """
    return folder.stat(temporary) is None or _is_and_stays(folder, temporary, expect)


def _is_and_stays(folder: Folder, name: str, expect: Digest) -> bool:
    """Whether a file holds this, and nobody has it open for writing under an earlier name."""
    return not folder.is_open_to_write(name) and holds(folder, name, expect)


def _swap_back(folder: Folder, temporary: str, name: str, after: Digest) -> bool:
    """Give a file its name back; `False` if what somebody wrote there since is to stay."""
    for _ in range(SWAPS_MAX):
        folder.exchange(temporary, name)
        if _is_and_stays(folder, temporary, after):
            return True
        # Someone wrote once more in between, and the last writer's file is the one to stay.
        folder.exchange(temporary, name)
        found = folder.stat(temporary)
        if found is None or not S_ISDIR(found.st_mode):
            return False
        # A folder is nobody's last write: it goes back, however often the name changes hands.
    return False


def _return(folder: Folder, name: str, to_folder: Folder, to_name: str) -> bool:
    """Give a file its name back; `False` if somebody has made another there since."""
    try:
        folder.place(name, to_folder, to_name)
    except FileExistsError:
        return False
    return True


def _seen(folder: Folder, name: str, path: FilePath) -> Seen | None:
    try:
        return seen_at(folder, name, path, KEPT_BYTES_MAX, LARGE_BYTES_MAX)
    except Problem:  # a link, a device, or larger than anything that is kept
        return None
