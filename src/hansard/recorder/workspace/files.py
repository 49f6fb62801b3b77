"""The agent's files. The only code that reads, writes, moves or deletes them.

Everything goes through descriptors of folders below one root, so that a link put in place while we
work leads nowhere. A file is changed by a temporary one beside it, synced and renamed: anyone who
looks sees wholly the old or wholly the new, and so does the disk after a power cut. Where the file
system can exchange two names, what was there is looked at once more after it was taken away, and
given back if it is not what the caller expected; elsewhere the look just before must do. A file
that another program has open to write into is neither replaced nor removed, where the file system
can tell: what that program writes next would be in no file.

A changed file keeps its mode, its access list, its `user.` attributes and, as far as this process
may, its owner. Other attributes and times are not kept; a file with several names is refused.

What this cannot prevent: somebody who moves a folder out of the workspace, in the microseconds
between
our last look and the rename, takes the new file along.
"""

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from stat import S_IMODE
from typing import Self

from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.folder_identity import folder_identity
from hansard.kernel.limits import FILE_BYTES_MAX, PATH_LEVELS_MAX
from hansard.kernel.problem import StorageUnavailable
from hansard.recorder import problems
from hansard.recorder.limits import LARGE_BYTES_MAX
from hansard.recorder.problems import FileNotFound
from hansard.recorder.workspace import protected, temporaries
from hansard.recorder.workspace.folder import Folder, open_root, sync, turn
from hansard.recorder.workspace.paths import FilePath, parse
from hansard.recorder.workspace.states import (
    FileState,
    LargeFile,
    Seen,
    changed,
    require,
    require_there,
    seen_at,
)
from hansard.recorder.workspace.swapping import Keep, May, Swap, always, nothing

NEW_FILE_MODE = 0o644
"""Less what the umask takes away."""

SCARCE = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}
"""Errors for want of a resource, which say nothing about the disk."""


