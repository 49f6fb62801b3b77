"""Who counts as a person: callers that prove the secret, or, where none is set, any that claim it.

A person types the secret once, and the store keeps a slow digest of it. A process's own settings
prove nothing to another process, nor that anyone is a person, because anyone who starts a process
chooses them.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from hansard.kernel.engine import ReadTx, Row, Table, WriteTx
from hansard.kernel.event import Actor, Event, Proof, Stamp
from hansard.kernel.operation import Caller, Capability
from hansard.kernel.problem import Problem
from hansard.kernel.secret import Secret
from hansard.kernel.store import CATALOG, Store
from hansard.kernel.view import Derivation, View

SALT_BYTES = 16
COST, BLOCK, LANES = 2**14, 8, 1
"""Of scrypt: some 50 ms and 16 MiB a try."""

UNPROVED = " (unproved)"
"""The suffix of a name whose bearer claims to be a person and has not proved it."""

NAME = "people"
"""The capability's name."""

RECOVERY_WAIT_S = 24 * 3600
"""How long a recovery waits where nobody said otherwise."""

VERSION = 2
PEOPLE = Table("people", version=VERSION)
"""In the catalog: the digest of the secret, and of one that is to replace a lost secret."""

SECRET, RECOVERY = "secret", "recovery"

How = Literal["typed", "recovered"]


class SecretKnown(Problem):
    """The store's secret was set meanwhile."""

    code, http_status = "SECRET_KNOWN", 409
    hint = "Run `hansard secret` to see who set it and when"


class SecretSet(Event):
    """The secret of this store was set, or changed by somebody who knew the one before."""

    kind: ClassVar[str] = "people.secret_set.v1"

    salt: str
    digest: str
    how: How | None = None
    """`None` of entries from when a process taught the store what it was started with."""
    proof: Proof | None = None
    """Whether whoever set it had proved the one before."""
    wait_s: int = RECOVERY_WAIT_S
    """How long the owner of a lost secret waits until a new one counts."""

    def summary(self) -> str:
        """Say only that."""
        return "The secret was set by which people prove to be people"


class RecoveryBegun(Event):
    """Somebody who does not know the secret wants another one to replace it, after a while."""

    kind: ClassVar[str] = "people.recovery_begun.v1"

    salt: str
    digest: str
    counts_from: str

    def summary(self) -> str:
        """Say what happens unless somebody objects."""
        return f"The secret is to be replaced as lost, from {self.counts_from} on"


class RecoveryCancelled(Event):
    """Somebody who knows the secret stopped its replacement."""

    kind: ClassVar[str] = "people.recovery_cancelled.v1"

    def summary(self) -> str:
        """Say that it stays."""
        return "The secret stays: its replacement was cancelled by who knows it"


EVENTS: tuple[type[Event], ...] = (SecretSet, RecoveryBegun, RecoveryCancelled)


def _set(event: SecretSet, derivation: Derivation) -> None:
    derivation.put(PEOPLE, SECRET, _signed(event, derivation))
    derivation.delete(PEOPLE, RECOVERY)


def _begun(event: RecoveryBegun, derivation: Derivation) -> None:
    derivation.put(PEOPLE, RECOVERY, _signed(event, derivation))


def _cancelled(_event: RecoveryCancelled, derivation: Derivation) -> None:
    derivation.delete(PEOPLE, RECOVERY)


def _signed(event: Event, derivation: Derivation) -> Row:
    entry = derivation.entry
    return event.model_dump(mode="json") | {"by": str(entry.actor), "at": entry.at}


def capability() -> Capability:
    """Make the capability: it offers no operation, since no agent sets the secret."""
    return Capability(NAME, (), EVENTS, (_VIEW,))


_VIEW = View(
    NAME,
    VERSION,
    (PEOPLE,),
    on={SecretSet: _set, RecoveryBegun: _begun, RecoveryCancelled: _cancelled},
)


def is_derived(store: Store) -> bool:
    """Whether a store was opened with what it may know of its secret."""
    return store.has(PEOPLE)


def known(store: Store) -> Row | None:
    """Give what the store knows of its secret: who set it, when and how, and the digest."""
    return store.read(CATALOG, known_in)


def known_in(tx: ReadTx) -> Row | None:
    """Give the same, within a read of the catalog."""
    return tx.get(PEOPLE, SECRET)


def mark(store: Store) -> str | None:
    """Give what tells this secret from those before and after it, and says nothing of it."""
    row = known(store)
    return row["salt"] if row else None


def is_right(store: Store, given: str) -> bool:
    """Whether this is the secret that the store knows."""
    row = known(store)
    return row is not None and verifier(row)(given)


def set_secret(
    store: Store,
    text: str,
    stamp: Stamp,
    *,
    before: Row | None = None,
    proof: Proof | None = None,
    wait_s: int | None = None,
) -> None:
    """Tell the store the secret; `before` is what it knew of the one that was proved."""
    kept_wait = before["wait_s"] if before else RECOVERY_WAIT_S
    wait = kept_wait if wait_s is None else wait_s
    event = SecretSet(**digested(text), how="typed", proof=proof, wait_s=wait)

    def work(tx: WriteTx) -> None:
        require_same(tx, before)
        store.record(tx, event, stamp)

    store.write(CATALOG, work)


def require_same(tx: ReadTx, before: Row | None) -> None:
    """Refuse to go on from a secret that is not the present one any more."""
    if tx.get(PEOPLE, SECRET) != before:
        raise SecretKnown("The secret of this store was set by somebody else meanwhile")


def learn(secret: Secret, store: Store) -> None:
    """Check secrets against the one that the store knows, if it knows one."""
    if row := known(store):
        secret.learn(verifier(row))


def judged(caller: Caller, *, is_set: bool, is_known: bool, is_proved: bool) -> Caller:
    """Say what a caller is, given whether a secret is set and whether it has proved it. Pure.

    A caller that proves it is an admin; an agent is still an agent. Where one is set, nobody is a
    person who has not proved it, on whatever terminal. A secret that only the process was
    configured with, and the store does not know, gives access and proves nobody a person.
    """
    actor, proof = caller.actor, _PROOFS[is_known]
    if is_proved:
        return replace(caller, actor=replace(actor, role="admin"), proof=proof)
    if caller.is_vouched:
        return replace(caller, proof=proof)
    if actor.kind != "human":
        return caller
    if not is_set:
        return replace(caller, proof="unproved")
    role = actor.role if actor.role == "viewer" else "agent"
    claimed = replace(actor, kind="agent", id=actor.id + UNPROVED, role=role)
    return replace(caller, actor=claimed)


_PROOFS: dict[bool, Proof] = {True: "proved", False: "unproved"}


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


def verifier(row: Row) -> Verifier:
    """Build what compares with a kept digest."""
    return Verifier(row["salt"], row["digest"])


def digested(text: str) -> dict[str, str]:
    """Give the digest that is kept of a secret."""
    salt = secrets.token_bytes(SALT_BYTES)
    return {"salt": salt.hex(), "digest": _digest(text, salt).hex()}


def _digest(text: str, salt: bytes) -> bytes:
    raw = text.encode(errors="surrogatepass")
    return hashlib.scrypt(raw, salt=salt, n=COST, r=BLOCK, p=LANES)
