"""The views that a host shows beside an answer: named by their tools, whole, and current."""

import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from mcp.client import Client

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.mcp.apps import APPS_BY_TOOL, MIME_TYPE
from hansard.mcp.callers import stdio_door
from hansard.mcp.client_names import EXTENSION
from hansard.mcp.server import HansardServer
from tests.mcp.processes import ROOT

WEB = ROOT / "web"
BUILT = [
    "mcp/apps/timeline.html",
    "mcp/apps/evolution.html",
    "mcp/apps/decisions.html",
    "cli/replay.html",
]
ERAS = ["legacy", "auto"]
LOADING = re.compile(r"""<link|<iframe|\ssrc=["']|@import|url\((?!#)|\bimport\(""")
"""What would make a page ask for another file."""


@pytest.fixture
def server(application: Application) -> HansardServer:
    return HansardServer(application, Settings(store="memory:", toolsets="all"), stdio_door(""))


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_three_tools_name_a_view_that_can_be_read(server: HansardServer, era: str) -> None:
    async with Client(server, mode=era) as client:
        listed = (await client.list_tools()).tools
        metas = {tool.name: tool.meta or {} for tool in listed}
        named = {name: meta["ui"]["resourceUri"] for name, meta in metas.items() if "ui" in meta}
        assert named == {
            "get_timeline": "ui://hansard/timeline",
            "get_evolution": "ui://hansard/evolution",
            "search_decisions": "ui://hansard/decisions",
        }
        for uri in named.values():
            [content] = (await client.read_resource(uri)).contents
            assert content.mime_type == MIME_TYPE
            assert content.meta
            assert content.meta["ui"]["csp"] == {"connectDomains": [], "resourceDomains": []}


@pytest.mark.anyio
async def test_the_extension_is_told_of_where_the_protocol_knows_extensions(
    server: HansardServer,
) -> None:
    async with Client(server, mode="auto") as client:
        told = client.server_capabilities

    assert EXTENSION in (told.extensions or {})


@pytest.mark.anyio
async def test_the_views_are_listed_with_what_hosts_need(server: HansardServer) -> None:
    async with Client(server, mode="auto") as client:
        listed = {one.uri: one for one in (await client.list_resources()).resources}

    for app in APPS_BY_TOOL.values():
        assert listed[app.uri].mime_type == MIME_TYPE
        assert listed[app.uri].meta == app.meta


def test_a_view_is_never_news(server: HansardServer) -> None:
    assert not any(app.concerns({}, ["default"]) for app in APPS_BY_TOOL.values())


@pytest.mark.parametrize("name", BUILT)
def test_a_view_is_one_file_that_loads_nothing(name: str) -> None:
    page = files("hansard").joinpath(name).read_text(encoding="utf-8")
    markup = re.sub(r"(<script type=\"module\">).*?(</script>)", r"\1\2", page, flags=re.DOTALL)

    assert markup.count("<script") == markup.count("</script>") == page.count("</script>")
    assert LOADING.findall(markup) == []


@pytest.mark.clients
def test_what_ships_is_what_the_sources_make(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or not (WEB / "node_modules").exists():
        pytest.skip("needs Node and the packages of web/")
    subprocess.run([node, WEB / "apps" / "build.mjs", tmp_path], check=True, capture_output=True)

    for name in BUILT:
        shipped = files("hansard").joinpath(name).read_bytes()
        assert (tmp_path / name).read_bytes() == shipped, f"{name}: run node web/apps/build.mjs"
