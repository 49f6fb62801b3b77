"""What the crash tests write besides notes: bodies kept as blobs, and an effect on a file."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from hansard.app import start
from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.kernel.blob import Digest, digest_of, seal
from hansard.kernel.effect import Effect, Intent, Outcome, Owner
from hansard.kernel.engine import Table, WriteTx
from hansard.kernel.event import SYSTEM, Entry, Event, Stamp
from hansard.kernel.operation import (
    Caller,
    Capability,
    Context,
    Operation,
    ProjectRequest,
    Seat,
    Written,
)
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import Store
from hansard.kernel.text import Title
from hansard.kernel.view import Derivation, View
from hansard.sessions import capability as sessions
from tests import toy
from tests.effects import perform

BODIES = Table("crash_bodies")
STAMP = Stamp(SYSTEM, "2026-01-01T00:00:00.000000Z")


class BodyKept(Event):
    """A body was kept under a token; a ticking write."""

    kind: ClassVar[str] = "crash.body_kept.v1"
    advances_tick: ClassVar[bool] = True

    token: str
    body: Digest


class KeepBody(ProjectRequest):
    token: Title
    body: str


class BodySafe(Written):
    token: str

    def text(self) -> str:
        return f"{self.token} kept"


class FileIntended(Intent):
    """A file is about to be replaced."""

    kind: ClassVar[str] = "crash.file_intended.v1"

    name: str
    before: str
    after: str


class FileSettled(Outcome):
    """A file was replaced, or was not."""

    kind: ClassVar[str] = "crash.file_settled.v1"

    result: Literal["done", "aborted", "conflict"]


def keep_body(request: KeepBody, context: Context) -> BodySafe:
    blob = seal(request.body.encode())

    def work(tx: WriteTx) -> BodySafe:
        context.record(tx, BodyKept(token=request.token, body=blob.digest))
        return BodySafe(token=request.token)

    return context.write(work, blobs=[blob])


def replace_file(
    store: Store,
    project: str,
    owner: Owner,
    path: Path,
    text: str,
    *,
    before_acting: Callable[[], None] = lambda: None,
) -> Entry:
    """Replace a file by the protocol; returns the entry of its outcome."""
    before, after = digest_of(path.read_bytes()), digest_of(text.encode())
    intended = FileIntended(owner=owner.name, name=path.name, before=before, after=after)

    def act(intent: Entry) -> FileSettled:
        before_acting()
        try:
            _replace(path, _temporary(path, intent.seq), text)
        except OSError as error:
            raise StorageUnavailable("The file cannot be replaced", outcome="unknown") from error
        return FileSettled(intent=intent.seq, result="done")

    return perform(store, project, STAMP, lambda _: intended, act)[1]


def _replace(path: Path, temporary: Path, text: str) -> None:
    with temporary.open("wb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)
    _sync(path.parent)


def effects(folder: Path) -> list[Effect]:
    """Say how intents are judged about files in this folder, wherever it has been copied."""
    return [Effect(FileIntended, partial(_judge_file, folder))]


def _judge_file(folder: Path, intent: FileIntended, seq: int) -> FileSettled:
    path = folder / intent.name
    _temporary(path, seq).unlink(missing_ok=True)
    found = digest_of(path.read_bytes())
    if found == intent.after:
        return FileSettled(intent=seq, result="done")
    return FileSettled(intent=seq, result="aborted" if found == intent.before else "conflict")


def known() -> Catalog:
    """List what the crash tests can do."""
    return Catalog([sessions.capability(), toy.CAPABILITY, CAPABILITY])


def open_application(location: str | Path, **rest: Any) -> Application:
    """Open a store as the program does, with the toys in its catalog."""
    return start.start(Settings(store=str(location)), known=known(), **rest)


def a_caller(idempotency_key: str | None = None, seat: Seat | None = None) -> Caller:
    """Make someone who may write."""
    return Caller(SYSTEM, seat=seat or Seat(), idempotency_key=idempotency_key)


def _temporary(path: Path, seq: int) -> Path:
    return path.with_name(f".{path.name}.{seq}")


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _body_kept(event: BodyKept, derivation: Derivation) -> None:
    derivation.put(BODIES, event.token, {"body": event.body})


CAPABILITY = Capability(
    "crash",
    (
        Operation(
            "crash_keep", "Keep a body.", KeepBody, BodySafe, keep_body, writes=True, role="agent"
        ),
    ),
    (BodyKept, FileIntended, FileSettled),
    (View("crash", 1, (BODIES,), on={BodyKept: _body_kept}),),
)
