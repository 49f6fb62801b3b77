"""Answers and refusals as a client of either era receives them, from a server in this process."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.extension import ClientExtension
from mcp.shared.exceptions import MCPError

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.kernel import paging
from hansard.kernel.operation import Caller, Result
from hansard.mcp.answers import PROOF_KEY, RECEIPT_KEY, WHOLE_KEY
from hansard.mcp.callers import http_door, stdio_door
from hansard.mcp.client_names import EXTENSION
from hansard.mcp.server import HansardServer

pytestmark = pytest.mark.anyio

NOTE = {"type": "note", "description": "Noted"}
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    mode: str = request.param
    return mode


def connect(
    application: Application,
    era: str,
    *,
    over_http: bool = False,
    extensions: Sequence[ClientExtension] = (),
    **settings: Any,
) -> Client:
    door = http_door("") if over_http else stdio_door("")
    server = HansardServer(application, Settings(toolsets="all", **settings), door)
    return Client(server, mode=era, extensions=extensions)


class Views(ClientExtension):
    """What a host announces that shows views."""

    identifier = EXTENSION


async def error_of(client: Client, name: str, arguments: dict[str, Any], **rest: Any) -> MCPError:
    with pytest.raises(MCPError) as caught:
        await client.call_tool(name, arguments, **rest)
    return caught.value


async def test_an_answer_has_structure_and_a_text_that_suffices(
    application: Application, era: str
) -> None:
    async with connect(application, era) as client:
        answer = await client.call_tool("create_project", {"id": "demo", "name": "Demo"})

    assert not answer.is_error
    assert answer.structured_content == {"id": "demo", "tick": 0}
    assert answer.meta
    assert answer.meta[RECEIPT_KEY].keys() == {"seq", "hash"}
    assert [block.type for block in answer.content] == ["text"]
    assert "demo" in getattr(answer.content[0], "text", "")


@pytest.mark.holds("ALL-04.2")
async def test_proof_is_beside_the_answer_and_the_answer_is_without_it(
    application: Application, era: str
) -> None:
    async with connect(application, era) as client:
        saved = await client.call_tool("workflow_checkpoint_save", {"context": {"n": 1}})
        again = await client.call_tool("workflow_checkpoint_load", {})
        session = {"session_id": saved.structured_content["sessionId"]}
        noted = await client.call_tool("audit_event", {**NOTE, **session})

    head = application.store.read("default", lambda tx: tx.head())
    assert saved.meta
    assert again.meta
    assert noted.meta
    assert noted.meta[RECEIPT_KEY] == {"seq": head.seq, "hash": head.hash}
    assert noted.structured_content == {**session, "seq": head.seq}
    assert saved.meta[PROOF_KEY].keys() == {"/contextHash"}
    assert again.meta[PROOF_KEY] == {"/metadata/contextHash": saved.meta[PROOF_KEY]["/contextHash"]}
    assert RECEIPT_KEY not in again.meta


async def test_only_a_host_that_shows_views_is_given_the_whole_answer_beside_it(
    application: Application, era: str
) -> None:
    async with connect(application, era) as client:
        plain = await client.call_tool("search_decisions", {"query": "x"})
    async with connect(application, era, extensions=[Views()]) as client:
        shown = await client.call_tool("search_decisions", {"query": "x"})

    assert shown.structured_content == plain.structured_content
    assert WHOLE_KEY not in (plain.meta or {})
    assert shown.meta
    assert shown.meta[WHOLE_KEY]["index_lag"] == 0
    assert shown.structured_content.items() <= shown.meta[WHOLE_KEY].items()


@pytest.mark.holds("ALL-06.2", "ALL-06.3", "ALL-06.21")
async def test_what_a_smarter_caller_could_fix_is_a_result(
    application: Application, era: str
) -> None:
    async with connect(application, era) as client:
        answer = await client.call_tool("get_project", {"id": "nowhere"})

    error = answer.structured_content["error"]
    assert answer.is_error
    assert error["code"] == "PROJECT_NOT_FOUND"
    assert {"message", "details", "recovery_hint", "rpc_code", "http_status"} <= error.keys()
    text = getattr(answer.content[0], "text", "")
    assert text.startswith("PROJECT_NOT_FOUND: ")
    assert error["message"] in text
    assert error["recovery_hint"] in text


async def test_an_unknown_argument_is_refused_by_name_and_nothing_is_written(
    application: Application, era: str
) -> None:
    async with connect(application, era) as client:
        await client.call_tool("list_projects", {})
        before = application.store.engine.heads()

        answer = await client.call_tool("create_project", {"name": "x", "role": "admin"})

    assert answer.structured_content["error"]["code"] == "INVALID_INPUT"
    assert "role" in answer.structured_content["error"]["message"]
    assert application.store.engine.heads() == before


@pytest.mark.holds("ALL-06.4")
async def test_an_unknown_tool_is_a_protocol_error_with_the_object_as_data(
    application: Application, era: str
) -> None:
    async with connect(application, era) as client:
        error = await error_of(client, "nonsense", {})

    assert error.code == -32602
    assert error.data["code"] == "INVALID_INPUT"
    assert error.data["http_status"] == 404


@pytest.mark.holds("ALL-06.4")
async def test_a_forbidden_call_is_a_protocol_error(application: Application, era: str) -> None:
    application.read_only = True
    async with connect(application, era, read_only=True) as client:
        error = await error_of(client, "create_project", {"name": "x"})

    assert (error.code, error.data["code"]) == (403, "PERMISSION_DENIED")


@pytest.mark.holds("ALL-06.5", "004-errors-32602", "004-errors-403")
async def test_all_refusals_are_protocol_errors_where_that_is_asked_for(
    application: Application, era: str
) -> None:
    async with connect(application, era, errors="jsonrpc") as client:
        invalid = await error_of(client, "create_project", {})
        missing = await error_of(client, "get_project", {"id": "nowhere"})
        application.read_only = True
        denied = await error_of(client, "create_project", {"name": "x"})

    assert (denied.code, denied.data["code"]) == (403, "PERMISSION_DENIED")
    assert (invalid.code, invalid.data["code"]) == (-32602, "INVALID_INPUT")
    assert (missing.code, missing.data["code"]) == (-32000, "PROJECT_NOT_FOUND")


@pytest.mark.holds("ALL-06.6")
async def test_a_bug_is_answered_by_reference_and_told_only_to_the_log(
    application: Application,
    era: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(name: str, arguments: Mapping[str, Any], caller: Caller) -> Result:
        raise RuntimeError("a bug that knows the secret hunter2")

    monkeypatch.setattr(application, "call", broken)
    async with connect(application, era) as client:
        error = await error_of(client, "list_projects", {})

    reference = error.data["details"]["reference"]
    assert error.code == -32603
    assert "hunter2" not in f"{error.message}{error.data}"
    assert "Traceback" not in f"{error.message}{error.data}"
    assert reference in error.message
    assert reference in caplog.text
    assert "hunter2" in caplog.text


async def test_an_alias_is_answered_and_so_is_a_tool_that_is_not_listed(
    application: Application, era: str
) -> None:
    async with Client(
        HansardServer(application, Settings(toolsets="core"), stdio_door("")), mode=era
    ) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        begun = await client.call_tool("toy_note", {"text": "one"})
        more = await client.call_tool("toy_more", {"text": "two"})

    assert not {"toy_note", "toy_more"} & listed
    assert more.structured_content["session_id"] == begun.structured_content["session_id"]


@pytest.mark.holds("ALL-12.5")
async def test_the_session_comes_with_the_request_or_from_the_settings(
    application: Application, era: str
) -> None:
    async with connect(application, era) as client:
        ours = (await client.call_tool("toy_note", {"text": "x"})).structured_content["session_id"]
    async with connect(application, era, over_http=True) as client:
        meta: Any = {"hansard/session": ours}
        named = await client.call_tool("toy_go_on", {"text": "y"}, meta=meta)
        unnamed = await client.call_tool("toy_go_on", {"text": "z"})
    server = HansardServer(application, Settings(), http_door(ours))
    async with Client(server, mode=era) as client:
        configured = await client.call_tool("toy_go_on", {"text": "w"})

    assert named.structured_content["session_id"] == ours
    assert unnamed.structured_content["error"]["code"] == "SESSION_NOT_FOUND"
    assert configured.structured_content["session_id"] == ours


@pytest.mark.holds("ALL-01.20")
async def test_a_session_begun_in_one_era_goes_on_in_the_other(
    application: Application, era: str
) -> None:
    other = next(one for one in ERAS if one != era)
    async with connect(application, era, over_http=True) as client:
        begun = await client.call_tool("toy_note", {"text": "x"})
    session = begun.structured_content["session_id"]
    async with connect(application, other, over_http=True) as client:
        went_on = await client.call_tool("toy_go_on", {"text": "y", "session_id": session})

    assert went_on.structured_content["session_id"] == session


@pytest.mark.holds("ALL-10.4")
async def test_a_caller_over_stdio_is_an_agent(application: Application, era: str) -> None:
    async with connect(application, era) as client:
        await client.call_tool("toy_note", {"text": "x"})

    last = application.store.read("default", lambda tx: list(paging.entries(tx)))[-1]
    assert (last.actor.kind, last.actor.role) == ("agent", "agent")


@pytest.mark.holds("ALL-05.1")
async def test_a_repeated_key_gives_the_first_answer(application: Application, era: str) -> None:
    meta: Any = {"hansard/idempotency-key": "k1"}
    async with connect(application, era) as client:
        first = await client.call_tool("create_project", {"name": "Once"}, meta=meta)
        second = await client.call_tool("create_project", {"name": "Once"}, meta=meta)

    assert first.structured_content == second.structured_content


@pytest.mark.parametrize("key", ["hansard/session", "hansard/idempotency-key", "hansard/secret"])
async def test_metadata_that_is_not_text_is_refused(
    application: Application, era: str, key: str
) -> None:
    meta: Any = {key: 5}
    async with connect(application, era) as client:
        answer = await client.call_tool("list_projects", {}, meta=meta)

    assert answer.structured_content["error"]["code"] == "INVALID_INPUT"
    assert key in answer.structured_content["error"]["message"]


async def test_the_server_says_who_it_is_and_how_to_use_it(
    application: Application, era: str
) -> None:
    async with connect(application, era) as client:
        assert client.protocol_version == ERAS[era]
        assert client.instructions
        assert client.server_info
        assert client.server_info.name == "hansard"
        capabilities = client.server_capabilities

    assert capabilities.tools
    assert capabilities.tools.list_changed is False
    assert capabilities.resources
    assert capabilities.resources.list_changed is False
    assert capabilities.resources.subscribe is True


async def test_lists_may_be_kept_for_a_while_but_not_shared(application: Application) -> None:
    async with connect(application, "auto") as client:
        tools = await client.list_tools()
        read = await client.read_resource("hansard://activity")

    assert (tools.ttl_ms > 0, tools.cache_scope) == (True, "private")
    assert (read.ttl_ms, read.cache_scope) == (0, "private")


async def test_the_activity_of_the_project_can_be_read(application: Application, era: str) -> None:
    async with connect(application, era) as client:
        listed = (await client.list_resources()).resources
        await client.call_tool("toy_note", {"text": "something happened"})
        read = await client.read_resource("hansard://activity")

    mime_types = {one.uri: one.mime_type for one in listed}
    assert {uri for uri in mime_types if uri.startswith("hansard:")} == {
        "hansard://activity",
        "hansard://sessions",
        *(f"hansard://session/current/{view}" for view in ("evolution", "story", "timeline")),
    }
    assert read.contents[0].mime_type == mime_types["hansard://activity"]
    assert "something happened" in getattr(read.contents[0], "text", "")


async def test_an_unknown_resource_is_refused_by_its_uri(
    application: Application, era: str
) -> None:
    async with connect(application, era) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource("hansard://nowhere")

    assert caught.value.code == -32602
    assert caught.value.data["uri"] == "hansard://nowhere"
