"""Answers stored under an idempotency key, in the transaction of the write they answer.

An operation that changes the world outside cannot be answered in one transaction. Its key is stored
with its intents, so that a repetition finds them and asks how they ended instead of acting again.

Keys are not kept forever: an entry says up to where they are forgotten (`KeysForgotten`).
"""

from collections.abc import Iterable
from typing import Any, ClassVar

import orjson

from hansard.kernel.blob import Digest, canonical_json, digest_of, seal
from hansard.kernel.content import original
from hansard.kernel.engine import Range, ReadTx, Row, Table, WriteTx
from hansard.kernel.event import ActorKind, Event
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.problem import InvalidInput
from hansard.kernel.view import Derivation, View

VERSION = 2
REPLIES = Table("replies", {"seq": "integer"}, (("seq",),), version=VERSION, is_large=True)
ATTEMPTS = Table("attempts", {"seq": "integer"}, (("seq",),), version=VERSION)
"""By key: the intents of a request that is not answered yet, or was refused by the world, and the
entry that announced the last of them."""


class KeyReused(InvalidInput):
    """An idempotency key came again with other arguments."""

    hint = "Use a new key for a new request"


class Replied(Event):
    """A write was answered, under a key that makes its repetition harmless."""

    kind: ClassVar[str] = "kernel.replied.v1"

    key: str
    """Digest of caller, operation and the caller's key."""
    operation: str
    arguments: str
    """Digest of the arguments, to tell a repetition from another request; no blob holds them."""
    reply: Digest
    """The blob that holds the answer, since an answer may be long."""


class Attempted(Event):
    """Changes to the world were announced, under a key that makes their repetition harmless."""

    kind: ClassVar[str] = "kernel.attempted.v1"

    key: str
    operation: str
    arguments: str
    intents: list[int]
    """The seqs of the intents, in order."""


class KeysForgotten(Event):
    """Keys are too old to be repeated: a request with one of them is a new request."""

    kind: ClassVar[str] = "kernel.keys_forgotten.v1"

    replies_before: int
    """Answers that were kept by entries before this one are kept no longer."""
    attempts_before: int
    """So is what was announced before this one and never answered; none of it is open."""


def reply_key(kind: ActorKind, scope: Iterable[str], operation: str, idempotency_key: str) -> str:
    """Name an answer within its project: two callers' keys never meet."""
    return digest_of(canonical_json([kind, *scope, operation, idempotency_key]))


def recall(tx: ReadTx, key: str, arguments: Digest) -> dict[str, Any] | None:
    """Give the first answer under this key, or refuse the key for other arguments.

    One whose text was erased is refused as such: the rest of it was never an answer.
    """
    row = _known(tx, REPLIES, key, arguments)
    if row is None:
        return None
    reply: dict[str, Any] = orjson.loads(original(tx, row["reply"]))
    return reply


def recall_attempt(tx: ReadTx, key: str, arguments: Digest) -> list[int] | None:
    """Give the intents under this key that no answer was kept for, or refuse the key."""
    row = _known(tx, ATTEMPTS, key, arguments)
    return row["intents"] if row else None


def keep_reply(
    tx: WriteTx, key: str, operation: str, arguments: Digest, reply: dict[str, Any]
) -> Replied:
    """Keep an answer in this transaction; returns the event to record."""
    blob = seal(canonical_json(reply))
    tx.keep(blob)
    return Replied(key=key, operation=operation, arguments=arguments, reply=blob.digest)


def _known(tx: ReadTx, table: Table, key: str, arguments: Digest) -> Row | None:
    row = tx.get(table, key)
    if row is not None and row["arguments"] != arguments:
        raise KeyReused("This idempotency key was used with other arguments")
    return row


def _replied(event: Replied, derivation: Derivation) -> None:
    seq = derivation.entry.seq
    row = {"arguments": event.arguments, "reply": event.reply, "seq": seq}
    derivation.put(REPLIES, event.key, row)
    derivation.delete(ATTEMPTS, event.key)


def _attempted(event: Attempted, derivation: Derivation) -> None:
    before = derivation.get(ATTEMPTS, event.key)
    intents = [*(before["intents"] if before else ()), *event.intents]
    row = {"arguments": event.arguments, "intents": intents, "seq": derivation.entry.seq}
    derivation.put(ATTEMPTS, event.key, row)


def _forgotten(event: KeysForgotten, derivation: Derivation) -> None:
    for table, before in ((REPLIES, event.replies_before), (ATTEMPTS, event.attempts_before)):
        for found in derivation.each(table, {"seq": Range(below=before)}, limit=ENTRIES_PAGE):
            derivation.delete(table, found.key)


EVENTS: tuple[type[Event], ...] = (Replied, Attempted, KeysForgotten)
VIEW = View(
    "replies",
    VERSION,
    (REPLIES, ATTEMPTS),
    on={Replied: _replied, Attempted: _attempted, KeysForgotten: _forgotten},
)
