"""People whom the company's identity provider vouches for, each with a name of their own.

A provider knows people by a subject that never changes, and calls them by names that do. The
catalog keeps each person's first name, so that nobody signs as somebody else after a renaming. A
barred person is refused on every server, whatever the provider says.
"""

from collections.abc import Callable, Collection, Iterable
from hashlib import sha256
from typing import ClassVar

from hansard.kernel.engine import ReadTx, Row, Table, WriteTx
from hansard.kernel.event import Event, Proof, Stamp
from hansard.kernel.operation import Capability
from hansard.kernel.problem import InvalidInput, PermissionDenied
from hansard.kernel.store import CATALOG, Store
from hansard.kernel.view import Derivation, View

PREFIX = "sso-"
"""The prefix of an identity's id; no token's id has it."""

ID_CHARS = 16
TAG_CHARS = 8
"""How much of an id is appended to a name that somebody else has already."""

NAME_CHARS_MAX = 80
UNFIT = frozenset("()")
"""Brackets, which enclose what a client calls itself."""

IDENTITIES_MAX = 100_000


class IdentityKnown(Event):
    """Somebody came for the first time for whom the provider vouched."""

    kind: ClassVar[str] = "identities.identity_known.v1"

    id: str
    issuer: str
    sub: str
    """The id by which the issuer knows them."""
    name: str

    def summary(self) -> str:
        """Name who came."""
        return f"{self.name} came by single sign-on for the first time, as {self.id}"

    def subject(self) -> str:
        """Give the identity's id."""
        return self.id


class IdentityBarred(Event):
    """Somebody is no longer let in, whatever the provider says."""

    kind: ClassVar[str] = "identities.identity_barred.v1"

    id: str
    proof: Proof | None = None

    def summary(self) -> str:
        """Name the identity."""
        return f"{self.id} was barred: it comes in by single sign-on no more"

    def subject(self) -> str:
        """Give the identity's id."""
        return self.id


class IdentityAdmitted(Event):
    """Somebody who was barred is let in again."""

    kind: ClassVar[str] = "identities.identity_admitted.v1"

    id: str
    proof: Proof | None = None

    def summary(self) -> str:
        """Name the identity."""
        return f"{self.id} may come in by single sign-on again"

    def subject(self) -> str:
        """Give the identity's id."""
        return self.id


EVENTS: tuple[type[Event], ...] = (IdentityKnown, IdentityBarred, IdentityAdmitted)

VERSION = 1
IDENTITIES = Table("identities", {"name": "text"}, (("name",),), version=VERSION)
"""In the catalog: everybody who ever came by single sign-on, by id."""


def _known(event: IdentityKnown, derivation: Derivation) -> None:
    row = event.model_dump(mode="json") | {"since": derivation.entry.at, "barred": None}
    derivation.put(IDENTITIES, event.id, row)


def _barred(event: IdentityBarred, derivation: Derivation) -> None:
    _set_barred(event.id, derivation.entry.at, derivation)


def _admitted(event: IdentityAdmitted, derivation: Derivation) -> None:
    _set_barred(event.id, None, derivation)


def _set_barred(identity: str, barred: str | None, derivation: Derivation) -> None:
    row = derivation.get(IDENTITIES, identity)
    assert row is not None, "an identity was barred or admitted that never came"
    derivation.put(IDENTITIES, identity, row | {"barred": barred})


_VIEW = View(
    "identities",
    VERSION,
    (IDENTITIES,),
    on={IdentityKnown: _known, IdentityBarred: _barred, IdentityAdmitted: _admitted},
)


def capability(events: Iterable[type[Event]] = (), views: Iterable[View] = ()) -> Capability:
    """Make the capability: it offers no operation, since no agent says who is let in.

    `events` and `views` are of what rests on identities.
    """
    return Capability("identities", (), (*EVENTS, *events), (_VIEW, *views))


