"""Who is a person: whoever proves the secret, and only where none is set whoever claims to be.

The store knows the secret from the first process on that was set up with one: as a digest that is
slow to make, so that neither the settings of another process nor their absence prove anything.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, replace
from typing import ClassVar

from hansard.kernel.engine import ReadTx, Row, Table, WriteTx
from hansard.kernel.event import Actor, Event, Stamp
from hansard.kernel.operation import Caller, Capability, Secret
from hansard.kernel.store import CATALOG, Store
from hansard.kernel.view import Derivation, View

SALT_BYTES = 16
COST, BLOCK, LANES = 2**14, 8, 1
"""Of scrypt: some 50 ms and 16 MiB a try."""

UNPROVED = " (unproved)"
"""What the name ends with of who claims to be a person and has not proved it."""

NAME = "people"
"""Of the capability."""

_KEY = "secret"
VERSION = 1
PEOPLE = Table("people", version=VERSION)
"""In the catalog: the digest of the secret."""


class SecretSet(Event):
    """The secret of this store was set, or changed by who knew the one before."""

    kind: ClassVar[str] = "people.secret_set.v1"

    salt: str
    digest: str

    def summary(self) -> str:
        """Say no more than that."""
        return "The secret was set by which people prove to be people"


def _set(event: SecretSet, derivation: Derivation) -> None:
    derivation.put(PEOPLE, _KEY, event.model_dump(mode="json"))


def capability() -> Capability:
    """Make the capability: it offers no operation, since no agent sets the secret."""
    view = View(NAME, VERSION, (PEOPLE,), on={SecretSet: _set})
    return Capability(NAME, (), (SecretSet,), (view,))


def is_known(store: Store) -> bool:
    """Whether the store knows a secret."""
    return store.read(CATALOG, _row) is not None


def is_right(store: Store, given: str) -> bool:
    """Whether this is the secret that the store knows."""
    row = store.read(CATALOG, _row)
    return row is not None and Verifier(**row)(given)


def keep(store: Store, text: str, stamp: Stamp, *, anew: bool = False) -> None:
    """Have the store know the secret, unless it knows one; `anew` is for who proved that one."""
    if not anew and is_known(store):
        return
    salt = secrets.token_bytes(SALT_BYTES)
    event = SecretSet(salt=salt.hex(), digest=_digest(text, salt).hex())

    def work(tx: WriteTx) -> None:
        if anew or _row(tx) is None:
            store.record(tx, event, stamp)

    store.write(CATALOG, work)


def learn(secret: Secret, store: Store) -> None:
    """Have whoever asks for the secret go by what the store knows, if it knows one."""
    if row := store.read(CATALOG, _row):
        secret.learn(Verifier(**row))


def judged(caller: Caller, *, is_set: bool, is_proved: bool) -> Caller:
    """Say what a caller is, given whether a secret is set and whether it has proved it. Pure.

    Whoever proves it is an admin; an agent is still an agent. Where one is set, nobody is a person
    who has not proved it, on whatever terminal.
    """
    actor = caller.actor
    if is_proved:
        return replace(caller, actor=replace(actor, role="admin"), proof="proved")
    if caller.is_vouched:
        return replace(caller, proof="proved")
    if actor.kind != "human":
        return caller
    if not is_set:
        return replace(caller, proof="unproved")
    role = actor.role if actor.role == "viewer" else "agent"
    claimed = replace(actor, kind="agent", id=actor.id + UNPROVED, role=role)
    return replace(caller, actor=claimed)


def is_unproved(actor: Actor) -> bool:
    """Whether this is somebody who claims to be a person and has not proved it."""
    return actor.kind == "agent" and actor.id.endswith(UNPROVED)


@dataclass(frozen=True, slots=True)
class Verifier:
    """What a store knows of its secret."""

    salt: str
    digest: str

    def __call__(self, given: str) -> bool:
        """Whether this is it; compared in constant time."""
        digest = _digest(given, bytes.fromhex(self.salt))
        return hmac.compare_digest(digest, bytes.fromhex(self.digest))


def _digest(text: str, salt: bytes) -> bytes:
    known = text.encode(errors="surrogatepass")
    return hashlib.scrypt(known, salt=salt, n=COST, r=BLOCK, p=LANES)


def _row(tx: ReadTx) -> Row | None:
    return tx.get(PEOPLE, _KEY)
