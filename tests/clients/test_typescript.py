"""A client of the TypeScript SDK, over both transports and in both eras."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clients.node import HERE, run_node
from tests.mcp.processes import ROOT, HttpServer

pytestmark = pytest.mark.clients

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


def seen(tmp_path: Path, *arguments: str, **variables: str) -> dict[str, Any]:
    """Run the client; gives what it saw."""
    run = run_node(HERE / "typescript_client.mjs", *arguments, cwd=tmp_path, **variables)
    assert run.returncode == 0, run.stderr
    result: dict[str, Any] = json.loads(run.stdout)
    return result


def check(result: dict[str, Any], era: str) -> None:
    assert result["version"] == ERAS[era]
    assert result["instructions"].startswith("Hansard is")
    assert "get_project_overview" in result["tools"]
    assert result["called"]["structuredContent"]["total"] == 0  # looking makes no project
    assert result["refused"]["isError"] is True
    assert result["refused"]["structuredContent"]["error"]["code"] == "PROJECT_NOT_FOUND"
    assert result["unknown"]["code"] == -32602
    assert result["unknown"]["data"]["code"] == "INVALID_INPUT"
    assert result["read"]["contents"][0]["uri"] == "hansard://activity"


@pytest.mark.parametrize("era", ERAS)
def test_it_lists_calls_and_reads_over_stdio(era: str, tmp_path: Path) -> None:
    result = seen(
        tmp_path,
        *(era, sys.executable, "-m", "tests.mcp.programs", "stdio"),
        HANSARD_STORE="memory:",
        PYTHONPATH=str(ROOT),
    )

    check(result, era)


@pytest.mark.parametrize("era", ERAS)
def test_it_lists_calls_and_reads_over_http(era: str, tmp_path: Path) -> None:
    with HttpServer({"store": "memory:"}) as server:
        check(seen(tmp_path, era, server.url), era)
