"""Which reads may run on the event loop: those that just took next to no time.

A call on the event loop delays everything else from the client, even a cancellation. That a tool
was quick once says little: it may be asked for more, or the project may have grown. So only the
very same question counts, asked a moment ago, with no write by this server in between.
"""

import json
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

QUICK_S = 0.002
"""A call that took longer gets a thread of its own the next time."""

MOMENT_S = 10.0
"""Others write, too: after this long a question no longer counts as quick."""

KEPT_MAX = 256
"""Questions that are remembered."""

KEY_CHARS_MAX = 1_000
"""Longer questions are not."""


class QuickLooks:
    """Remembers what was asked a moment ago, and whether it was quick.

    Threads that answer note it, and the event loop asks: each step is one of a dictionary.
    """

    def __init__(self) -> None:
        """Start with none."""
        self._until: OrderedDict[str, float] = OrderedDict()

    def has(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a question can be answered at once."""
        return self._until.get(_key(tool, arguments) or "", 0.0) > time.monotonic()

    def note(self, tool: str, arguments: Mapping[str, Any], took_s: float) -> None:
        """Remember how long a read took."""
        key = _key(tool, arguments)
        if key is None:
            return
        if took_s >= QUICK_S:
            self._until.pop(key, None)
            return
        self._until[key] = time.monotonic() + MOMENT_S
        while len(self._until) > KEPT_MAX:
            self._until.popitem(last=False)

    def forget(self) -> None:
        """Forget all: something was written."""
        self._until.clear()


def _key(tool: str, arguments: Mapping[str, Any]) -> str | None:
    """Give a question as a text; `None` for one that is too long to be worth it."""
    try:
        asked = json.dumps(arguments, sort_keys=True)
    except (TypeError, ValueError):
        return None
    return f"{tool} {asked}" if len(asked) <= KEY_CHARS_MAX else None
