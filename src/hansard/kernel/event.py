"""Events are facts. Entries are events with their place in the journal and the hash chain."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import orjson
from pydantic import ConfigDict

from hansard.kernel.blob import Digest, canonical_json, digest_of
from hansard.kernel.model import Model
from hansard.kernel.problem import ProjectUnavailable

ActorKind = Literal["human", "agent", "system"]
Role = Literal["viewer", "agent", "admin"]
Proof = Literal["proved", "unproved"]
"""Whether a person proved to be one, or only claims it because no secret is set."""

ROLES: tuple[Role, ...] = ("viewer", "agent", "admin")
"""From the least to the most powerful."""

REDACTED = b"\0"
"""The beginning of a redacted entry's stored payload; no JSON begins so."""


class Event(Model):
    """A fact, in the past tense: closed, small and never edited once published.

    A changed shape is a new kind (`….v2`) with an upgrade from the old one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: ClassVar[str]
    advances_tick: ClassVar[bool] = False
    activity: ClassVar[str | None] = None
    """The name under which the project's activity lists this event; `None` keeps it out."""
    rewrites: ClassVar[bool] = False
    """Whether it changes the meaning of earlier entries, so that their derived rows are void."""

    def summary(self) -> str:
        """Say in one line what happened, for people reading the log."""
        return self.kind.rsplit(".", 2)[-2].replace("_", " ")

    def subject(self) -> str | None:
        """Name the record, file or other thing that this happened to, if any."""
        return None


@dataclass(frozen=True, slots=True)
class Actor:
    """Who did it, as the connection proved, never as an argument claimed."""

    kind: ActorKind
    id: str
    role: Role

    def __str__(self) -> str:
        """Give the author as every answer shows it: `agent:claude-code`."""
        return f"{self.kind}:{self.id}"

    def may(self, least: Role) -> bool:
        """Whether this actor's role reaches `least`."""
        return ROLES.index(self.role) >= ROLES.index(least)


SYSTEM = Actor("system", "hansard", "admin")


