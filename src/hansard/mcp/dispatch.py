"""Dispatches tool calls: plain data in, plain data out, over any transport.

Nothing here knows the SDK. The SDK's server calls this module, and so do the stdio and HTTP
dispatchers for plain calls, which need no SDK.
"""

import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import hansard
from hansard.app import tracing
from hansard.app.application import Application
from hansard.app.oauth import SCOPE_KEY
from hansard.app.settings import Settings
from hansard.kernel.problem import Problem
from hansard.mcp import answers, hook_tool
from hansard.mcp.callers import SESSION_KEY, Door
from hansard.mcp.cards import Card
from hansard.mcp.handshake import CAPABILITIES, CLIENT, RESERVED
from hansard.mcp.hook_tool import HookTool
from hansard.mcp.host_chats import asked_in
from hansard.mcp.quick_looks import QuickLooks
from hansard.mcp.request_metadata import Circumstances, introduced
from hansard.mcp.tools import Toolbox

Json = dict[str, Any]

CALL = "tools/call"

CALLS_AT_ONCE_MAX = 32
"""Calls that run at the same time; writers among them share commits, so more is not faster."""

SERVER_INFO = f"{RESERVED}serverInfo"
SESSION_ARGUMENTS = {"session_id", "sessionId"}


class ToolDispatcher:
    """Answers calls behind one door."""

    def __init__(
        self,
        application: Application,
        settings: Settings,
        door: Door,
        *,
        cards: Sequence[Card] | None = None,
    ) -> None:
        """Answer from an application; refuse settings that name unknown tools.

        `cards` are those of the application's catalog, if they are at hand.
        """
        self.application, self.door = application, door
        self.has_secret = application.wants_proof()
        self.toolbox = Toolbox(
            application.catalog, settings, has_secret=self.has_secret, cards=cards
        )
        self._errors_as_results = settings.errors != "jsonrpc"
        self._hooks = HookTool(settings) if door.via == "stdio" else None
        self._quick = QuickLooks() if _may_be_quick(application) else None

    def is_quick(self, name: str, given: Json, asked: Circumstances) -> bool:
        """Whether a call can be answered at once, on the event loop."""
        return self._quick is not None and self._quick.has(name, _about(given, asked))

    def result(self, name: str, given: Mapping[str, Any], asked: Circumstances) -> Json:
        """Answer a call; what is an error and not a result is raised."""
        try:
            return self._result(name, given, asked)
        except Problem as problem:
            if problem.fixable and self._errors_as_results:
                return answers.refused(problem)
            raise

    def outcome(self, name: str, given: Mapping[str, Any], asked: Circumstances) -> Json:
        """Answer a call by a result or an error, as it goes over the wire."""
        try:
            result = self.result(name, given, asked)
        except Exception as error:  # noqa: BLE001 - a bug: told to the log, and by a reference
            return {"error": answers.error_of(error)}
        return {"result": self._of_current_era(result) if asked.is_stateless else result}

    def _result(self, name: str, given: Mapping[str, Any], asked: Circumstances) -> Json:
        caller, came = self.door.caller(asked, given), self.door.origin(asked)
        program = caller.holder.client if caller.holder else None
        arguments = asked_in(given, program or "")
        if name == hook_tool.NAME and self._hooks:
            self._hooks.take(arguments, caller)
            return {"content": [], "isError": False}
        began = time.perf_counter()
        with tracing.span(self.application, name, caller, came):
            result = self.application.call(name, arguments, caller)
        if self._quick and self.application.catalog.find(name).writes:
            self._quick.forget()
        elif self._quick:
            self._quick.note(name, _about(given, asked), time.perf_counter() - began)
        named = caller.session or caller.default_session or arguments.keys() & SESSION_ARGUMENTS
        tells = not named and (not caller.seat or self.door.tells_session(asked))
        return answers.given(result, tells_session=tells, is_shown=asked.shows_views)

    def _of_current_era(self, result: Json) -> Json:
        """Add what the current era wants said, where the SDK says it."""
        told: Json = {}
        for key in ("_meta", "content", "isError"):
            if key in result:
                told[key] = result[key]
        told["resultType"] = "complete"
        if "structuredContent" in result:
            told["structuredContent"] = result["structuredContent"]
        told["_meta"] = told.get("_meta", {}) | {SERVER_INFO: self._server_info}
        return told

    @cached_property
    def _server_info(self) -> Json:
        return {"name": "hansard", "title": "Hansard", "version": hansard.__version__}


def plain_call(message: Json) -> tuple[str, Json, Json] | None:
    """Give a call's tool, arguments and `_meta`; `None` if there is more to it, or less."""
    params = message.get("params")
    if message["method"] != CALL or not params or params.keys() - {"name", "arguments", "_meta"}:
        return None
    name, given = params.get("name"), params.get("arguments", {})
    meta = params.get("_meta", {})
    if isinstance(name, str) and isinstance(given, dict) and isinstance(meta, dict):
        return name, given, meta
    return None


def asked_in_current_era(meta: Json, request: Any = None) -> Circumstances:
    """Give what a request of the current era says, of a `_meta` that was found to be as it is."""
    client, shows_views = introduced(meta.get(CLIENT), meta[CAPABILITIES])
    return Circumstances(meta, client, shows_views, is_stateless=True, request=request)


def _about(given: Mapping[str, Any], asked: Circumstances) -> Mapping[str, Any]:
    """Give all that makes two questions the same: who asks, and where."""
    if asked.request is None:
        return given
    token = asked.request.scope.get(SCOPE_KEY)
    return {"asked": given, "of": asked.meta.get(SESSION_KEY), "by": token.id if token else None}


def _may_be_quick(application: Application) -> bool:
    """Whether a read may run at once: not if another server is asked."""
    return application.store.engine.name == "sqlite"
