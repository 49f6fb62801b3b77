"""What the conformance suite asks a server to have, mounted on our own server object.

Test only. Run as a program it serves on a free port of the loopback and says which.
"""

import hashlib
import hmac
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server.subscriptions import PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.mcp.callers import http_door
from hansard.mcp.resources import Parts, Resource
from hansard.mcp.sdk import RequestContext
from hansard.mcp.server import HansardServer
from hansard.mcp.streamable_http import mounted

Answer = types.CallToolResult | types.InputRequiredResult
Params = types.CallToolRequestParams
Run = Callable[[RequestContext, Params], Awaitable[Answer]]

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIA"
    "X8jx0gAAAABJRU5ErkJggg=="
)
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
STEP_S = 0.05
KEY = b"only for the test of tampered state"


@dataclass(frozen=True)
class FixtureTool:
    """A tool the suite calls by name."""

    name: str
    run: Run
    schema: dict[str, Any] = field(default_factory=lambda: {"type": "object"})

    def listed(self) -> types.Tool:
        return types.Tool(name=self.name, description="For conformance", input_schema=self.schema)


class ConformanceServer(HansardServer):
    """Hansard's server with the suite's tools, resources and prompts beside its own."""

    lists_change = True

    def mount(self, tools: list[FixtureTool]) -> None:
        by_name = {tool.name: tool for tool in tools}
        list_ours, call_ours = self._own("tools/list"), self._own("tools/call")
        schema_of_ours = self.get_tool_input_schema

        async def list_tools(context: RequestContext, params: Any) -> types.ListToolsResult:
            ours: types.ListToolsResult = await list_ours(context, params)
            return types.ListToolsResult(tools=[*ours.tools, *(one.listed() for one in tools)])

        async def call_tool(context: RequestContext, params: Params) -> Answer:
            if tool := by_name.get(params.name):
                return await tool.run(context, params)
            answer: Answer = await call_ours(context, params)
            return answer

        def schema_of(name: str) -> Any:
            assert schema_of_ours, "the server looks schemas up itself"
            return by_name[name].schema if name in by_name else schema_of_ours(name)

        self.get_tool_input_schema = schema_of
        self.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
        self.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
        self.add_request_handler("prompts/list", types.PaginatedRequestParams, list_prompts)
        self.add_request_handler("prompts/get", types.GetPromptRequestParams, get_prompt)
        self.add_request_handler("completion/complete", types.CompleteRequestParams, complete)
        self.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)
        self.add_request_handler("resources/read", types.ReadResourceRequestParams, self._read)

    def _own(self, method: str) -> Callable[[RequestContext, Any], Awaitable[Any]]:
        entry = self.get_request_handler(method)
        assert entry, f"the server serves {method}"
        return entry.handler

    async def _read(
        self, context: RequestContext, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Read the one binary resource here, since Hansard's own are all text."""
        if params.uri != "test://static-binary":
            return await self._read_resource(context, params)
        blob = types.BlobResourceContents(uri=params.uri, mime_type="image/png", blob=PIXEL)
        return types.ReadResourceResult(contents=[blob])

    def changes(self, event: ToolsListChanged | PromptsListChanged) -> Run:
        async def run(_: RequestContext, _params: Params) -> Answer:
            await self.notices.publish(event)
            return text("changed")

        return run


def text(*lines: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=line) for line in lines])


def gives(*content: types.ContentBlock) -> Run:
    async def run(_: RequestContext, _params: Params) -> Answer:
        return types.CallToolResult(content=list(content))

    return run


def embedded(uri: str, mime_type: str, content: str) -> types.EmbeddedResource:
    inner = types.TextResourceContents(uri=uri, mime_type=mime_type, text=content)
    return types.EmbeddedResource(resource=inner)


async def fails(_: RequestContext, _params: Params) -> Answer:
    said = types.TextContent(text="This tool intentionally returns an error for testing")
    return types.CallToolResult(content=[said], is_error=True)


async def logs(context: RequestContext, _: Params) -> Answer:
    for step in ("started", "processing data", "completed"):
        await context.session.send_log_message(
            "info", f"Tool execution {step}", related_request_id=context.request_id
        )
        await anyio.sleep(STEP_S)
    return text("logged")


async def progresses(context: RequestContext, _: Params) -> Answer:
    meta: Any = context.meta or {}
    for step in (0, 50, 100):
        if token := meta.get("progress_token"):
            related = str(context.request_id)
            await context.session.send_progress_notification(
                token, step, 100, related_request_id=related
            )
        await anyio.sleep(STEP_S)
    return text("progressed")


