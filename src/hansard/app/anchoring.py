"""Regularly writes the head of each journal into a file outside the store.

A folder that is rolled back, or a history that is rewritten, cannot be told from the original by
anything that lies in it. Every line of this file is a receipt that `hansard verify` looks for.
"""

import logging
import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from hansard.app.preflight import refused
from hansard.kernel.blob import Digest
from hansard.kernel.engine import Engine, ReadTx
from hansard.kernel.event import Head, Receipt
from hansard.kernel.limits import SHUTDOWN_S
from hansard.kernel.private_files import FILE_MODE, sync_folder
from hansard.kernel.problem import InvalidInput, Problem

EVERY_S = 10.0
"""How often a server notes what is new: after a crash, this much could be rolled back unnoticed."""

LAST_BYTES = 256 * 1024
"""How much of the file's end a starting process reads: some thousand lines."""

_LINE = re.compile(r"(\S+) ([0-9]{1,18}):([0-9a-f]{64})")

logger = logging.getLogger(__name__)


def anchor_file(named: str, store: Path | None) -> Path | None:
    """Give the file that a setting names; one in the store would be rolled back with it."""
    if not named:
        return None
    path = Path(named).expanduser()
    if store is not None and path.resolve().is_relative_to(store.resolve()):
        raise InvalidInput(
            f"anchor_file lies in the store ({path}), and would be rolled back with it",
            hint="Name a file elsewhere, at best on another machine's disk",
            argument="anchor_file",
        )
    return path


def anchors(path: Path, *, last_bytes: int | None = None) -> Iterator[tuple[str, Receipt]]:
    """Iterate over what was noted, or the end of it: each project with a receipt.

    A line that was torn is none.
    """
    try:
        with path.open("rb") as file:
            if last_bytes is not None:
                file.seek(max(0, file.seek(0, os.SEEK_END) - last_bytes))
            for line in file:
                if found := _LINE.fullmatch(line.decode(errors="replace").rstrip("\n")):
                    yield found[1], Receipt(int(found[2]), Digest(found[3]))
    except OSError as error:
        raise refused(error, f"{path} cannot be read") from error


def holds(tx: ReadTx, receipt: Receipt) -> bool:
    """Whether a journal has the entry of a receipt."""
    page = tx.entries(after=receipt.seq - 1, limit=1) if receipt.seq else []
    return any((one.seq, one.hash) == (receipt.seq, receipt.hash) for one in page)


class Anchoring:
    """Notes heads in a file: now and then while a server runs, and at the end of every process."""

    def __init__(self, path: Path) -> None:
        """Note in this file, which is made when first needed."""
        self.path = path
        self._noted: dict[str, Receipt] | None = None
        self._is_told = False
        self._turn = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def follow(self, engine: Engine) -> None:
        """Note what is new every few seconds, until closed."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._serve, args=(engine,), name="anchors", daemon=True
            )
            self._thread.start()

    def close(self, engine: Engine) -> None:
        """Note what is new for the last time."""
        self._stop.set()
        if self._thread:
            self._thread.join(SHUTDOWN_S)
        self.note(engine)

    def note(self, engine: Engine) -> None:
        """Note the ends of journals that have grown; what cannot be noted is reported once."""
        try:
            with self._turn:
                self._note(engine)
        except Problem as problem:
            if not self._is_told:
                self._is_told = True
                logger.error("No anchor can be noted: %s", problem.message)  # noqa: TRY400

    def _serve(self, engine: Engine) -> None:
        self.note(engine)
        while not self._stop.wait(EVERY_S):
            self.note(engine)

    def _note(self, engine: Engine) -> None:
        if self._noted is None:
            there = self.path.exists()
            self._noted = dict(anchors(self.path, last_bytes=LAST_BYTES)) if there else {}
        new = dict(self._new(engine, self._noted))
        if new:
            self._append("".join(f"{name} {at.seq}:{at.hash}\n" for name, at in new.items()))
            self._noted |= new
        self._is_told = False

    def _new(self, engine: Engine, noted: Mapping[str, Receipt]) -> Iterator[tuple[str, Receipt]]:
        heads: dict[str, Head] = engine.heads()
        for project, head in sorted(heads.items()):
            before, now = noted.get(project), Receipt(head.seq, head.hash)
            if before == now:
                continue
            if before and not engine.read(project, lambda tx, one=before: holds(tx, one)):  # type: ignore[misc]
                # Not overwritten, so that the line that shows it stays the last of its project.
                self._tell_rolled_back(project, before)
                continue
            yield project, now

    def _tell_rolled_back(self, project: str, before: Receipt) -> None:
        if not self._is_told:
            self._is_told = True
            logger.error(
                "%s does not have s:%d as %s noted it: it was rolled back or rewritten",
                *(project, before.seq, self.path),
            )

    def _append(self, lines: str) -> None:
        """Append lines, durably; after one that a crash tore, on a line of their own."""
        is_new = not self.path.exists()
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            descriptor = os.open(self.path, flags, FILE_MODE)
            try:
                size = os.fstat(descriptor).st_size
                is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
                os.write(descriptor, (("\n" if is_torn else "") + lines).encode())
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if is_new:
                with suppress(PermissionError):  # the folder exists and belongs to others
                    sync_folder(self.path.parent)
        except OSError as error:
            raise refused(error, f"{self.path} cannot be written") from error
