"""The MCP Inspector finds nothing to complain of in our tools, and can call them."""

import json
import sys
from pathlib import Path

import pytest

from tests.clients.node import BIN, run_node
from tests.mcp.processes import ROOT, HttpServer

pytestmark = pytest.mark.clients

ERAS = ["legacy", "modern"]
SERVER = [sys.executable, "-m", "tests.mcp.programs", "stdio"]
ACCEPTED = {"type-union"}
"""An argument for which null says something else than its absence."""

ENVIRONMENT = ["-e", "HANSARD_STORE=memory:", "-e", "HANSARD_TOOLSETS=all"]


@pytest.mark.parametrize("era", ERAS)
def test_the_tool_list_is_clean_over_stdio(era: str, tmp_path: Path) -> None:
    run = run_node(
        BIN / "mcp-inspector",
        "--cli",
        *SERVER,
        *("--cwd", str(ROOT), *ENVIRONMENT, "--protocol-era", era),
        *("--method", "tools/list", "--strict", "--format", "json"),
        cwd=tmp_path,
    )

    listed = json.loads(run.stdout)
    found = [finding for tool in listed.get("schemaFindings", []) for finding in tool["findings"]]
    assert run.returncode == 0, run.stderr
    assert [finding for finding in found if finding["rule"] not in ACCEPTED] == []
    assert len(listed["result"]["tools"]) > 5


@pytest.mark.parametrize("era", ERAS)
def test_a_tool_can_be_called_over_http(era: str, tmp_path: Path) -> None:
    with HttpServer({"store": "memory:", "toolsets": "all"}) as server:
        run = run_node(
            BIN / "mcp-inspector",
            "--cli",
            server.url,
            *("--protocol-era", era, "--method", "tools/call", "--format", "json"),
            *("--tool-name", "create_project", "--tool-args-json", '{"name": "From outside"}'),
            cwd=tmp_path,
        )

    assert run.returncode == 0, run.stderr
    made = json.loads(run.stdout)["result"]["structuredContent"]
    assert made["id"].startswith("from-outside-")
