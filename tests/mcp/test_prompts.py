"""Prompts: what a person chooses in a host to be told where things stand."""

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.mcp.callers import stdio_door
from hansard.mcp.server import HansardServer
from tests.conftest import a_caller

PARAMS = -32602


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_resume_tells_what_the_overview_tells(application: Application, era: str) -> None:
    application.call("record_session_start", {"title": "Fix the parser"}, a_caller())
    server = HansardServer(application, Settings(), stdio_door(""))

    async with Client(server, mode=era) as client:
        [listed] = (await client.list_prompts()).prompts
        [message] = (await client.get_prompt(listed.name)).messages

    overview = application.call("get_project_overview", {}, a_caller()).text()
    assert listed.name == "resume"
    assert message.role == "user"
    assert message.content.type == "text"
    assert message.content.text.endswith(overview)
    assert "Fix the parser" in overview


@pytest.mark.anyio
async def test_a_prompt_that_there_is_not_is_refused(application: Application) -> None:
    server = HansardServer(application, Settings(), stdio_door(""))

    async with Client(server) as client:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt("nothing")

    assert refused.value.error.code == PARAMS
