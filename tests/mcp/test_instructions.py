"""The instructions are short, and speak of the tools that whoever reads them has."""

import re

import pytest

from hansard.app.settings import Settings
from hansard.app.start import catalog
from hansard.kernel.event import Actor
from hansard.mcp.instructions import CHARS_MAX, PARAGRAPHS, TOOL, instructions
from hansard.mcp.tools import Toolbox

CATALOG = catalog()
EVERY = frozenset(one.name for one in CATALOG)
NAMED = {name for part in PARAGRAPHS for said in part for name in TOOL.findall(said)}
AGENT, VIEWER = Actor("agent", "test", "agent"), Actor("agent", "test", "viewer")

PLAIN_WORDS = {"search", "why", "undo", "restore", "activate", "transition"}
"""Tools whose names are also words."""


def told(actor: Actor = AGENT, **settings: str) -> tuple[str, frozenset[str]]:
    listed = Toolbox(CATALOG, Settings(**settings)).names(actor)  # type: ignore[arg-type]
    return instructions(listed), listed


def test_the_instructions_fit_the_limit_and_speak_of_every_capability() -> None:
    assert len(instructions(EVERY)) <= CHARS_MAX
    assert NAMED <= EVERY
    for capability in CATALOG.capabilities:
        names = {one.name for one in capability.operations}
        assert not names or names & NAMED, capability.name


@pytest.mark.parametrize("toolsets", ["core", "default", "all", "decisions", "recorder,search"])
@pytest.mark.parametrize("actor", [AGENT, VIEWER], ids=["agent", "viewer"])
def test_no_tool_is_named_that_is_not_listed(toolsets: str, actor: Actor) -> None:
    text, listed = told(actor, toolsets=toolsets)

    assert not set(re.findall(r"\w+", text)) & (EVERY - listed - PLAIN_WORDS)


def test_default_has_every_tool_that_it_speaks_of_and_the_words_go_with_the_list() -> None:
    text, listed = told(toolsets="default")
    core, _ = told(toolsets="core")

    assert {"propose_decision", "restore", "undo", "get_story", "get_timeline"} <= listed
    assert {"get_evolution", "list_sessions"} <= listed
    assert "propose_decision" in text
    assert "propose_decision" not in core
    assert "get_project_overview" in core
    assert "file_op" not in told(toolsets="decisions")[0]