async def samples(context: RequestContext, params: Params) -> Answer:
    prompt = types.SamplingMessage(
        role="user", content=types.TextContent(text=(params.arguments or {})["prompt"])
    )
    answer = await context.session.create_message(
        [prompt], max_tokens=100, related_request_id=context.request_id
    )
    return text(f"LLM response: {answer.content}")


def elicits(schema: dict[str, Any]) -> Run:
    async def run(context: RequestContext, params: Params) -> Answer:
        message = (params.arguments or {}).get("message", "Please answer")
        answer = await context.session.elicit_form(
            message, schema, related_request_id=context.request_id
        )
        return text(f"User response: action={answer.action}, content={answer.content}")

    return run


def form(message: str, **fields: str) -> types.ElicitRequest:
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in fields.items()},
        "required": list(fields),
    }
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=message, requested_schema=schema)
    )


def sampling(prompt: str) -> types.CreateMessageRequest:
    said = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[said], max_tokens=100)
    )


def signed(state: str) -> str:
    return f"{state}.{hmac.new(KEY, state.encode(), hashlib.sha256).hexdigest()}"


def asks(*rounds: dict[str, Any], keeps_state: bool = False) -> Run:
    """Make a tool that asks for each round's input in turn, the round being its signed state."""

    async def run(_: RequestContext, params: Params) -> Answer:
        place = 0
        if keeps_state and params.request_state is not None:
            state = params.request_state.partition(".")[0]
            if not hmac.compare_digest(signed(state).encode(), params.request_state.encode()):
                raise MCPError(types.INVALID_PARAMS, "The state was tampered with")
            place = int(state)
        given = params.input_responses or {}
        if rounds[place].keys() <= given.keys():
            place += 1
        if place == len(rounds):
            return text(f"state-ok {given}")
        state_given = signed(str(place)) if keeps_state else None
        return types.InputRequiredResult(input_requests=rounds[place], request_state=state_given)

    return run


async def asks_what_it_may(context: RequestContext, _: Params) -> Answer:
    declared = context.session.client_capabilities
    requests: types.InputRequests = {}
    if declared and declared.sampling is not None:
        requests["sampled"] = sampling("Anything")
    if declared and declared.elicitation is not None:
        requests["elicited"] = form("Anything", answer="string")
    return types.InputRequiredResult(input_requests=requests)


async def needs_sampling(context: RequestContext, _: Params) -> Answer:
    declared = context.session.client_capabilities
    if declared is None or declared.sampling is None:
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This tool needs sampling",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return text("sampling was declared")


def properties(**named: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": named, "required": list(named)}


CHOICES = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
WORDS = ["option1", "option2", "option3"]
TEXT = {"type": "string"}

DEFAULTS = properties(
    name=TEXT | {"default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status=TEXT | {"enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)
ENUMS = properties(
    untitledSingle=TEXT | {"enum": WORDS},
    titledSingle=TEXT | {"oneOf": CHOICES},
    legacyEnum=TEXT | {"enum": WORDS, "enumNames": ["One", "Two", "Three"]},
    untitledMulti={"type": "array", "items": TEXT | {"enum": WORDS}},
    titledMulti={"type": "array", "items": {"anyOf": CHOICES}},
)
SCHEMA_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": TEXT, "city": TEXT},
        }
    },
    "properties": {
        "name": TEXT,
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": TEXT | {"enum": ["phone", "email"]},
        "phone": TEXT,
        "email": TEXT,
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

IMAGE = types.ImageContent(data=PIXEL, mime_type="image/png")
NAME = {"user_name": form("What is your name?", name="string")}
CONFIRM = {"confirm": form("Please confirm", ok="boolean")}
ROOTS = {"client_roots": types.ListRootsRequest()}


def plain_tools() -> list[FixtureTool]:
    return [
        FixtureTool("test_simple_text", gives(types.TextContent(text="A simple text response."))),
        FixtureTool("test_image_content", gives(IMAGE)),
        FixtureTool(
            "test_audio_content", gives(types.AudioContent(data=SILENCE, mime_type="audio/wav"))
        ),
        FixtureTool(
            "test_embedded_resource",
            gives(embedded("test://embedded-resource", "text/plain", "An embedded resource.")),
        ),
        FixtureTool(
            "test_multiple_content_types",
            gives(
                types.TextContent(text="Multiple content types test:"),
                IMAGE,
                embedded("test://mixed-content-resource", "application/json", '{"test":"data"}'),
            ),
        ),
        FixtureTool("test_error_handling", fails),
        FixtureTool("test_tool_with_logging", logs),
        FixtureTool("test_logging_tool", logs),
        FixtureTool("test_tool_with_progress", progresses),
        FixtureTool("test_sampling", samples, properties(prompt=TEXT)),
        FixtureTool(
            "test_elicitation",
            elicits(properties(username=TEXT, email=TEXT)),
            properties(message=TEXT),
        ),
        FixtureTool("test_elicitation_sep1034_defaults", elicits(DEFAULTS)),
        FixtureTool("test_elicitation_sep1330_enums", elicits(ENUMS)),
        FixtureTool("json_schema_2020_12_tool", gives(IMAGE), SCHEMA_2020_12),
        FixtureTool(
            "test_header",
            gives(types.TextContent(text="The header was checked")),
            properties(region=TEXT | {"x-mcp-header": "Region"}),
        ),
        FixtureTool("test_missing_capability", needs_sampling),
    ]


def asking_tools() -> list[FixtureTool]:
    prefix = "test_input_required_result"
    capital = {"capital_question": sampling("What is the capital of France?")}
    everything = NAME | {"greeting": sampling("Generate a greeting")} | ROOTS
    steps = (
        {"step1": form("Step 1: What is your name?", name="string")},
        {"step2": form("Step 2: What is your favorite color?", color="string")},
    )
    return [
        FixtureTool(f"{prefix}_elicitation", asks(NAME)),
        FixtureTool("test_streaming_elicitation", asks(NAME)),
        FixtureTool(f"{prefix}_sampling", asks(capital)),
        FixtureTool(f"{prefix}_list_roots", asks(ROOTS)),
        FixtureTool(f"{prefix}_request_state", asks(CONFIRM, keeps_state=True)),
        FixtureTool(f"{prefix}_tampered_state", asks(CONFIRM, keeps_state=True)),
        FixtureTool(f"{prefix}_multiple_inputs", asks(everything, keeps_state=True)),
        FixtureTool(f"{prefix}_multi_round", asks(*steps, keeps_state=True)),
        FixtureTool(f"{prefix}_capabilities", asks_what_it_may),
    ]


def argument(name: str) -> types.PromptArgument:
    return types.PromptArgument(name=name, description=f"Test argument {name}", required=True)


PROMPTS = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": [argument("arg1"), argument("arg2")],
    "test_prompt_with_embedded_resource": [argument("resourceUri")],
    "test_prompt_with_image": [],
    "test_input_required_result_prompt": [],
}


