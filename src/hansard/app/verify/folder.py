"""The store's folder: files that other users could write to."""

import stat
from collections.abc import Iterator
from pathlib import Path

from hansard.app.file_permissions import own_in
from hansard.app.verify.report import Findings
from hansard.kernel.store import CATALOG

WRITABLE = stat.S_IWGRP | stat.S_IWOTH


def check_folder(folder: Path, findings: Findings) -> None:
    """Look for what others can write to. What they cannot reach hides what lies below it."""
    try:
        found = list(_writable(folder))
    except OSError as error:
        message = f"Who can write to the store cannot be looked at: {error.strerror}"
        findings.unreadable("folder", CATALOG, message)
        return
    if found:
        more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
        remedy = "the next start closes what Hansard made; `chmod go-w` closes it now"
        findings.drift("folder", CATALOG, f"Other users can write to {found[0]}{more}: {remedy}")


def _writable(folder: Path) -> Iterator[Path]:
    if _is_writable(folder):
        yield folder
    for top in own_in(folder):
        if not _is_writable(top):
            continue
        yield top
        if top.is_dir() and not top.is_symlink():
            yield from (path for path in sorted(top.rglob("*")) if _is_writable(path))


def _is_writable(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:  # removed since
        return False
    # In a folder such as /tmp nobody but its owner can replace a file.
    is_shared = stat.S_ISDIR(mode) and bool(mode & stat.S_ISVTX)
    return bool(mode & WRITABLE) and not stat.S_ISLNK(mode) and not is_shared
