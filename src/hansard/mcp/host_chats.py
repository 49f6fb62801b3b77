"""Finds the host's chat of a stdio server, so that hooks and calls share a session.

The request itself is the best source. Next come the host's own hooks: a server outlives `/clear`,
and its environment does not change. Last comes that environment, if it belongs to the calling
client: one host may have been started from within another.
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from hansard.hooks import chats
from hansard.hooks.host_events import session_id
from hansard.kernel.operation import Seat

META = ("sessionId", "threadId")
"""Where a host names its chat with each call."""

NAMING = "codex"
"""The prefixes of the names of such clients."""

ADDING = ("opencode", "@cline", "cline")
"""The same for clients whose hooks add it to the arguments."""

NOTHING: Mapping[str, Any] = {}

SEATS_MAX = 256
"""Chats that are remembered: the latest."""


def is_of(client: str, names: str | tuple[str, ...]) -> bool:
    """Whether a client is of this kind, by how its name begins."""
    return client.lower().startswith(names)


def asked_in(arguments: Mapping[str, Any], client: str) -> dict[str, Any]:
    """Give what the model itself asked for in a call, without what a hook of ours added."""
    added = chats.ARGUMENT if is_of(client, ADDING) else None
    return {name: value for name, value in arguments.items() if name != added}


class Chats:
    """Finds the chat of a request."""

    def __init__(self, folder: str | None, environment: Mapping[str, str]) -> None:
        """Look for what hooks leave in a folder, if there is one."""
        self._folder = folder
        self._environment = environment
        self._process = chats.host_process() if folder else None
        self._seats: OrderedDict[str, Seat] = OrderedDict()

    def find(
        self, meta: Mapping[str, Any], client: str, arguments: Mapping[str, Any] = NOTHING
    ) -> str | None:
        """Name the chat; `None` if nothing says which it is."""
        told: list[Any] = [meta.get(key) for key in META] if is_of(client, NAMING) else []
        told += [arguments.get(chats.ARGUMENT)] if is_of(client, ADDING) else []
        named = next((one for one in told if isinstance(one, str) and one.strip()), None)
        found = named or self._hooked() or chats.given(client, self._environment)
        return session_id(found) if found else None

    def seat(self, chat: str) -> Seat:
        """Give the seat of a chat."""
        seat = self._seats.setdefault(chat, Seat(adopts=True))
        self._seats.move_to_end(chat)
        while len(self._seats) > SEATS_MAX:
            self._seats.popitem(last=False)
        return seat

    def _hooked(self) -> str | None:
        if self._folder is None or self._process is None:
            return None
        return chats.named(self._folder, self._process)
