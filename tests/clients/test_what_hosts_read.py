"""What a tool list costs in real tokens, and what the checker of hosts says of its schemas."""

import json
from pathlib import Path
from typing import Any

import pytest

from hansard.app.settings import Settings
from hansard.app.start import MEMORY, catalog
from hansard.kernel.event import Actor
from hansard.mcp.cards import BUDGETS
from hansard.mcp.tools import Toolbox, budget_tokens
from tests.clients.node import HERE, run_node

pytestmark = pytest.mark.clients

READ = ("name", "description", "inputSchema")


def tools(toolset: str) -> list[dict[str, Any]]:
    settings = Settings(store=MEMORY, toolsets=toolset)
    listed = Toolbox(catalog(settings), settings).listed(Actor("agent", "a", "admin"))
    dumped = [one.model_dump(by_alias=True, exclude_none=True) for one in listed]
    return [{key: one[key] for key in READ} for one in dumped]


def run(script: str, folder: Path, given: Any) -> Any:
    path = folder / "given.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    ran = run_node(HERE / script, path, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize(("toolset", "tokens_max"), BUDGETS.items())
def test_a_tool_list_costs_no_more_real_tokens_than_is_allowed_or_counted(
    toolset: str, tokens_max: int, tmp_path: Path
) -> None:
    """What the fast tests count, characters by four, is never less than it really is."""
    settings = Settings(store=MEMORY, toolsets=toolset)
    listed = Toolbox(catalog(settings), settings).listed(Actor("agent", "a", "admin"))
    said = json.dumps(tools(toolset), separators=(",", ":"), ensure_ascii=False)

    [real] = run("tokens.mjs", tmp_path, [said])

    assert real <= tokens_max
    assert real <= budget_tokens(listed)


def test_the_checker_of_hosts_warns_of_no_schema(tmp_path: Path) -> None:
    listed = tools("all")
    union = {"type": "object", "properties": {"a": {"type": ["array", "string"]}}}

    warned = run("strict_schemas.mjs", tmp_path, listed)
    of_a_union = run("strict_schemas.mjs", tmp_path, [{"name": "u", "inputSchema": union}])

    assert warned == []
    assert len(of_a_union) == 1, "the checker does warn of what it should"