def is_derived(store: Store) -> bool:
    """Whether a store was opened with what it may know of identities; a smaller one may not."""
    return store.has(IDENTITIES)


def is_id(text: str) -> bool:
    """Whether this is the id of an identity, and no token's."""
    return text.startswith(PREFIX)


def id_of(issuer: str, subject: str) -> str:
    """Give the id of an issuer's subject: the same subject of another issuer has another id."""
    text = f"{len(issuer)}:{issuer}{subject}"
    return PREFIX + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:ID_CHARS]


def find(store: Store, identity: str) -> Row | None:
    """Find who came before under an id."""
    return store.read(CATALOG, lambda tx: tx.get(IDENTITIES, identity))


def meet(
    store: Store,
    came: IdentityKnown,
    stamp: Stamp,
    is_taken: Callable[[ReadTx, str], bool],
) -> Row:
    """Register somebody, under the name they have or one like it that nobody else has."""

    def work(tx: WriteTx) -> Row:
        if (there := tx.get(IDENTITIES, came.id)) is not None:
            return there
        is_free = not (is_taken(tx, came.name) or has_name(tx, came.name))
        name = came.name if is_free else f"{came.name}-{came.id[len(PREFIX) :][:TAG_CHARS]}"
        store.record(tx, came.model_copy(update={"name": name}), stamp)
        row = tx.get(IDENTITIES, came.id)
        assert row is not None, "somebody came and is not known"
        return row

    return store.write(CATALOG, work)


def has_name(tx: ReadTx, name: str) -> bool:
    """Whether somebody uses a name."""
    return bool(tx.scan(IDENTITIES, {"name": name}, limit=1))


def made_fit(name: str, identity: str) -> str:
    """Turn a provider's name for somebody into one that can sign. Pure."""
    kept = "".join(char for char in name if char.isprintable() and char not in UNFIT)
    return " ".join(kept.split())[:NAME_CHARS_MAX].strip() or identity


def every(store: Store) -> list[Row]:
    """List everybody who ever came, the earliest first."""
    if not is_derived(store):
        return []
    found = store.read(CATALOG, lambda tx: tx.scan(IDENTITIES, limit=IDENTITIES_MAX))
    return sorted((one.row for one in found), key=lambda row: (row["since"], row["id"]))


def barred(store: Store, identities: Collection[str]) -> set[str]:
    """Say which of these are barred; an unknown identity is not."""

    def work(tx: ReadTx) -> set[str]:
        rows = {one: tx.get(IDENTITIES, one) for one in identities}
        return {one for one, row in rows.items() if row is not None and row["barred"] is not None}

    return store.read(CATALOG, work) if identities and is_derived(store) else set()


def bar(store: Store, identity: str, stamp: Stamp, proof: Proof | None = None) -> Row:
    """Bar somebody, from the next request on and on every server."""
    return _change(store, identity, stamp, IdentityBarred(id=identity, proof=proof))


def admit(store: Store, identity: str, stamp: Stamp, proof: Proof | None = None) -> Row:
    """Let somebody in again who was barred."""
    return _change(store, identity, stamp, IdentityAdmitted(id=identity, proof=proof))


def _change(
    store: Store, identity: str, stamp: Stamp, event: IdentityBarred | IdentityAdmitted
) -> Row:
    if not stamp.actor.may("admin"):
        raise PermissionDenied("Saying who comes in needs the role admin", role=stamp.actor.role)

    def work(tx: WriteTx) -> Row:
        row = tx.get(IDENTITIES, identity)
        if row is None:
            raise InvalidInput(
                f"Nobody came by single sign-on as {identity[:100]}",
                hint="`hansard sso list` shows the ids of those who did",
                argument="id",
            )
        if (row["barred"] is None) == isinstance(event, IdentityBarred):
            store.record(tx, event, stamp)
        now = tx.get(IDENTITIES, identity)
        assert now is not None, "an identity was changed and is gone"
        return now

    return store.write(CATALOG, work)