@dataclass(frozen=True, slots=True)
class Stamp:
    """Who, when and under which session: the circumstances of an event."""

    actor: Actor
    at: str
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a project's journal."""

    seq: int
    tick: int
    hash: Digest
    clock: str
    """The latest time of any entry: a clock that is set back does not move it."""
    views: str = ""
    """The versions of the views that derived the project's tables."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof of an acknowledged write: with it, a later loss or rewrite can be shown."""

    seq: int
    hash: Digest


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal. If its payload is redacted, the payload's digest stays.

    A redacted payload is `None`, or, where later entries build on this one, a stand-in: a mark and
    the rest of the payload.
    """

    project: str
    seq: int
    tick: int
    at: str
    clock: str
    kind: str
    session: str | None
    actor: Actor
    payload: bytes | None
    payload_digest: Digest
    hash: Digest

    @classmethod
    def following(cls, head: Head, project: str, event: Event, stamp: Stamp) -> Self:
        """Make the entry that records `event` right after `head`."""
        payload = canonical_json(event.model_dump(mode="json"))
        digest = digest_of(payload)
        seq, tick = head.seq + 1, head.tick + event.advances_tick
        place = (project, seq, tick, stamp.at, event.kind, stamp.session)
        return cls(
            project=project,
            seq=seq,
            tick=tick,
            at=stamp.at,
            clock=max(head.clock, stamp.at),
            kind=event.kind,
            session=stamp.session,
            actor=stamp.actor,
            payload=payload,
            payload_digest=digest,
            hash=_chained(head.hash, place, stamp.actor, digest),
        )

    def hash_after(self, previous: Digest) -> Digest:
        """Hash this header onto the chain. The payload enters by digest, so it can be redacted."""
        place = (self.project, self.seq, self.tick, self.at, self.kind, self.session)
        return _chained(previous, place, self.actor, self.payload_digest)

    def follows(self, head: Head, *, advances: bool | None) -> bool:
        """Whether this is the next entry after `head`, whole and unaltered: the rule of the chain.

        `advances` says whether its kind moves the tick; `None` means that the kind is unknown, so
        it may.
        """
        moved = self.tick - head.tick
        return (
            self.seq == head.seq + 1
            and self.hash == self.hash_after(head.hash)
            and self.payload_is_sound()
            and (moved in (0, 1) if advances is None else moved == advances)
            and self.clock == max(head.clock, self.at)
        )

    def as_head(self) -> Head:
        """Give the end of the journal whose last entry this is."""
        return Head(self.seq, self.tick, self.hash, self.clock)

    @property
    def is_redacted(self) -> bool:
        """Whether the payload has been erased."""
        return self.payload is None or self.payload.startswith(REDACTED)

    @property
    def body(self) -> bytes | None:
        """Give the payload, or what stands in for it; `None` if nothing does."""
        return self.payload.removeprefix(REDACTED) if self.payload is not None else None

    def redacted(self, stand_in: bytes | None) -> Self:
        """Give this entry without its payload."""
        return replace(self, payload=None if stand_in is None else REDACTED + stand_in)

    def payload_is_sound(self) -> bool:
        """Whether the payload matches its digest, or has been redacted."""
        if self.payload is None or digest_of(self.payload) == self.payload_digest:
            return True
        return self.payload.startswith(REDACTED)


def _chained(
    previous: Digest,
    place: tuple[str, int, int, str, str, str | None],
    actor: Actor,
    payload_digest: Digest,
) -> Digest:
    who = (actor.kind, actor.id, actor.role)
    return digest_of(orjson.dumps((previous, *place, who, payload_digest)))


def genesis(project: str) -> Head:
    """Give the head of a journal that has no entries yet."""
    return Head(seq=0, tick=0, hash=digest_of(f"hansard:{project}".encode()), clock="")


Upgrade = Callable[[dict[str, Any]], Event]


@dataclass(frozen=True, slots=True)
class DeclaredKind:
    """A kind of event as the catalog file lists it; its class is loaded with the first event."""

    kind: str
    advances_tick: bool
    rewrites: bool
    load: Callable[[], type[Event]]


class Kinds:
    """Every kind of event this program can read, and how older shapes become newer ones."""

    def __init__(
        self,
        events: Iterable[type[Event] | DeclaredKind],
        upgrades: dict[str, Upgrade] | None = None,
    ) -> None:
        """Register these events; `upgrades` maps a retired kind to its upgrade function."""
        self._events: dict[str, type[Event] | DeclaredKind] = {}
        for event in events:
            assert event.kind not in self._events, f"two events are called {event.kind}"
            self._events[event.kind] = event
        self._upgrades = upgrades or {}

    def __iter__(self) -> Iterator[type[Event]]:
        """Iterate over the known events, which loads all of them."""
        return map(self._loaded, list(self._events))

    def advances(self, kind: str) -> bool | None:
        """Whether entries of this kind move the tick; `None` where the kind is not known."""
        event = self._events.get(kind)
        return event.advances_tick if event else None

    @property
    def rewriting(self) -> set[str]:
        """Name the kinds that change the meaning of earlier entries."""
        return {event.kind for event in self._events.values() if event.rewrites}

    def knows(self, kind: str) -> bool:
        """Whether entries of this kind can be read; those of a newer Hansard cannot."""
        return kind in self._events or kind in self._upgrades

    def decode(self, entry: Entry) -> Event | None:
        """Read an entry's event. `None` means that it was redacted without a stand-in."""
        if entry.body is None:
            return None
        fields = orjson.loads(entry.body)
        if entry.kind in self._upgrades:
            return self._upgrades[entry.kind](fields)
        if entry.kind not in self._events:
            raise ProjectUnavailable(
                "This project has been written by a newer Hansard than this one",
                hint="Restart with the newer version; nothing was changed",
                kind=entry.kind,
            )
        return self._loaded(entry.kind).model_validate(fields)

    def _loaded(self, kind: str) -> type[Event]:
        event = self._events[kind]
        if isinstance(event, DeclaredKind):
            # Two threads may both do it: they load the same.
            event = self._events[kind] = event.load()
        return event