class Workspace:
    """One folder, and the plain files in it. Any number of threads may use it at once."""

    def __init__(
        self, root: Path, *, owner: str, store: Path | None = None, use_openat2: bool = True
    ) -> None:
        """Open the root once and for all.

        `owner` names our temporaries; `store` is protected if it lies below the root.
        """
        assert owner.replace("-", "").isalnum(), f"{owner!r} cannot name a temporary file"
        self._owner = owner
        self._path = root.resolve()
        self._roots = (str(self._path), str(root.absolute()))
        self._store = _store_below(self._path, store)
        self._root = open_root(self._path, use_openat2=use_openat2)
        self._has_failed = False

    def resolve(self, path: str, *, for_agent: bool) -> FilePath:
        """Apply the path rule and the table of protected names, without looking at the disk."""
        components = parse(path, *self._roots)
        protected.require_free(components, store=self._store, for_agent=for_agent)
        return FilePath(components)

    def read(self, path: FilePath, limit_bytes: int = FILE_BYTES_MAX) -> FileState | None:
        """Read a plain file; `None` means nothing has this name."""
        seen = self.look(path, limit_bytes, large_bytes_max=0)
        assert not isinstance(seen, LargeFile), "a large file was looked at that was to be read"
        return seen

    def look(
        self,
        path: FilePath,
        limit_bytes: int = FILE_BYTES_MAX,
        large_bytes_max: int = LARGE_BYTES_MAX,
    ) -> Seen | None:
        """Read a plain file as `read` does, but of one over the limit take only the digest."""
        self._require_root()
        try:
            with self._root.folder(path.parent) as folder:
                return seen_at(folder, path.name, path, limit_bytes, large_bytes_max)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise problems.of_os_error(error, str(path)) from error

    def stat(self, path: FilePath) -> os.stat_result | None:
        """Stat what has this name, even a link, without opening it; `None` if nothing has."""
        self._require_root()
        try:
            with self._root.folder(path.parent) as folder:
                return folder.stat(path.name)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise problems.of_os_error(error, str(path)) from error

    def missing_folders(self, path: FilePath) -> int:
        """Count the folders above a file that are not there."""
        self._require_root()
        for missing in range(len(path.components) - 1):
            above = "/".join(path.components[: len(path.components) - 1 - missing])
            try:
                self._root.folder(above).close()
            except FileNotFoundError:
                continue
            except OSError as error:
                raise problems.of_os_error(error, str(path)) from error
            return missing
        return max(0, len(path.components) - 1)

    def replace(
        self,
        path: FilePath,
        content: bytes,
        *,
        expect: Digest | None,
        mode: int | None = None,
        make_parents: bool = False,
        limit_bytes: int = FILE_BYTES_MAX,
        may: May = always,
        keep: Keep = nothing,
    ) -> FileState:
        """Replace what is expected there with content; `None` expects that nothing is there.

        `mode` `None` keeps the mode of what was there. `may` is asked once all is ready. `keep` is
        given what another wrote at this moment and a third has pushed out.
        """
        if len(content) > limit_bytes:
            raise problems.too_large(str(path), limit_bytes)
        after = digest_of(content)
        with (
            self._changing(path, may, keep) as swap,
            self._parent(path, make=make_parents) as folder,
        ):
            # What it holds is looked at once all is ready: only that look counts.
            require_there(folder, path, is_expected=expect is not None)
            written = self._written(folder, path, content, mode)
            with written as (temporary, kept_mode), turn(folder):
                self._require_place(folder, path)
                require(folder, path, expect)
                if expect is None:
                    swap.place(folder, temporary)
                else:
                    swap.swap(folder, temporary, expect, after)
            folder.sync()
        return FileState(content, after, kept_mode)

    def delete(
        self, path: FilePath, *, expect: Digest, may: May = always, keep: Keep = nothing
    ) -> None:
        """Remove a file that is what is expected."""
        aside = temporaries.new_name(self._owner, path.name)
        with self._changing(path, may, keep) as swap, self._parent(path) as folder:
            with turn(folder):
                self._require_place(folder, path)
                require(folder, path, expect)
                swap.take(folder, aside, expect)
            folder.unlink(aside)
            folder.sync()

    def move(
        self,
        path: FilePath,
        to: FilePath,
        *,
        expect: Digest,
        mode: int | None = None,
        make_parents: bool = False,
        may: May = always,
        keep: Keep = nothing,
    ) -> None:
        """Give a file that is what is expected another name, which nothing has, and this mode.

        The mode comes first: whoever repeats what was stopped in between finds the file unmoved.
        """
        with self._changing(path, may, keep) as swap, self._parent(path) as folder:
            require(folder, path, expect)
            swap.path = to
            with self._parent(to, make=make_parents) as target:
                is_one = folder.is_same(target)
                with turn(folder) if is_one else turn(folder, target):
                    self._require_place(folder, path)
                    self._require_place(target, to)
                    require(target, to, None)
                    with _given(mode, folder, path.name):
                        swap.move(folder, path, target, expect)
                # The new name first: with one of the two on disk the file is never lost.
                target.sync()
            if not is_one:
                folder.sync()

    def clear_folders(self, path: FilePath, levels: int) -> None:
        """Remove the folders above a file, from the innermost, as long as nothing is in them."""
        for level in range(levels):
            *above, name = path.components[: len(path.components) - 1 - level]
            try:
                with self._root.folder("/".join(above) or ".") as folder:
                    folder.remove_folder(name)
                    folder.sync()
            except OSError:  # somebody uses it, or has removed it: both are fine
                return

    def sync(self, path: FilePath) -> None:
        """Make it durable that a file is there, or is gone, before anyone relies on it.

        What a dead process renamed may only be in memory; the content itself was synced before.
        """
        try:
            with self._root.folder(path.parent) as folder:
                folder.sync()
        except FileNotFoundError:
            return
        except OSError as error:
            raise problems.of_os_error(error, str(path), in_doubt=True) from error

    def clean_temporaries(
        self,
        owner_is_dead: Callable[[str], bool],
        beside: Iterable[FilePath] | None = None,
        *,
        spares: temporaries.Spares = temporaries.none,
    ) -> int:
        """Remove what dead processes left half done; returns how many files that were.

        Looks only beside the given paths, which the open intents name; `None` means everywhere.
        `spares` is asked of each before it is removed.
        """
        root = self._root
        if beside is None:
            return temporaries.clean(root, owner_is_dead, levels=PATH_LEVELS_MAX, spares=spares)
        return sum(
            temporaries.clean_below(root, parent, owner_is_dead, levels=0, spares=spares)
            for parent in {path.parent for path in beside}
        )

    def identity(self) -> str:
        """Name this folder on this machine."""
        return folder_identity(self._path)

    def close(self) -> None:
        """Close the root."""
        self._root.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _require_root(self) -> None:
        """Refuse to work on a folder that no longer has the name it is recorded under."""
        try:
            is_there = self._root.is_at(self._roots[0])
        except OSError:
            is_there = False
        if not is_there:
            raise StorageUnavailable(
                "The workspace's folder was moved, replaced or removed since it was opened",
                hint="Put it back, or start again with the folder that is meant",
                outcome="unchanged",
            )

    def _require_place(self, folder: Folder, path: FilePath) -> None:
        """Check again that the folder we hold is the one that the path leads to."""
        self._require_root()
        with self._root.folder(path.parent) as now:
            if not now.is_same(folder):
                raise changed(path, "lies in another folder than it did just now")

    @contextmanager
    def _changing(self, path: FilePath, may: May, keep: Keep) -> Iterator[Swap]:
        """Translate the disk's refusals. After a failure of the disk itself, write no more."""
        if self._has_failed:
            raise StorageUnavailable(
                "The disk of the workspace failed; nothing is written until a restart",
                hint="Check the disk, then start again: what was in doubt is settled then",
                outcome="unchanged",
            )
        self._require_root()
        swap = Swap(path, may, keep)
        try:
            yield swap
        except OSError as error:
            if error.errno == errno.EIO or (swap.is_in_doubt and error.errno not in SCARCE):
                self._has_failed = True
            named = str(swap.path)
            raise problems.of_os_error(error, named, in_doubt=swap.is_in_doubt) from error

    @contextmanager
    def _parent(self, path: FilePath, *, make: bool = False) -> Iterator[Folder]:
        """Open the folder a file lies in, making it if asked to."""
        try:
            folder = self._root.folder(path.parent)
        except FileNotFoundError:
            if not make:
                raise FileNotFound(f"{path} does not exist", path=str(path)) from None
            with self._made(path) as folder:
                yield folder
            return
        with folder:
            yield folder

    @contextmanager
    def _made(self, path: FilePath) -> Iterator[Folder]:
        """Make the folders that are missing; if what follows fails, remove them again."""
        made: list[tuple[Folder, str]] = []
        with ExitStack() as stack:
            folder = self._root
            try:
                for name in path.components[:-1]:
                    if folder.make_folder(name):
                        made.append((folder, name))
                        folder.sync()
                    folder = stack.enter_context(folder.folder(name))
                yield folder
            except BaseException:
                for parent, name in reversed(made):
                    with suppress(OSError):  # someone uses it by now
                        parent.remove_folder(name)
                raise

    @contextmanager
    def _written(
        self, folder: Folder, path: FilePath, content: bytes, mode: int | None
    ) -> Iterator[tuple[str, int]]:
        """Write a temporary file beside the target; gives its name and mode, removes it after."""
        name = temporaries.new_name(self._owner, path.name)
        with ExitStack() as stack:
            before = _opened(folder, path.name, stack)
            kept = NEW_FILE_MODE if before is None else S_IMODE(os.fstat(before).st_mode)
            descriptor = folder.create(name, kept)
            stack.callback(folder.unlink, name)
            with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor has no path
                if before is not None:
                    _dress(descriptor, before)
                if mode is not None or before is not None:
                    os.fchmod(descriptor, kept if mode is None else mode)
                file.write(content)
                file.flush()
                sync(descriptor)
                kept = S_IMODE(os.fstat(descriptor).st_mode)
            yield name, kept


