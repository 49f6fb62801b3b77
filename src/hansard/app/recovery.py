"""Replaces a lost secret: begun by anyone who claims to be a person, announced, slow.

A store cannot distinguish a person who lost the secret from one who never knew it. So a replacement
counts only after a waiting time that was fixed with the secret itself, and anyone who knows the
present secret can cancel it at once. It is finished by typing the new secret again: nothing changes
by itself.
"""

from datetime import timedelta

from hansard.app import people
from hansard.app.people import PEOPLE, RECOVERY, SECRET
from hansard.kernel.clock import from_text, to_text
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.event import Stamp
from hansard.kernel.problem import PermissionDenied, Problem
from hansard.kernel.store import CATALOG, Store


class NoRecovery(Problem):
    """There is no recovery to finish or cancel."""

    code, http_status = "NO_RECOVERY", 409
    hint = "Run `hansard secret` to see what the store knows"


class RecoveryWaits(Problem):
    """The new secret does not count yet."""

    code, http_status = "RECOVERY_WAITS", 409
    hint = "Run this again from then on, with the new secret"


def pending(store: Store) -> Row | None:
    """Give the pending replacement: who began it, when, and when it begins to count."""
    return store.read(CATALOG, lambda tx: tx.get(PEOPLE, RECOVERY))


def begin(store: Store, text: str, stamp: Stamp) -> Row:
    """Make another secret count, after the waiting time of the present one. Everybody is told.

    One that was begun before ends, and the wait starts over: two who do not know the secret can
    block each other, and neither gets in unnoticed by the other.
    """
    kept = people.digested(text)

    def work(tx: WriteTx) -> None:
        secret = _known(tx)
        # A clock that was set back must not shorten the wait; but what projects say of the time
        # can be taken in from elsewhere, and must not lengthen it.
        begins = from_text(max(stamp.at, tx.head().clock))
        counts_from = to_text(begins + timedelta(seconds=secret["wait_s"]))
        store.record(tx, people.RecoveryBegun(**kept, counts_from=counts_from), stamp)

    store.write(CATALOG, work)
    begun = pending(store)
    if begun is None:
        raise NoRecovery("It was cancelled at once, by who knows the secret")
    return begun


def cancel(store: Store, stamp: Stamp) -> None:
    """Keep the present secret, for a caller who has proved it."""

    def work(tx: WriteTx) -> None:
        _begun(tx)
        store.record(tx, people.RecoveryCancelled(), stamp)

    store.write(CATALOG, work)


def finish(store: Store, text: str, stamp: Stamp) -> None:
    """Make the new secret count, for a caller who knows it, once the waiting time is over."""
    begun = pending(store)
    if begun and not people.verifier(begun)(text):
        raise PermissionDenied("This is not the secret that the recovery was begun with")

    def work(tx: WriteTx) -> None:
        if _begun(tx) != begun:
            raise NoRecovery("The recovery was begun anew by somebody else meanwhile")
        if stamp.at < begun["counts_from"]:
            raise RecoveryWaits(
                f"The new secret counts from {begun['counts_from']} on",
                counts_from=begun["counts_from"],
            )
        kept = {name: begun[name] for name in ("salt", "digest")}
        wait_s = _known(tx)["wait_s"]
        event = people.SecretSet(**kept, how="recovered", proof="unproved", wait_s=wait_s)
        store.record(tx, event, stamp)

    store.write(CATALOG, work)


def _known(tx: ReadTx) -> Row:
    secret = tx.get(PEOPLE, SECRET)
    if secret is None:
        raise NoRecovery("This store knows no secret, so none is lost", hint="`hansard secret set`")
    return secret


def _begun(tx: ReadTx) -> Row:
    begun = tx.get(PEOPLE, RECOVERY)
    if begun is None:
        raise NoRecovery("Nobody is about to replace the secret of this store")
    return begun
