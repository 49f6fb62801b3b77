"""The holder of a session, as the journal records it."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from hansard.kernel.model import Model

Via = Literal["stdio", "http", "page", "terminal", "library", "hook"]
"""How somebody came in."""

LockName = Annotated[str, Field(pattern=r"^owner-[0-9a-f]{16}\z")]
"""A lock that its owner holds for life; `kernel/liveness_lock.py` takes it."""


class Holder(Model):
    """A process, a page or a caller that is in a session."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    via: Via
    owner: LockName | None = None
    """The lock that is held for as long as it is there; without one, only its activity shows
    that."""
    client: str | None = None
    version: str | None = None
    """The program and its version, as it calls itself."""
    token: str | None = None
    """The id of the token it came in with."""