async def list_prompts(_: RequestContext, _page: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(name=name, description="For conformance", arguments=arguments)
            for name, arguments in PROMPTS.items()
        ]
    )


async def get_prompt(
    _: RequestContext, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    given = params.arguments or {}
    said: list[types.ContentBlock] = [
        types.TextContent(text="This is a simple prompt for testing.")
    ]
    match params.name:
        case "test_prompt_with_arguments":
            line = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
            said = [types.TextContent(text=line)]
        case "test_prompt_with_embedded_resource":
            said = [embedded(given["resourceUri"], "text/plain", "Embedded content."), *said]
        case "test_prompt_with_image":
            said = [IMAGE, *said]
        case "test_input_required_result_prompt" if not params.input_responses:
            asked = form("What context should the prompt use?", context="string")
            return types.InputRequiredResult(input_requests={"user_context": asked})
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=one) for one in said]
    )


async def complete(_: RequestContext, _params: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))


async def set_level(_: RequestContext, _params: types.SetLevelRequestParams) -> types.EmptyResult:
    return types.EmptyResult()


def fixed(content: str) -> Callable[[Any, Any, Parts], str]:
    return lambda _application, _caller, parts: content.format(**parts)


def fixture_resource(uri: str, mime_type: str, content: str) -> Resource:
    return Resource(
        uri=uri,
        name=uri,
        description="For conformance",
        mime_type=mime_type,
        read=fixed(content),
        concerns=lambda _parts, _grown: False,
    )


RESOURCES = (
    fixture_resource("test://static-text", "text/plain", "The static text resource."),
    fixture_resource("test://static-binary", "image/png", ""),
    fixture_resource("test://watched-resource", "text/plain", "Watched resource content"),
    fixture_resource(
        "test://template/{id}/data",
        "application/json",
        '{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}',
    ),
)


def build() -> ConformanceServer:
    """Make the server over an empty store in memory."""
    settings = Settings(store="memory:", toolsets="all")
    server = ConformanceServer(start(settings), settings, http_door(""), readable=RESOURCES)
    changing = [
        FixtureTool("test_trigger_tool_change", server.changes(ToolsListChanged())),
        FixtureTool("test_trigger_prompt_change", server.changes(PromptsListChanged())),
    ]
    server.mount([*plain_tools(), *asking_tools(), *changing])
    return server


async def main() -> None:
    """Serve until told to end."""
    config = uvicorn.Config(mounted(build()), http="h11", port=0, log_level="warning", ws="none")
    listener = config.bind_socket()
    sys.stdout.write(f"http://localhost:{listener.getsockname()[1]}/mcp\n")
    sys.stdout.flush()
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    anyio.run(main)
