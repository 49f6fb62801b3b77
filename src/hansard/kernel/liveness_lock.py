"""The lock that shows that a process or a page is still there."""

import secrets
import threading

from hansard.kernel.effect import Owner
from hansard.kernel.engine import Engine

TOKEN_BYTES = 8


class Lifeline:
    """A lock that says that somebody is still there: taken when that first matters."""

    def __init__(self) -> None:
        """Name a lock that nobody else has."""
        self._token = secrets.token_hex(TOKEN_BYTES)
        self._owner: Owner | None = None
        self._taking = threading.Lock()

    @property
    def name(self) -> str:
        """The owner that holders name."""
        return f"{Owner.PREFIX}{self._token}"

    def take(self, engine: Engine) -> None:
        """Count as alive from now on, until dropped or until this process dies."""
        with self._taking:
            if self._owner is None:
                self._owner = Owner(engine, self._token)

    def drop(self) -> None:
        """Stop counting as alive; the lock can be taken again."""
        with self._taking:
            if self._owner is not None:
                self._owner.close()
                self._owner = None
