"""The side of a push or a pull that answers, for its store.

Each message is an object, perhaps with some bytes, and is answered by one. That is all that a
folder, a program at the other end of a pipe and a server have to carry. A transfer is kept in a
folder of temporary files, and moves in pieces that fit a request.
"""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from hansard.app import people
from hansard.app.application import Application
from hansard.app.erasure_events import Redacted
from hansard.app.keeping import parts
from hansard.app.keeping.bundle import reading, said_by
from hansard.kernel.blob import Digest
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Stamp
from hansard.kernel.limits import MIB
from hansard.kernel.model import Model
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, PermissionDenied
from hansard.kernel.text import Id
from hansard.sessions import projects
from hansard.sessions.contract import ProjectExists, ProjectNotFound

PIECE_BYTES_MAX = 8 * MIB
"""What one message carries."""

PART_BYTES_MAX = 64 * 1024 * MIB
ON_THE_WAY_MAX = 8
"""Parts that may be in transfer at the same time."""

LEFT_S = 3_600.0
"""After this long without a message, a part is given up."""

DIGESTS_MAX = 50_000
"""The most in one message; more take several."""

SEQS_MAX = 1_000

Answer = tuple[dict[str, Any], bytes]


class Message(Model):
    """What can be asked. What a field means is said where it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    do: str
    project: Id
    seqs: list[int] = Field(default_factory=list, max_length=SEQS_MAX)
    after: int = Field(default=0, ge=0)
    until: int = Field(default=0, ge=0)
    digests: list[str] = Field(default_factory=list, max_length=DIGESTS_MAX)
    way: str | None = None
    """The part in transfer that is meant."""
    offset: int = Field(default=0, ge=0)


@dataclass(slots=True)
class _Way:
    path: Path
    project: str
    whose: str
    heard: float
    wanted: list[Digest] = field(default_factory=list)


@dataclass(slots=True)
class Exchange:
    """Answers for one store. Transfers lie in `folder`, which its maker removes."""

    application: Application
    folder: Path
    is_own: bool = False
    """Whether the caller could open the store directly, and so needs no role to read it."""
    ways: dict[str, _Way] = field(default_factory=dict)
    timer: Callable[[], float] = time.monotonic

    def answer(self, told: Mapping[str, Any], body: bytes, caller: Caller) -> Answer:
        """Do what a message asks for, for a caller who may."""
        try:
            message = Message.model_validate(told)
        except ValidationError as error:
            raise InvalidInput(f"The message is none: {said_by(error)}") from None
        caller = self.application.judged(caller)
        is_let = self.is_own or (caller.actor.may("admin") and caller.sees(message.project))
        if not is_let:
            raise PermissionDenied("Projects are pushed and pulled by admins who see them")
        doing: Mapping[str, Callable[[Message, bytes, Caller], Answer]] = {
            "look": self._look,
            "hashes": self._hashes,
            "since": self._since,
            "lacking": self._lacking,
            "named": self._named,
            "open": self._open,
            "want": self._want,
            "make": self._make,
            "get": self._get,
            "put": self._put,
            "take": self._take,
        }
        if message.do not in doing:
            raise InvalidInput(f"Nothing is called {message.do[:40]!r} here")
        return doing[message.do](message, body, caller)

    def _look(self, message: Message, _: bytes, caller: Caller) -> Answer:
        """Say where the project ends here."""
        store = self.application.store
        found = projects.find(store, message.project)
        if found and found.key != message.project:
            raise ProjectExists(f"A project was once called {message.project} there")
        head = parts.head_of(store, message.project)
        needs = head.seq > 0 and people.known(store) is not None and caller.proof != "proved"
        return {"seq": head.seq, "hash": head.hash, "needs_proof": needs}, b""

    def _hashes(self, message: Message, _: bytes, _caller: Caller) -> Answer:
        """Give the hashes of the entries `seqs`."""
        found = parts.hashes_at(self.application.store, message.project, set(message.seqs))
        return {"hashes": {str(seq): digest for seq, digest in found.items()}}, b""

    def _since(self, message: Message, _: bytes, _caller: Caller) -> Answer:
        """Summarize what happened after an entry."""
        return since(self.application, message.project, message.after), b""

    def _lacking(self, message: Message, _: bytes, _caller: Caller) -> Answer:
        """Say which of the blobs `digests` are not here."""
        wanted = [Digest(one) for one in message.digests]
        return {"digests": parts.lacking(self.application.store, message.project, wanted)}, b""

    def _named(self, message: Message, _: bytes, _caller: Caller) -> Answer:
        """Say which blobs what came after an entry rests on, some at a time."""
        self._require(message.project)
        store, span = self.application.store, (message.after, message.until)
        found = parts.named_between(store, message.project, *span)
        page = found[message.offset : message.offset + DIGESTS_MAX]
        return {"digests": page, "total": len(found)}, b""

    def _open(self, message: Message, _: bytes, caller: Caller) -> Answer:
        """Begin a part that is to come, or to be made."""
        self._give_up()
        if len(self.ways) >= ON_THE_WAY_MAX:
            raise InvalidInput("Too many parts are on their way", hint="Try again later")
        name = secrets.token_hex(16)
        whose = str(caller.actor)
        self.ways[name] = _Way(self.folder / name, message.project, whose, self.timer())
        return {"way": name}, b""

    def _want(self, message: Message, _: bytes, caller: Caller) -> Answer:
        """Take the list of blobs for the part that is to be made."""
        self._way(message, caller).wanted += [Digest(one) for one in message.digests]
        return {}, b""

    def _make(self, message: Message, _: bytes, caller: Caller) -> Answer:
        """Make the part that goes on after an entry, until another."""
        self._require(message.project)
        way, store = self._way(message, caller), self.application.store
        span = message.after, message.until
        # A read-only store takes no pushes, so it need not note who has its entries.
        notes = not self.application.read_only
        parts.write_part(store, way.project, way.path, span, way.wanted, notes=notes)
        return {"bytes": way.path.stat().st_size}, b""

    def _get(self, message: Message, _: bytes, caller: Caller) -> Answer:
        """Give a piece of a part."""
        way = self._way(message, caller)
        with way.path.open("rb") as file:
            file.seek(message.offset)
            piece = file.read(PIECE_BYTES_MAX)
        return {"bytes": len(piece)}, piece

    def _put(self, message: Message, body: bytes, caller: Caller) -> Answer:
        """Take a piece of a part, right after the one before."""
        way = self._way(message, caller)
        with way.path.open("ab") as file:
            if file.tell() != message.offset or message.offset + len(body) > PART_BYTES_MAX:
                raise InvalidInput("The piece does not go on from the one before")
            file.write(body)
        return {}, b""

    def _take(self, message: Message, _: bytes, caller: Caller) -> Answer:
        """Take the part in that has come."""
        way, store = self._way(message, caller), self.application.store
        with reading(way.path) as bundle:
            if bundle.opening.project != way.project:
                raise InvalidInput("The part is of another project than it was sent for")
        if self.application.read_only:
            raise PermissionDenied("This server only reads")
        if line := projects.line(store, way.project):
            projects.require_open(line)
        require_proof(self.application, way.project, caller)
        taken = parts.take_part(store, way.path, Stamp(caller.actor, to_text(utc_now())))
        self._end(str(message.way))
        told = {"seq": taken.head.seq, "hash": taken.head.hash, "entries": taken.entries}
        return told | {"blobs": taken.blobs}, b""

    def _way(self, message: Message, caller: Caller) -> _Way:
        way = self.ways.get(message.way or "")
        if way is None or (way.project, way.whose) != (message.project, str(caller.actor)):
            raise InvalidInput("There is no such part on its way", hint="Begin again")
        way.heard = self.timer()
        return way

    def _require(self, project: str) -> None:
        if project not in self.application.store.engine.heads():
            raise ProjectNotFound(f"There is no project {project} there", project_id=project)

    def _give_up(self) -> None:
        for name, way in list(self.ways.items()):
            if self.timer() - way.heard > LEFT_S:
                self._end(name)

    def _end(self, name: str) -> None:
        way = self.ways.pop(name, None)
        if way:
            way.path.unlink(missing_ok=True)


def require_proof(application: Application, project: str, judged: Caller) -> None:
    """Refuse entries for a project that is there, where people prove to be people, to others.

    They would read as if they had been written here, people's decisions included.
    """
    store = application.store
    is_there = parts.head_of(store, project).seq > 0
    if is_there and people.known(store) and judged.proof != "proved":
        raise PermissionDenied(
            f"Only a person may take entries into {project}, which is there",
            hint="Give the secret of that store, or use a token of somebody who proved it",
            needs="secret",
        )


def since(application: Application, project: str, after: int) -> dict[str, Any]:
    """Say what happened in a project after an entry: how much, when, by whom, what was erased."""

    def work(tx: ReadTx) -> dict[str, Any]:
        head = tx.head()
        first, last = tx.entries(after=after, limit=1), tx.entries(limit=1, descending=True)
        erased = tx.entries(after=after, limit=100, kinds={Redacted.kind})
        told: dict[str, Any] = {"entries": head.seq - after, "redactions": len(erased)}
        if first and head.seq > after:
            told |= {"first": first[0].at, "last": last[0].at, "by": str(last[0].actor)}
        return told

    return application.store.engine.read(project, work)
