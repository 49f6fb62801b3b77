"""The MCP server object, for every transport and both eras of the protocol."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, get_args

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel.server import NotificationOptions, Server

import hansard
from hansard.app import tracing
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.kernel.cursor import refused
from hansard.mcp import answers, completing, prompts, resources
from hansard.mcp.apps import APPS_BY_TOOL
from hansard.mcp.callers import Door
from hansard.mcp.cards import Card
from hansard.mcp.client_names import EXTENSION
from hansard.mcp.dispatch import CALLS_AT_ONCE_MAX, ToolDispatcher
from hansard.mcp.instructions import instructions
from hansard.mcp.notices import Hearing, Notices
from hansard.mcp.resources import RESOURCES, Parts, Resource
from hansard.mcp.sdk import RequestContext, asked_in
from hansard.sessions.directory import project_of

LIST_TTL_MS = 5 * 60 * 1000
"""How long a client may cache a list: it changes only when another Hansard starts."""

T = TypeVar("T")
_Page = types.PaginatedRequestParams | None


ListMethod = Literal["tools/list", "resources/list", "resources/templates/list", "prompts/list"]
LISTS: tuple[ListMethod, ...] = get_args(ListMethod)
"""Answers that clients may cache for a while."""


class HansardServer(Server[None]):
    """Answers MCP from an application."""

    lists_change = False
    """Whether tools and resources may come and go while a server runs."""

    def __init__(
        self,
        application: Application,
        settings: Settings,
        door: Door,
        *,
        readable: Sequence[Resource] = (*RESOURCES, *APPS_BY_TOOL.values()),
        cards: Sequence[Card] | None = None,
        desk: ToolDispatcher | None = None,
    ) -> None:
        """Serve the application; refuse settings that name unknown tools.

        `cards` are those of the application's catalog, if they exist already; `desk` dispatches
        calls, if there is one.
        """
        self.application, self._door = application, door
        self.notices = Notices(application.store.engine, readable)
        self._readable = readable
        self.desk = desk or ToolDispatcher(application, settings, door, cards=cards)
        self._toolbox = self.desk.toolbox
        self._calls = anyio.CapacityLimiter(CALLS_AT_ONCE_MAX)
        super().__init__(
            "hansard",
            title="Hansard",
            version=hansard.__version__,
            instructions=instructions(self._toolbox.names(door.actor)),
            lifespan=lambda _: self.notices.running(),
            # Without this the SDK lists all tools again for each call of the current era.
            get_tool_input_schema=self._toolbox.schema,
            cache_hints=dict.fromkeys(LISTS, CacheHint(ttl_ms=LIST_TTL_MS, scope="private")),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._listen,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
        )
        self.extensions[EXTENSION] = {}

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> types.ServerCapabilities:
        """Say which notices this server sends: single resources, and lists only if they change."""
        told = super().get_capabilities(
            notification_options,
            experimental_capabilities,
            extensions,
            protocol_version=protocol_version,
        )
        for lists in (told.tools, told.resources, told.prompts):
            if lists:
                lists.list_changed = self.lists_change
        return told

    async def _list_tools(self, _: RequestContext, page: _Page) -> types.ListToolsResult:
        require_first(page)
        return types.ListToolsResult(tools=self._toolbox.listed(self._door.actor))

    async def _call_tool(
        self, context: RequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        asked, name, given = asked_in(context), params.name, params.arguments or {}
        with answers.as_protocol_errors():
            if self.desk.is_quick(name, given, asked):
                result = self.desk.result(name, given, asked)
            else:
                result = await self._in_thread(lambda: self.desk.result(name, given, asked))
        return types.CallToolResult.model_validate(result)

    async def _list_resources(self, _: RequestContext, page: _Page) -> types.ListResourcesResult:
        require_first(page)
        return types.ListResourcesResult(resources=resources.listed(self._readable))

    async def _list_templates(
        self, _: RequestContext, page: _Page
    ) -> types.ListResourceTemplatesResult:
        require_first(page)
        return types.ListResourceTemplatesResult(
            resource_templates=resources.templates(self._readable)
        )

    async def _read_resource(
        self, context: RequestContext, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        with answers.as_protocol_errors():
            resource, parts = resources.find(self._readable, params.uri)
            text = await self._in_thread(lambda: self._text_of(resource, parts, context))
        content = types.TextResourceContents(
            uri=params.uri, mime_type=resource.mime_type, text=text, meta=resource.meta
        )
        return types.ReadResourceResult(contents=[content])

    def _text_of(self, resource: Resource, parts: Parts, context: RequestContext) -> str:
        asked = asked_in(context)
        caller, came = self._door.caller(asked), self._door.origin(asked)
        with tracing.span(self.application, tracing.READ_RESOURCE, caller, came):
            return resource.read(self.application, caller, parts)

    async def _list_prompts(self, _: RequestContext, page: _Page) -> types.ListPromptsResult:
        require_first(page)
        return types.ListPromptsResult(prompts=prompts.listed())

    async def _get_prompt(
        self, context: RequestContext, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        caller = self._door.caller(asked_in(context))
        with answers.as_protocol_errors():
            return await self._in_thread(
                lambda: prompts.written(
                    params.name, params.arguments or {}, self.application, caller
                )
            )

    async def _complete(
        self, context: RequestContext, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        caller = self._door.caller(asked_in(context))
        with answers.as_protocol_errors():
            found = await self._in_thread(
                lambda: completing.completed(params, self.application, caller)
            )
        return types.CompleteResult(completion=found)

    async def _listen(
        self, context: RequestContext, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        with answers.as_protocol_errors():
            hearing = await self._in_thread(lambda: self._hearing(context))
        return await self.notices.listen(context, params, hearing)

    def _hearing(self, context: RequestContext) -> Hearing:
        """Say which notices a caller gets: none about things it may not read."""
        caller, store = self._door.caller(asked_in(context)), self.application.store
        home = self.application.home_for(caller)
        named = [one for one in (caller.session, caller.default_session) if one]

        def current() -> set[str]:
            return {*filter(None, [home.find(store), *map(project_of, named)])}

        return Hearing(caller.sees, current)

    async def _subscribe(
        self, context: RequestContext, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        with answers.as_protocol_errors():
            hearing = await self._in_thread(lambda: self._hearing(context))
            await self.notices.subscribe(context.session, params.uri, hearing)
        return types.EmptyResult()

    async def _unsubscribe(
        self, context: RequestContext, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        await self.notices.unsubscribe(context.session, params.uri)
        return types.EmptyResult()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """Run work off the event loop. A cancelled request still finishes what it began."""
        return await anyio.to_thread.run_sync(work, limiter=self._calls)


def require_first(page: _Page) -> None:
    """Refuse a cursor: these lists have one page, so no cursor was ever given."""
    if page and page.cursor:
        with answers.as_protocol_errors():
            raise refused()
