"""The tool that a host's hook calls instead of a program. It is never listed.

It takes what a hook would read from stdin, and treats it the same: parsed, gathered from this
server's workspace, recorded under the host's chat.
"""

import os
from collections.abc import Mapping
from typing import Any

from hansard.app.settings import Settings, declarations
from hansard.hooks import client, host_events, locations
from hansard.kernel.operation import Caller
from hansard.kernel.problem import PermissionDenied

NAME = "hook_event"


class HookTool:
    """Takes events for one server, into the spool that the same server is woken to take in."""

    def __init__(self, settings: Settings) -> None:
        """Record into the store and from the workspace of these settings."""
        given = {one.name: str(getattr(settings, one.name)) for one in declarations()}
        self._given = {name: value for name, value in given.items() if value}
        self._given["workspace"] = os.path.abspath(  # noqa: PTH100 - links are not followed
            os.path.expanduser(settings.workspace)  # noqa: PTH111
        )
        self._is_read_only = settings.read_only
        store = {"store": settings.store} if settings.store else {}
        self._folder = locations.hooks_folder(store, os.environ)

    def take(self, told: Mapping[str, Any], caller: Caller) -> None:
        """Record one event; what is not needed is skipped."""
        if self._is_read_only or not caller.actor.may("agent"):
            raise PermissionDenied("hook_event writes, and this caller only reads")
        program = caller.holder.client if caller.holder else None
        host = "codex" if (program or "").lower().startswith("codex") else "claude-code"
        known = host_events.read(told, {}, host=host)
        if known is None or self._folder is None:
            return
        client.record(known, self._folder, self._given)
