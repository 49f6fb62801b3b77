"""What can be cited: anything with an id, and files of the workspace."""

import os
import re
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from stat import S_ISLNK

from hansard.app import workspaces
from hansard.app.search_sources import THINGS
from hansard.decisions.git.history import COMMITS
from hansard.decisions.tables import DECISIONS
from hansard.decisions.targets import anchor, matches
from hansard.decisions.unmatched_targets import KnownThings
from hansard.entities.tables import TABLES, THREADS
from hansard.kernel.engine import ReadTx
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.recorder.gateway import Gateway
from hansard.records.views import RECORDS

FILES_MAX = 50_000
"""The most files that are checked; in a larger workspace a glob may match others."""

_COMMIT, _PATH = "commit:", "path:"
_ENTRY = re.compile(r"s:([1-9][0-9]{0,17})")
_HIDDEN = {".git", "node_modules", ".venv"}
"""Large folders, whose files nobody decides about one by one."""


def surroundings(workspace: Path) -> KnownThings:
    """Give what there is around the decisions about a workspace."""
    return KnownThings(partial(is_file_named, workspace))


def is_file_named(workspace: Path, glob: str) -> bool:
    """Whether a glob names a file from the workspace's root on, or from its repository's top on."""
    return has_file(workspace, glob) or has_file(workspaces.top_of(workspace), glob)


def is_known(opened: Callable[[], Gateway], tx: ReadTx, ref: str) -> bool:
    """Whether something cited is there; `opened` gives a handle on the workspace."""
    if entry := _ENTRY.fullmatch(ref):
        return int(entry[1]) <= tx.head().seq
    if ref.startswith(_COMMIT):
        return tx.get(COMMITS, ref.removeprefix(_COMMIT)) is not None
    # An entity's id begins with its type; threads alone have a table of another name.
    of_entities = TABLES.get(ref.partition("::")[0], THREADS)
    if any(tx.get(table, ref) is not None for table in (DECISIONS, RECORDS, THINGS, of_entities)):
        return True
    return ref.startswith(_PATH) and _exists(opened, ref.removeprefix(_PATH))


def has_file(workspace: Path, glob: str) -> bool:
    """Whether a glob names a file there is, or may name one of too many to look at."""
    beginning = anchor(glob)
    if not beginning.endswith("/") and beginning:
        try:
            return (workspace / beginning).is_file()
        except OSError:  # no file can have this name, or nobody may look there
            return False
    seen = 0
    for folder, folders, files in os.walk(workspace / beginning):
        folders[:] = [name for name in folders if name not in _HIDDEN]
        here = Path(folder).relative_to(workspace)
        if any(matches(glob, (here / name).as_posix()) for name in files):
            return True
        seen += len(files) + len(folders)
        if seen > FILES_MAX:
            return True
    return False


def _exists(opened: Callable[[], Gateway], path: str) -> bool:
    """Whether a file or a folder is there, as an agent may know: no other is told of."""
    if path.startswith("/"):
        return False
    with closing(opened()) as gateway:
        try:
            found = gateway.workspace
            stat = found.stat(found.resolve(path.removesuffix("/"), for_agent=True))
        except StorageUnavailable:  # nobody can say that it is not
            return True
        except Problem:
            return False
    return stat is not None and not S_ISLNK(stat.st_mode)
