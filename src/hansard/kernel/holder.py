"""Who is in a session, and the lock that says that they still are."""

import secrets
import threading
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from hansard.kernel.effect import Owner
from hansard.kernel.engine import Engine

Via = Literal["stdio", "http", "page", "terminal", "library", "hook"]
"""By which way somebody came in."""

TOKEN_BYTES = 8

LockName = Annotated[str, Field(pattern=rf"^{Owner.PREFIX}[0-9a-f]{{{2 * TOKEN_BYTES}}}\z")]


class Holder(BaseModel):
    """A process, a page or a caller that is in a session."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    via: Via
    owner: LockName | None = None
    """The lock that is held for as long as it is there; without one, only what it does tells."""
    client: str | None = None
    version: str | None = None
    """The program and its version, as it calls itself."""
    token: str | None = None
    """The id of the token it came in with."""


class Lifeline:
    """A lock that says that somebody is still there: taken when that first matters."""

    def __init__(self) -> None:
        """Name a lock that nobody else has."""
        self._token = secrets.token_hex(TOKEN_BYTES)
        self._owner: Owner | None = None
        self._taking = threading.Lock()

    @property
    def name(self) -> str:
        """What holders say of whose they are."""
        return f"{Owner.PREFIX}{self._token}"

    def take(self, engine: Engine) -> None:
        """Be there from now on, until dropped or until this process dies."""
        with self._taking:
            if self._owner is None:
                self._owner = Owner(engine, self._token)

    def drop(self) -> None:
        """Be there no more; it can be taken again."""
        with self._taking:
            if self._owner is not None:
                self._owner.close()
                self._owner = None
