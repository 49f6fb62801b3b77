"""Idempotency keys: a repeated request gets its first answer and is never done twice."""

from dataclasses import dataclass
from typing import Any

from hansard.kernel import reply
from hansard.kernel.blob import Digest
from hansard.kernel.engine import ReadTx


class AlreadyAnsweredError(Exception):
    """The same request was answered while this one waited for its turn."""

    def __init__(self, answer: dict[str, Any]) -> None:
        """Carry the first answer."""
        super().__init__()
        self.answer = answer


class AlreadyAttemptedError(Exception):
    """The same request has announced its changes to the world before, and was not answered."""

    def __init__(self, intents: list[int]) -> None:
        """Carry the seqs of its intents."""
        super().__init__()
        self.intents = intents


@dataclass(frozen=True, slots=True)
class Once:
    """The idempotency key of a request, and a digest of what it asks."""

    key: str
    operation: str
    arguments: Digest
    former_key: str | None = None
    """What an older program kept the answer under."""

    def recall(self, tx: ReadTx) -> dict[str, Any] | None:
        """Give the first answer to this request, if it has one."""
        answers = (reply.recall(tx, key, self.arguments) for key in self._keys())
        return next(filter(None, answers), None)

    def recall_attempt(self, tx: ReadTx) -> list[int] | None:
        """Give what this request announced before and got no answer to."""
        attempts = (reply.recall_attempt(tx, key, self.arguments) for key in self._keys())
        return next(filter(None, attempts), None)

    def _keys(self) -> list[str]:
        return [self.key, *([self.former_key] if self.former_key else [])]