@contextmanager
def _given(mode: int | None, folder: Folder, name: str) -> Iterator[None]:
    """Give a file its mode before what follows, and if that fails the one that it had."""
    with ExitStack() as stack:
        descriptor = None if mode is None else _opened(folder, name, stack)
        if mode is None or descriptor is None:
            yield
            return
        had = S_IMODE(os.fstat(descriptor).st_mode)
        os.fchmod(descriptor, mode)
        try:
            sync(descriptor)
            yield
        except BaseException:
            os.fchmod(descriptor, had)
            raise


def _opened(folder: Folder, name: str, stack: ExitStack) -> int | None:
    """Open what is there until the stack unwinds; `None` if nothing is."""
    try:
        descriptor = folder.open(name)
    except FileNotFoundError:
        return None
    stack.callback(os.close, descriptor)
    return descriptor


def _dress(descriptor: int, before: int) -> None:
    """Give a new file the owner, access list and attributes of the one it will replace."""
    old, new = os.fstat(before), os.fstat(descriptor)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with suppress(PermissionError):  # only root may give files away
            os.fchown(descriptor, old.st_uid, old.st_gid)
    if not hasattr(os, "listxattr"):  # macOS
        return
    for name in _attributes(before):
        if name.startswith("user.") or name == "system.posix_acl_access":
            os.setxattr(descriptor, name, os.getxattr(before, name))


def _attributes(descriptor: int) -> list[str]:
    try:
        return os.listxattr(descriptor)
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        return []


def _store_below(root: Path, store: Path | None) -> tuple[str, ...] | None:
    """Say where the store lies below the root: `()` if it encloses it, `None` if elsewhere."""
    if store is None:
        return None
    real = store.resolve()
    if root.is_relative_to(real):
        return ()
    return real.relative_to(root).parts if real.is_relative_to(root) else None
