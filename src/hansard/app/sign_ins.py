"""Sign-ins: whom the provider vouched for, in which browser, and until when.

They are in the catalog, so a browser that signed in on one server is known on every other, and one
that signed out, or was barred, on none. The store keeps the digest of a cookie, never the cookie.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from hansard.app.identities import IDENTITIES
from hansard.kernel.engine import Found, ReadTx, Row, Table, WriteTx
from hansard.kernel.event import Event, Stamp
from hansard.kernel.store import CATALOG, Store
from hansard.kernel.view import Derivation, View

OF_ONE_MAX = 50
"""The most browsers in which one person is signed in; the sign-in that ends first makes room."""

GROUPS_KEPT_MAX = 100
"""The most groups that are kept: only those that the settings' table names."""


class SignedIn(Event):
    """Somebody signed in on the page."""

    kind: ClassVar[str] = "identities.signed_in.v1"

    digest: str
    """The digest of the browser's cookie."""
    identity: str
    groups: list[str]
    until: str

    def summary(self) -> str:
        """Name who it was."""
        return f"{self.identity} signed in on the page until {self.until}"

    def subject(self) -> str:
        """Give the identity's id."""
        return self.identity


class SignedOut(Event):
    """Somebody signed out in one browser."""

    kind: ClassVar[str] = "identities.signed_out.v1"

    digest: str
    identity: str

    def summary(self) -> str:
        """Name who it was."""
        return f"{self.identity} signed out on the page"

    def subject(self) -> str:
        """Give the identity's id."""
        return self.identity


EVENTS: tuple[type[Event], ...] = (SignedIn, SignedOut)

VERSION = 1
SIGN_INS = Table("sign_ins", {"identity": "text"}, (("identity",),), version=VERSION)
"""In the catalog: the browsers in which somebody is signed in, by the digest of their cookie."""


@dataclass(frozen=True, slots=True)
class SignIn:
    """Somebody in a browser."""

    digest: str
    identity: str
    issuer: str
    sub: str
    name: str
    groups: Collection[str]
    until: str


def _signed_in(event: SignedIn, derivation: Derivation) -> None:
    there = derivation.scan(SIGN_INS, {"identity": event.identity}, limit=OF_ONE_MAX + 1)
    by_end = sorted(there, key=lambda found: (found.row["until"], found.key))
    over = [found for found in by_end if found.row["until"] <= derivation.entry.at]
    too_many = by_end[: max(0, len(by_end) - OF_ONE_MAX + 1)]
    for key in {found.key for found in (*over, *too_many)}:
        derivation.delete(SIGN_INS, key)
    row = event.model_dump(mode="json") | {"since": derivation.entry.at}
    derivation.put(SIGN_INS, event.digest, row)


def _signed_out(event: SignedOut, derivation: Derivation) -> None:
    derivation.delete(SIGN_INS, event.digest)


VIEW = View("sign_ins", VERSION, (SIGN_INS,), on={SignedIn: _signed_in, SignedOut: _signed_out})


def begin(store: Store, event: SignedIn, stamp: Stamp) -> None:
    """Sign a browser in, on every server."""
    store.write(CATALOG, lambda tx: store.record(tx, event, stamp))


def find(store: Store, digest: str) -> SignIn | None:
    """Find who signed in where a cookie of this digest was given."""

    def work(tx: ReadTx) -> SignIn | None:
        row = tx.get(SIGN_INS, digest)
        who = tx.get(IDENTITIES, row["identity"]) if row else None
        if row is None or who is None:
            return None
        told = who["issuer"], who["sub"], who["name"]
        return SignIn(digest, row["identity"], *told, row["groups"], row["until"])

    return store.read(CATALOG, work)


def end(store: Store, digest: str, stamp: Stamp) -> None:
    """Sign a browser out, on every server."""

    def work(tx: WriteTx) -> None:
        row: Row | None = tx.get(SIGN_INS, digest)
        if row is not None:
            store.record(tx, SignedOut(digest=digest, identity=row["identity"]), stamp)

    store.write(CATALOG, work)


def end_all(store: Store, identity: str, stamp: Stamp) -> int:
    """Sign somebody out in every browser; gives how many there were."""

    def work(tx: WriteTx) -> int:
        there: list[Found] = tx.scan(SIGN_INS, {"identity": identity}, limit=OF_ONE_MAX + 1)
        for found in there:
            store.record(tx, SignedOut(digest=found.key, identity=identity), stamp)
        return len(there)

    return store.write(CATALOG, work)
