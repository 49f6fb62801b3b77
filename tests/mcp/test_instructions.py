"""The instructions are short, and speak of what there is."""

from hansard.app.catalog import Catalog
from hansard.app.start import catalog
from hansard.kernel.operation import Capability
from hansard.mcp.instructions import BY_CAPABILITY, CHARS_MAX, instructions


def test_the_instructions_fit_the_limit_and_cover_every_capability() -> None:
    known = catalog()

    assert len(instructions(known)) <= CHARS_MAX
    assert {one.name for one in known.capabilities if one.operations} <= BY_CAPABILITY.keys()


def test_only_what_there_is_is_spoken_of() -> None:
    without = instructions(Catalog([Capability("other", ())]))

    assert not [line for line in BY_CAPABILITY.values() if line in without]


def test_every_tool_that_is_named_exists() -> None:
    known = {one.name for one in catalog()}
    words = instructions(catalog()).replace(",", " ").replace(":", " ").split()
    named = {word.strip(".;{}") for word in words if "_" in word}

    assert named - {"session_id", "project_id"} <= known
