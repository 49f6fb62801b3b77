"""Turns a client's name for itself into one it can sign with.

A client gives its name itself, in the handshake or with each request, so it proves nothing. What a
caller is and may do comes from where it came in; the name only tells one program from another.
"""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from hansard.app import identities
from hansard.app.tokens import RESERVED, every
from hansard.kernel.store import Store

EXTENSION = "io.modelcontextprotocol/ui"
"""The name in MCP Apps of a program's ability to show views beside answers."""

NAME_CHARS_MAX = 48
READ_CHARS_MAX = 200
"""How much of a client's name is read."""

LOOK_AGAIN_S = 1.0
"""How long after a token was made a client may still go by the same name."""

UNFIT = re.compile(r"[^A-Za-z0-9 ._@/+-]+")
"""What no name of a program holds: characters that are not seen, turn the text or look like others.

Parentheses and the colon are ours: between them stands what was proved, and what was only said.
"""

EDGES = " -./+_"
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,31}")

KINDS = re.compile(r"\s*(human|agent|system)\s*:", re.IGNORECASE)
"""The beginning of a name that poses as an author's."""

NOT_NAMES = RESERVED | {"admin", "agent", "human", "outside", "system", "unknown", "viewer"}
"""Words that say what somebody is, not which program."""


@dataclass(frozen=True, slots=True)
class Client:
    """A program at the other end."""

    name: str
    version: str | None = None


def made_fit(name: str, version: str) -> Client | None:
    """Turn what a client calls itself into a name; `None` if nothing is left."""
    said = name[:READ_CHARS_MAX]
    plain = " ".join(UNFIT.sub("-", said).split()).strip(EDGES)[:NAME_CHARS_MAX].rstrip(EDGES)
    is_one = any(char.isalnum() for char in plain) and plain.casefold() not in NOT_NAMES
    if not is_one or KINDS.match(said):
        return None
    return Client(plain, version if VERSION.fullmatch(version) else None)


class TokenNames:
    """Which names are those of tokens, so that nobody signs with another's."""

    def __init__(self, store: Store | None, timer: Callable[[], float] = time.monotonic) -> None:
        """Look into a store, as often as needed; without one there are no tokens."""
        self._store = store
        self._timer = timer
        self._lock = threading.Lock()
        self._taken: frozenset[str] = frozenset()
        self._looked = float("-inf")

    def sign(self, way_in: str, client: Client | None) -> str:
        """Give the id that a caller without a token signs with."""
        if client is None:
            return way_in
        is_taken = client.name.casefold() in self._of_tokens()
        return aside(way_in, client) if is_taken else client.name

    def _of_tokens(self) -> frozenset[str]:
        """Name all tokens there ever were: what they signed still stands."""
        with self._lock:
            if self._store and self._timer() - self._looked >= LOOK_AGAIN_S:
                signed_on = [row["name"] for row in identities.every(self._store)]
                names = [*(one.actor.id for one in every(self._store)), *signed_on]
                self._taken = frozenset(name.casefold() for name in names)
                self._looked = self._timer()
            return self._taken


def aside(proved: str, client: Client | None) -> str:
    """Put what a client calls itself beside the name that its connection proved."""
    if client is None or client.name.casefold() == proved.casefold():
        return proved
    return f"{proved} ({client.name})"
